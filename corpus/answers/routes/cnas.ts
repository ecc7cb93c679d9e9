/** CVE numbering authorities: their directory, statistics, and CVEs. */

import { ACTIVITY_STATUSES, GRADES } from '../../model/closed-values.ts'
import type { CnaRow, CnaStats } from '../../model/directory.ts'
import type { Steps } from '../../runtime/steps.ts'
import { type CnaEntryDetail, cweNumber, keyOfName, listFilters, type SnapshotData } from '../../snapshot/index.ts'
import { jsonAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { cvePage, listPage, paging, selection } from '../paging.ts'
import { CNA_FIELDS, CVE_FIELDS, SEVERITY_FILTERS } from '../parameters/fields.ts'
import { cweId } from '../parameters/ids.ts'
import { quote } from '../parameters/parameter.ts'
import { boolean, csvOf, oneOf, openText, searchText, sort } from '../parameters/parameter-types.ts'
import { entryText } from '../plan/entry.ts'
import { defineRoute } from '../route.ts'
import { cnaCves, cnaDetail, cnaPage, cnaStats } from '../schemas.ts'

const listQuery = {
  q: searchText(),
  grade: oneOf(GRADES),
  activity_status: oneOf(ACTIVITY_STATUSES),
  sort: sort(['cves', 'name', 'completeness'], '-cves'),
  ...paging,
  ...selection(CNA_FIELDS),
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
  handle: (context, { q, grade, activity_status, sort, limit, cursor, count, fields }) =>
    listPage(context, {
      list: 'cnas',
      filters: listFilters('cnas', { q, grade, activity_status }),
      sort,
      limit,
      cursor,
      count,
      fields,
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
  *handle({ snapshots: { current } }) {
    return jsonAnswer((yield* current.lists.cnas.extra()) as CnaStats, 'shard', current.id)
  },
})

const path = { slug: openText() }

function* cnaOf(snapshot: SnapshotData, slug: string): Steps<{ ordinal: number; row: CnaRow } | null> {
  const found = yield* snapshot.lists.cnas.row(slug)
  return found && { ordinal: found.ordinal, row: JSON.parse(found.text) as CnaRow }
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
  *handle({ snapshots: { current } }, { slug }) {
    const cna = yield* cnaOf(current, keyOfName(slug))
    const member = cna && (yield* current.lists.cnas.entry(cna))
    if (!member) throw notFound(`the directory has no CNA ${quote(slug)}`)
    const entry = JSON.parse(entryText(member)) as CnaEntryDetail
    const { country, organization_type, scope, advisories_url } = entry
    return jsonAnswer({ ...cna.row, country, organization_type, scope, advisories_url }, 'shard', current.id)
  },
})

const cvesQuery = {
  severity: csvOf(SEVERITY_FILTERS),
  kev: boolean(),
  has_exploit: boolean(),
  cwe: cweId(),
  sort: sort(['published', 'cvss', 'epss'], '-published'),
  ...paging,
  ...selection(CVE_FIELDS),
}

export const listCnaCves = defineRoute<Context, typeof path, typeof cvesQuery>({
  name: 'listCnaCves',
  path: '/cnas/:slug/cves',
  isKept: true,
  summary: 'List the CVEs of a CNA',
  description:
    'Returns summary records of the CVEs that a CNA assigned. The newest publication is first by default. An unknown CNA gives an empty list.',
  example: '/cnas/mirador/cves?limit=1',
  params: { path, query: cvesQuery },
  answer: cnaCves,
  handle(context, { slug: text, severity, kev, has_exploit, cwe, sort, limit, cursor, count, fields }) {
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
      count,
      fields,
      *head(snapshot) {
        return { cna: { slug, cna_name: (yield* cnaOf(snapshot, slug))?.row.cna_name ?? null } }
      },
    })
  },
})
