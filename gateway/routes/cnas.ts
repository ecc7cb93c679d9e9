/** CVE numbering authorities: their directory, statistics, and CVEs. */

import { ACTIVITY_STATUSES, GRADES } from '../../corpus/model/closed-values.ts'
import type { CnaRow, CnaStats } from '../../corpus/model/directory.ts'
import { type CnaEntryDetail, cweNumber, keyOfName, listFilters } from '../../corpus/snapshot/index.ts'
import { jsonAnswer } from '../http/answer.ts'
import { notFound } from '../http/errors.ts'
import { defineRoute } from '../http/route.ts'
import { cweId } from '../params/ids.ts'
import { quote } from '../params/parameter.ts'
import { boolean, csvOf, oneOf, openText, searchText, sort } from '../params/parameter-types.ts'
import { entryValue, rowText } from '../plan/list-answer.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'
import { severity } from './answers/cve-summary.ts'
import { cnaCves, cnaDetail, cnaPage, cnaStats } from './answers.ts'
import type { Context } from './context.ts'
import { cvePage, listPage, paging } from './paging.ts'

const listQuery = {
  q: searchText(),
  grade: oneOf(GRADES),
  activity_status: oneOf(ACTIVITY_STATUSES),
  sort: sort(['cves', 'name', 'completeness'], '-cves'),
  ...paging,
}

export const listCnas = defineRoute<Context, Record<never, never>, typeof listQuery>({
  name: 'listCnas',
  path: '/cnas',
  summary: 'List CNAs',
  description: `Returns CNAs with statistics of their records. Those with the most CVEs are first by default.

The completeness of a record is the sum of these points, for what the CNA states:

- 50: description, affected products and references, all three
- 15: a weakness (CWE)
- 15: a CVSS 3 or 4 metric
- 10: a CPE name
- 10: a reference with the tag \`patch\`

\`overall_completeness\` of a CNA is the mean of its records of the last two years. If these years have none, it is the mean of all its records. Grades: A from 80, B from 60, C from 40, D from 20, else F. A CNA without records has no grade.

In these statistics, a year has 365 days. The last year ends at the newest date of the CVE list.

The directory is the CNA list of the CVE Program. An assigner that it does not list is added under its short name.`,
  example: '/cnas?limit=2',
  params: { path: {}, query: listQuery },
  answer: cnaPage,
  handle: (context, { q, grade, activity_status, sort, limit, cursor }) =>
    listPage(context, {
      list: 'cnas',
      filters: listFilters('cnas', { q, grade, activity_status }),
      sort,
      limit,
      cursor,
      texts: 'cna',
    }),
})

export const getCnaStats = defineRoute<Context, Record<never, never>, Record<never, never>>({
  name: 'getCnaStats',
  path: '/cnas/stats',
  summary: 'Get statistics of all CNAs',
  description:
    'Returns totals and rankings. A ranking has at most ten CNAs. `best` and `worst` list only CNAs with at least ten records. `most_improved` requires ten in each of the last two years. The last year ends at the newest date of the CVE list.',
  example: '/cnas/stats',
  params: { path: {}, query: {} },
  answer: cnaStats,
  handle: ({ registry }) => jsonAnswer(registry.current.lists.cnas.extra as CnaStats, 'shard', registry.current.id),
})

const path = { slug: openText() }

function cnaOf(snapshot: OpenSnapshot, slug: string): { ordinal: number; row: CnaRow } | null {
  const ordinal = snapshot.lists.cnas.ordinalOf(slug)
  return ordinal === undefined ? null : { ordinal, row: JSON.parse(rowText(snapshot, 'cnas', ordinal)) as CnaRow }
}

export const getCna = defineRoute<Context, typeof path, Record<never, never>>({
  name: 'getCna',
  path: '/cnas/:slug',
  summary: 'Get a CNA',
  description: 'Returns a CNA with statistics of its records, and its entry in the directory.',
  example: '/cnas/mirador',
  errors: ['not_found'],
  params: { path, query: {} },
  answer: cnaDetail,
  handle({ registry: { current } }, { slug }) {
    const cna = cnaOf(current, keyOfName(slug))
    if (!cna) throw notFound(`the directory has no CNA ${quote(slug)}`)
    const entry = entryValue(current.lists.cnas.entry(cna.ordinal)) as CnaEntryDetail
    const { country, organization_type, scope, advisories_url } = entry
    return jsonAnswer({ ...cna.row, country, organization_type, scope, advisories_url }, 'shard', current.id)
  },
})

const cvesQuery = {
  severity: csvOf(severity.options),
  kev: boolean(),
  has_exploit: boolean(),
  cwe: cweId(),
  sort: sort(['published', 'cvss', 'epss'], '-published'),
  ...paging,
}

export const listCnaCves = defineRoute<Context, typeof path, typeof cvesQuery>({
  name: 'listCnaCves',
  path: '/cnas/:slug/cves',
  summary: 'List the CVEs of a CNA',
  description:
    'Returns summary records of the CVEs that a CNA assigned. The newest publication is first by default. An unknown CNA gives an empty list.',
  example: '/cnas/mirador/cves?limit=1',
  params: { path, query: cvesQuery },
  answer: cnaCves,
  handle(context, { slug: text, severity, kev, has_exploit, cwe, sort, limit, cursor }) {
    const slug = keyOfName(text)
    return cvePage(context, {
      list: 'cnas/cves',
      filters: {
        cna: slug,
        severity,
        kev,
        has_exploit,
        cwe: cwe === undefined ? undefined : { number: cweNumber(cwe), scope: 'primary' },
      },
      sort,
      limit,
      cursor,
      head: (snapshot) => ({ cna: { slug, cna_name: cnaOf(snapshot, slug)?.row.cna_name ?? null } }),
    })
  },
})
