/** The table of mutations. Each one breaks a rule or a statement of the API, and the test of that must fail. */
import type { Mutation } from './mutation.ts'
import { ACCESS } from './tables/access.ts'
import { CATALOG_RULES } from './tables/catalogs.ts'
import { CLAIMS } from './tables/claims.ts'
import { CPE } from './tables/cpe.ts'
import { DERIVED } from './tables/derived.ts'
import { ENDPOINTS } from './tables/endpoints.ts'
import { FIELDS } from './tables/fields.ts'
import { LIST_RULES } from './tables/lists.ts'
import { PACKAGES } from './tables/packages.ts'
import { PARAMETERS } from './tables/parameters.ts'
import { SERVICE } from './tables/service.ts'

export const MUTATIONS: readonly Mutation[] = [
  ...PARAMETERS,
  ...LIST_RULES,
  ...ACCESS,
  ...DERIVED,
  ...CLAIMS,
  ...CATALOG_RULES,
  ...FIELDS,
  ...ENDPOINTS,
  ...SERVICE,
  ...PACKAGES,
  ...CPE,
]
