/** `/cves`: all CVEs in any order, with filters and pages. */
import { type ChangeDays, DEFAULT_CHANGE_DAYS } from '../../model/epss/changes.ts'
import { RECORD_TAGS } from '../../model/record.ts'
import { ATTACK_VECTORS, INTERACTIONS, PRIVILEGES } from '../../model/scores/exposure.ts'
import type { IndexedEcosystems } from '../../model/versions/ecosystems.ts'
import {
  type CveFilters,
  type CveSortOrder,
  canonicalFilters,
  changeSort,
  SSVC_AUTOMATABLE,
  SSVC_DECISIONS,
  SSVC_EXPLOITATIONS,
  STORED_SORTS,
} from '../../snapshot/index.ts'
import type { Context } from '../context.ts'
import { described } from '../openapi/parameters.ts'
import { counting, cvePage, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageLimit, selection } from '../paging.ts'
import { date } from '../parameters/date.ts'
import { CVE_LIST_FIELDS, SEVERITY_FILTERS } from '../parameters/fields.ts'
import { cveIds, cweId } from '../parameters/ids.ts'
import { packageKeyOf, packageName, product, vendor } from '../parameters/names.ts'
import { type QueryValues, withDefault } from '../parameters/parameter.ts'
import {
  boolean,
  csvOf,
  cursor,
  number,
  oneOf,
  openText,
  searchText,
  sort,
  words,
} from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { cvePage as cvePageSchema } from '../schemas.ts'

/** The parameters of `/cves`. */
export const cvesQuery = {
  q: described('Part of the id or title, in any case', searchText()),
  text: described(
    'Words, all of which are in the id, title, description, or names of vendors and products, in any order and case. `word*` stands for every word with this beginning',
    words(),
  ),
  severity: csvOf(SEVERITY_FILTERS),
  kev: boolean(),
  has_exploit: boolean(),
  has_patch: boolean(),
  has_detection: boolean(),
  has_workaround: boolean(),
  state: described('Only records in this state', oneOf(['PUBLISHED', 'RESERVED'])),
  ssvc_exploitation: described(
    'Only CVEs with one of these states of exploitation, by SSVC',
    csvOf(SSVC_EXPLOITATIONS),
  ),
  ssvc_automatable: described(
    'Only CVEs whose exploitation can be automated, or not, by SSVC',
    csvOf(SSVC_AUTOMATABLE),
  ),
  ssvc_decision: described('Only CVEs with one of these SSVC decisions', csvOf(SSVC_DECISIONS)),
  attack_vector: described(
    'Only CVEs with one of these attack vectors in the primary CVSS vector',
    csvOf(ATTACK_VECTORS),
  ),
  privileges_required: described(
    'Only CVEs that require one of these levels of privileges, by the primary CVSS vector. CVSS 2 does not state them',
    csvOf(PRIVILEGES),
  ),
  user_interaction: described(
    'Only CVEs with one of these user interactions in the primary CVSS vector. `required` includes `passive` and `active` of CVSS 4. CVSS 2 does not state them',
    csvOf(INTERACTIONS),
  ),
  tag: described('Only CVEs whose CNA states this tag', oneOf(RECORD_TAGS)),
  assigner: openText(),
  cwe: cweId(),
  vendor: described(
    'Only CVEs for which a source names this vendor: its key, or its name in any spelling of the records',
    vendor(),
  ),
  product: described(
    'Only CVEs for which a source names this product: `<vendor>/<product>`, the key or a name of each. Write a `/` within a key as `%2F`',
    product(),
  ),
  package: described(
    'Only CVEs whose advisories name this package: `<ecosystem>/<name>`, the ecosystem in any case, without a release',
    packageName(),
  ),
  cvss_min: described('Only CVEs with at least this `cvss_score`', number({ min: 0, max: 10 })),
  cvss_max: described('Only CVEs with at most this `cvss_score`', number({ min: 0, max: 10 })),
  epss_min: number({ min: 0, max: 1 }),
  epss_below: described('Only CVEs with a lower EPSS score than this, 0 to 1', number({ min: 0, max: 1 })),
  epss_change_min: described(
    'Only CVEs whose EPSS score rose by at least this much over `epss_change_days`, -1 to 1. CVEs without a known change do not match',
    number({ min: -1, max: 1 }),
  ),
  epss_change_days: described(
    'Days of `epss_change`, as a filter, sort key and field: 7 or 30',
    withDefault(oneOf(['7', '30']), `${DEFAULT_CHANGE_DAYS}`),
  ),
  published_since: date(),
  published_until: date(),
  updated_since: date(),
  kev_since: described('Only CVEs that were added to the KEV catalog on or after this date', date()),
  ids: cveIds({ max: PAGE_LIMIT_MAX }),
  sort: sort([...STORED_SORTS, 'epss_change'], '-published'),
  limit: described(
    `Maximum number of rows per page. Default: ${PAGE_LIMIT_DEFAULT}, or the number of \`ids\``,
    pageLimit(),
  ),
  cursor: cursor(),
  ...counting,
  ...selection(CVE_LIST_FIELDS),
}

export const listCves = defineRoute<Context, Record<never, never>, typeof cvesQuery>({
  name: 'listCves',
  path: '/cves',
  isKept: true,
  summary: 'List CVEs',
  description:
    'Returns summary records. The newest publication is first by default. A CVE must match all filters. Rejected CVEs are not listed.',
  example: '/cves?severity=critical&kev=true&sort=-epss&limit=1',
  params: { path: {}, query: cvesQuery },
  answer: cvePageSchema,
  handle(context, params) {
    const { limit, cursor, ids, count, fields } = params
    return cvePage(context, {
      list: 'cves',
      sort: sortOf(params),
      changeDays: daysOf(params),
      limit: limit ?? ids?.length ?? PAGE_LIMIT_DEFAULT,
      cursor,
      count,
      fields,
      filters: filtersOf(params, context.snapshots.current.about),
    })
  },
})

const daysOf = ({ epss_change_days: days }: QueryValues<typeof cvesQuery>) => Number(days) as ChangeDays

/** Returns the order of the rows. */
export function sortOf(params: QueryValues<typeof cvesQuery>): CveSortOrder {
  const { key, descending } = params.sort
  return { key: key === 'epss_change' ? changeSort(daysOf(params)) : key, descending }
}

/** @throws ApiError `invalid_parameter` for an ecosystem that the snapshot does not know */
export function filtersOf(params: QueryValues<typeof cvesQuery>, { ecosystems }: IndexedEcosystems): CveFilters {
  const { package: named } = params
  return canonicalFilters({
    ...params,
    epss_change_days: daysOf(params),
    package: named && packageKeyOf('package', named, ecosystems),
  })
}
