/** CVE numbering authorities: their directory, its statistics, and the CVEs of each. */
import type { CnaRow, CnaStats } from '../../corpus/model/directory.ts'
import { nameKey } from '../../corpus/model/products.ts'
import { cweNumber } from '../../corpus/snapshot/derive/facts.ts'
import type { CnaEntryDetail } from '../../corpus/snapshot/derive/list-rows.ts'
import { fold } from '../../corpus/snapshot/fold.ts'
import { jsonAnswer } from '../answer.ts'
import { notFound } from '../errors.ts'
import { cweId } from '../params/ids.ts'
import { quote } from '../params/kind.ts'
import { boolean, csvOf, oneOf, openText, sort, text } from '../params/kinds.ts'
import { entryValue, rowText } from '../plan/list-answer.ts'
import { defineRoute } from '../route.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { cnaCves, cnaDetail, cnaPage, cnaStats } from './answers.ts'
import type { Context } from './context.ts'
import { SEVERITIES } from './cves.ts'
import { cvePage, listPage, paging } from './paging.ts'

const listQuery = {
  q: text(),
  grade: oneOf(['A', 'B', 'C', 'D', 'F']),
  activity_status: oneOf(['Active', 'Inactive']),
  sort: sort(['cves', 'name', 'completeness'], '-cves'),
  ...paging,
}

export const listCnas = defineRoute<Context, Record<never, never>, typeof listQuery>({
  name: 'listCnas',
  path: '/cnas',
  summary: 'The CNAs with their figures, those with most CVEs first',
  description:
    'The score of a CNA is the mean completeness of its records of the last two years; the letters are our own: A from 80, B from 60, C from 40, D from 20, else F. A CNA without records has neither. A CNA that assigned records but is not in the list of CNAs is here under its short name.',
  params: { path: {}, query: listQuery },
  answer: cnaPage,
  handle: (context, { q, grade, activity_status: status, sort, limit, cursor }) =>
    listPage(context, {
      list: 'cnas',
      filters: { q: q && fold(q), equal: { grade: grade && fold(grade), activity_status: status && fold(status) } },
      sort,
      limit,
      cursor,
      texts: 'cna',
    }),
})

export const getCnaStats = defineRoute<Context, Record<never, never>, Record<never, never>>({
  name: 'getCnaStats',
  path: '/cnas/stats',
  summary: 'Statistics of the directory of CNAs',
  description:
    'The leaderboard ranks CNAs with at least ten records; the most improved have at least ten in each of the last two years.',
  params: { path: {}, query: {} },
  answer: cnaStats,
  handle: ({ shelf }) => jsonAnswer(shelf.current.lists.cnas.extra as CnaStats, 'shard', shelf.current.id),
})

const path = { slug: openText() }

/** The slug as the directory has it: names are joined by folding (rule 27). */
const slugOf = (text: string): string => nameKey(text) ?? text

/** The row of a CNA, or null where the directory has none. */
function cnaOf(snapshot: OpenSnapshot, slug: string): { ordinal: number; row: CnaRow } | null {
  const ordinal = snapshot.lists.cnas.ordinalOf(slug)
  return ordinal === undefined ? null : { ordinal, row: JSON.parse(rowText(snapshot, 'cnas', ordinal)) as CnaRow }
}

export const getCna = defineRoute<Context, typeof path, Record<never, never>>({
  name: 'getCna',
  path: '/cnas/:slug',
  summary: 'One CNA: its figures, and what the directory says of it',
  errors: ['not_found'],
  params: { path, query: {} },
  answer: cnaDetail,
  handle({ shelf: { current } }, { slug }) {
    const cna = cnaOf(current, slugOf(slug))
    if (!cna) throw notFound(`the directory has no CNA ${quote(slug)}`)
    const entry = entryValue(current.lists.cnas.entry(cna.ordinal)) as CnaEntryDetail
    const { country, organization_type, scope, advisories_url } = entry
    return jsonAnswer({ ...cna.row, country, organization_type, scope, advisories_url }, 'shard', current.id)
  },
})

const cvesQuery = {
  severity: csvOf(SEVERITIES),
  kev: boolean(),
  has_exploit: boolean(),
  cwe: cweId(),
  sort: sort(['published', 'cvss', 'epss'], '-published'),
  ...paging,
}

export const listCnaCves = defineRoute<Context, typeof path, typeof cvesQuery>({
  name: 'listCnaCves',
  path: '/cnas/:slug/cves',
  summary: 'The CVEs that a CNA assigned, newest first',
  params: { path, query: cvesQuery },
  answer: cnaCves,
  handle(context, { slug: text, severity, kev, has_exploit, cwe, sort, limit, cursor }) {
    const slug = slugOf(text)
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
