/** The entries of catalogs of exploited vulnerabilities. */
import { listFilters } from '../../snapshot/index.ts'
import type { Context } from '../context.ts'
import { described } from '../openapi/parameters.ts'
import { listPage, paging, selection } from '../paging.ts'
import { date } from '../parameters/date.ts'
import { KEV_FIELDS } from '../parameters/fields.ts'
import { oneOf, openText, sort } from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { kevPage } from '../schemas.ts'

const listQuery = {
  catalog: described('Only entries of this catalog. `cisa` is KEV', openText()),
  ransomware: described('Only entries with this ransomware use', oneOf(['known', 'unknown'])),
  vendor: described('Only entries of this vendor, by its key or its name in any spelling', openText()),
  added_since: described('Listed on or after this date or timestamp', date()),
  added_until: described('Listed on or before this date or timestamp. A date includes the whole day', date()),
  due_since: described('Only entries that are due on or after this day or time', date()),
  due_before: described('Only entries that are due before this day or time', date()),
  sort: sort(['date_added', 'due_date'], '-date_added'),
  ...paging,
  ...selection(KEV_FIELDS),
}

export const listKev = defineRoute<Context, Record<never, never>, typeof listQuery>({
  name: 'listKev',
  path: '/kev',
  summary: 'List the entries of catalogs of exploited vulnerabilities',
  description:
    'Returns the entries of KEV and of the other catalogs of this service, each with the summary record of its CVE. The newest are first by default. A CVE that several catalogs list has several entries. Entries of CVEs without a record are absent.',
  example: '/kev?limit=1',
  params: { path: {}, query: listQuery },
  answer: kevPage,
  handle: (
    context,
    {
      catalog,
      ransomware,
      vendor,
      added_since,
      added_until,
      due_since,
      due_before,
      sort,
      limit,
      cursor,
      count,
      fields,
    },
  ) =>
    listPage(context, {
      list: 'kev',
      filters: listFilters('kev', { catalog, ransomware, vendor, added_since, added_until, due_since, due_before }),
      sort,
      limit,
      cursor,
      count,
      fields: fields && ['cve_id', ...fields],
    }),
})
