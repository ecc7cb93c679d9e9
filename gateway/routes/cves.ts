/** `/cves`: the catalogue in any order, with any filters, a page at a time. */

import type { Severity } from '../../corpus/model/record.ts'
import { fold } from '../../corpus/snapshot/fold.ts'
import { CVE_SORTS } from '../../corpus/snapshot/order.ts'
import { meaning } from '../openapi/parameters.ts'
import { date } from '../params/date.ts'
import { cveIds, cweId } from '../params/ids.ts'
import { boolean, csvOf, cursor, number, openText, sort, text } from '../params/kinds.ts'
import { defineRoute } from '../route.ts'
import { cvePage as cvePageSchema } from './answers.ts'
import type { Context } from './context.ts'
import { cvePage, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageLimit, untilMs } from './paging.ts'

/** `severity` in the order in which api.md lists its values. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'none'] as const satisfies readonly Severity[]

/** 79 for `cwe-79`. */
export const cweNumber = (id: string): number => Number(id.slice('cwe-'.length))

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
    pageLimit(),
  ),
  cursor: cursor(),
}

export const listCves = defineRoute<Context, Record<never, never>, typeof query>({
  name: 'listCves',
  path: '/cves',
  summary: 'Summary records of the catalogue, newest first; all filters compose',
  params: { path: {}, query },
  answer: cvePageSchema,
  handle(context, params) {
    const { ids, q, limit, ...rest } = params
    return cvePage(context, {
      list: 'cves',
      sort: params.sort,
      limit: limit ?? ids?.length ?? PAGE_LIMIT_DEFAULT,
      cursor: params.cursor,
      filters: {
        q: q && fold(q),
        severity: rest.severity,
        kev: rest.kev,
        has_exploit: rest.has_exploit,
        has_patch: rest.has_patch,
        has_detection: rest.has_detection,
        assigner: rest.assigner && fold(rest.assigner),
        cwe: rest.cwe === undefined ? undefined : { number: cweNumber(rest.cwe), scope: 'primary' },
        epss_min: rest.epss_min,
        published_since: rest.published_since?.ms,
        published_until: rest.published_until && untilMs(rest.published_until),
        updated_since: rest.updated_since?.ms,
        ids: ids && [...ids].sort(),
      },
    })
  },
})
