/** `/cves`: the catalogue in any order, with any filters, a page at a time. */

import { fold } from '../../corpus/snapshot/fold.ts'
import { CVE_SORTS } from '../../corpus/snapshot/order.ts'
import { meaning } from '../openapi/parameters.ts'
import type { DateValue } from '../params/date.ts'
import { DAY_MS, date } from '../params/date.ts'
import { cveIds, cweId } from '../params/ids.ts'
import { boolean, csvOf, cursor, integer, number, openText, sort, text } from '../params/kinds.ts'
import { cvePageAnswer } from '../plan/cve-answer.ts'
import { planCvePage, resume } from '../plan/cve-page.ts'
import type { CveFilters } from '../plan/filters.ts'
import { defineRoute } from '../route.ts'
import { cvePage } from './answers.ts'
import type { Context } from './context.ts'

const PAGE_LIMIT_DEFAULT = 25
const PAGE_LIMIT_MAX = 100

/** `severity` in the order in which api.md lists its values. */
const SEVERITIES = ['critical', 'high', 'medium', 'low', 'none'] as const

const query = {
  q: meaning('Text to look for in ids and titles, in any case', text()),
  severity: csvOf(SEVERITIES),
  kev: boolean(),
  has_exploit: boolean(),
  has_patch: boolean(),
  has_detection: boolean(),
  assigner: openText(),
  cwe: cweId(),
  epss_min: number({ min: 0, max: 1 }),
  published_since: date(),
  published_until: date(),
  updated_since: date(),
  ids: cveIds({ max: PAGE_LIMIT_MAX }),
  sort: sort(CVE_SORTS, '-published'),
  limit: meaning(
    `The most rows to give: ${PAGE_LIMIT_DEFAULT} unless you say more, or as many as there are \`ids\``,
    integer({ min: 1, max: PAGE_LIMIT_MAX }),
  ),
  cursor: cursor(),
}

export const listCves = defineRoute<Context, Record<never, never>, typeof query>({
  name: 'listCves',
  path: '/cves',
  summary: 'Summary records of the catalogue, newest first; all filters compose',
  params: { path: {}, query },
  answer: cvePage,
  async handle({ shelf, queries }, params) {
    const { sort, cursor: text, ids, q } = params
    const filters: CveFilters = {
      q: q && fold(q),
      severity: params.severity,
      kev: params.kev,
      has_exploit: params.has_exploit,
      has_patch: params.has_patch,
      has_detection: params.has_detection,
      assigner: params.assigner && fold(params.assigner),
      cwe: params.cwe === undefined ? undefined : Number(params.cwe.slice('cwe-'.length)),
      epss_min: params.epss_min,
      published_since: params.published_since?.ms,
      published_until: params.published_until && untilMs(params.published_until),
      updated_since: params.updated_since?.ms,
      ids: ids && [...ids].sort(),
    }
    const limit = params.limit ?? ids?.length ?? PAGE_LIMIT_DEFAULT
    const { snapshot, after } =
      text === undefined ? { snapshot: shelf.current, after: null } : resume(shelf, text, sort, filters)
    const release = snapshot.hold()
    try {
      const matches = q === undefined ? null : await queries.matches(snapshot.query.path, 'cve', q)
      const plan = planCvePage(snapshot, snapshot.bits, { sort, filters, limit, after }, matches)
      return cvePageAnswer(snapshot, plan)
    } finally {
      release()
    }
  },
})

/** The last moment that an upper bound lets through: a day means the whole of it (decisions 4). */
const untilMs = ({ kind, ms }: DateValue): number => (kind === 'day' ? ms + DAY_MS - 1 : ms)
