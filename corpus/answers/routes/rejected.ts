/** CVEs whose records were rejected. */
import { listFilters } from '../../snapshot/index.ts'
import type { Context } from '../context.ts'
import { described } from '../openapi/parameters.ts'
import { listPage, paging, selection } from '../paging.ts'
import { date } from '../parameters/date.ts'
import { REJECTED_FIELDS } from '../parameters/fields.ts'
import { boolean, sort } from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { rejectedPage } from '../schemas.ts'

const listQuery = {
  replaced: described('Whether another CVE replaces it', boolean()),
  rejected_since: described('Rejected on or after this date or timestamp', date()),
  rejected_until: described('Rejected on or before this date or timestamp. A date includes the whole day', date()),
  sort: sort(['date_rejected'], '-date_rejected'),
  ...paging,
  ...selection(REJECTED_FIELDS),
}

export const listRejected = defineRoute<Context, Record<never, never>, typeof listQuery>({
  name: 'listRejected',
  path: '/rejected',
  summary: 'List rejected CVEs',
  description:
    'Returns the CVEs whose records were rejected, with the reason and the CVEs that replace them. They have no record in this service: `/cves/{cveId}` answers them with 404. The newest rejections are first by default.',
  example: '/rejected?limit=2',
  params: { path: {}, query: listQuery },
  answer: rejectedPage,
  handle: (context, { replaced, rejected_since, rejected_until, sort, limit, cursor, count, fields }) =>
    listPage(context, {
      list: 'rejected',
      filters: listFilters('rejected', { replaced, rejected_since, rejected_until }),
      sort,
      limit,
      cursor,
      count,
      fields: fields && ['cve_id', ...fields],
    }),
})
