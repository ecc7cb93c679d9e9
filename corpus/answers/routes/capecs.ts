/** The catalog of attack patterns: list and entries. */
import { CAPEC_SEVERITIES } from '../../model/closed-values.ts'
import { listFilters } from '../../snapshot/index.ts'
import type { Context } from '../context.ts'
import { described } from '../openapi/parameters.ts'
import { listPage, paging, selection } from '../paging.ts'
import { CAPEC_FIELDS, CAPEC_ROW_FIELDS } from '../parameters/fields.ts'
import { capecId } from '../parameters/ids.ts'
import { csvOf, oneOf, openText, searchText, sort } from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { capecEntry, capecPage } from '../schemas.ts'
import { catalogEntry } from './catalog-entry.ts'

const listQuery = {
  q: described('Part of the name or description, in any case', searchText()),
  status: openText(),
  severity: described('Only this typical severity', oneOf(CAPEC_SEVERITIES)),
  sort: sort(['id', 'name', 'severity'], 'id'),
  ...paging,
  ...selection(CAPEC_ROW_FIELDS),
}

export const listCapecs = defineRoute<Context, Record<never, never>, typeof listQuery>({
  name: 'listCapecs',
  path: '/capecs',
  summary: 'List attack patterns',
  description: 'Returns attack patterns of the CAPEC catalog. By default, the order is by number.',
  example: '/capecs?limit=1',
  params: { path: {}, query: listQuery },
  answer: capecPage,
  handle: (context, { q, status, severity, sort, limit, cursor, count, fields }) =>
    listPage(context, {
      list: 'capecs',
      filters: listFilters('capecs', { q, status, severity }),
      sort,
      limit,
      cursor,
      count,
      fields,
      texts: 'capec_text',
    }),
})

const path = { capecId: capecId() }

const entryQuery = { fields: described('Top-level fields to return', csvOf(CAPEC_FIELDS)) }

export const getCapec = defineRoute<Context, typeof path, typeof entryQuery>({
  name: 'getCapec',
  path: '/capecs/:capecId',
  summary: 'Get an attack pattern',
  description: 'Returns the full entry of an attack pattern in the CAPEC catalog.',
  example: '/capecs/CAPEC-66?fields=name,description,related_weaknesses',
  errors: ['not_found'],
  params: { path, query: entryQuery },
  answer: capecEntry,
  handle: (context, { capecId: id, fields }) => catalogEntry(context, 'capecs', 'attack pattern', id, fields),
})
