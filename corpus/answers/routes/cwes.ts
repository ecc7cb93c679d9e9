/** The catalog of weaknesses: list, entries, and the CVEs mapped to each. */
import { CWE_ABSTRACTIONS, CWE_LIKELIHOODS } from '../../model/closed-values.ts'
import { cweNumber, listFilters, STORED_SORTS } from '../../snapshot/index.ts'
import type { Context } from '../context.ts'
import { described } from '../openapi/parameters.ts'
import { cvePage, listPage, paging, selection } from '../paging.ts'
import { CVE_FIELDS, CWE_FIELDS, CWE_ROW_FIELDS, SEVERITY_FILTERS } from '../parameters/fields.ts'
import { cweId } from '../parameters/ids.ts'
import { withDefault } from '../parameters/parameter.ts'
import { boolean, csvOf, oneOf, openText, searchText, sort } from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { cweCves, cweEntry, cwePage } from '../schemas.ts'
import { catalogEntry } from './catalog-entry.ts'

const listQuery = {
  q: described('Part of the id or name, in any case', searchText()),
  abstraction: oneOf(CWE_ABSTRACTIONS),
  status: openText(),
  likelihood: oneOf(CWE_LIKELIHOODS),
  sort: sort(['cves', 'id', 'name'], '-cves'),
  ...paging,
  ...selection(CWE_ROW_FIELDS),
}

export const listCwes = defineRoute<Context, Record<never, never>, typeof listQuery>({
  name: 'listCwes',
  path: '/cwes',
  summary: 'List weaknesses',
  description: 'Returns weaknesses of the CWE catalog. Those with the most CVEs are first by default.',
  example: '/cwes?limit=2',
  params: { path: {}, query: listQuery },
  answer: cwePage,
  handle: (context, { q, abstraction, status, likelihood, sort, limit, cursor, count, fields }) =>
    listPage(context, {
      list: 'cwes',
      filters: listFilters('cwes', { q, abstraction, status, likelihood }),
      sort,
      limit,
      cursor,
      count,
      fields,
      texts: 'cwe',
    }),
})

const path = { cweId: cweId() }

const entryQuery = { fields: described('Top-level fields to return', csvOf(CWE_FIELDS)) }

export const getCwe = defineRoute<Context, typeof path, typeof entryQuery>({
  name: 'getCwe',
  path: '/cwes/:cweId',
  summary: 'Get a weakness',
  description: 'Returns the full entry of a weakness in the CWE catalog.',
  example: '/cwes/CWE-79?fields=name,abstraction,description,relationships',
  errors: ['not_found'],
  params: { path, query: entryQuery },
  answer: cweEntry,
  handle: (context, { cweId: id, fields }) => catalogEntry(context, 'cwes', 'weakness', id, fields),
})

const cvesQuery = {
  scope: withDefault(oneOf(['primary', 'any']), 'primary'),
  severity: csvOf(SEVERITY_FILTERS),
  kev: boolean(),
  sort: sort(STORED_SORTS, '-published'),
  ...paging,
  ...selection(CVE_FIELDS),
}

export const listCweCves = defineRoute<Context, typeof path, typeof cvesQuery>({
  name: 'listCweCves',
  path: '/cwes/:cweId/cves',
  isKept: true,
  summary: 'List the CVEs of a weakness',
  description:
    'Returns summary records. The newest publication is first by default. `scope=any` also includes CVEs with another primary weakness, or with none. An unknown weakness gives an empty list.',
  example: '/cwes/CWE-79/cves?limit=1',
  params: { path, query: cvesQuery },
  answer: cweCves,
  handle: (context, { cweId: id, scope, severity, kev, sort, limit, cursor, count, fields }) =>
    cvePage(context, {
      list: 'cwes/cves',
      filters: { cwe: { number: cweNumber(id), scope }, severity, kev },
      sort,
      limit,
      cursor,
      count,
      fields,
      *head() {
        return { cwe_id: id.toUpperCase(), scope }
      },
    }),
})
