/** Packages that advisories name. */
import { packageDetail as detailOf } from '../../model/packages/package-entry.ts'
import { listFilters } from '../../snapshot/index.ts'
import { jsonAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { described } from '../openapi/parameters.ts'
import { listPage, paging, selection } from '../paging.ts'
import { PACKAGE_FIELDS } from '../parameters/fields.ts'
import { ecosystem, ecosystemOf, packageText } from '../parameters/package.ts'
import { quote } from '../parameters/parameter.ts'
import { searchText } from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { packageDetail, packagePage } from '../schemas.ts'

const onlyEcosystem = 'Only packages of this ecosystem, in any case, without a release'
const packagesQuery = {
  q: described('Part of the name, in any case', searchText()),
  ecosystem: described(onlyEcosystem, ecosystem()),
  ...paging,
  ...selection(PACKAGE_FIELDS),
}

const BY_ADVISORIES = { key: 'advisories', descending: true }

export const listPackages = defineRoute<Context, Record<never, never>, typeof packagesQuery>({
  name: 'listPackages',
  path: '/packages',
  summary: 'List packages',
  description: 'Returns the packages that advisories name. Those with the most advisories are first.',
  example: '/packages?limit=2',
  params: { path: {}, query: packagesQuery },
  answer: packagePage,
  handle(context, { q, ecosystem, limit, cursor, count, fields }) {
    const { ecosystems } = context.snapshots.current.about
    const canonical = ecosystem && ecosystemOf(ecosystem, ecosystems, { suffixed: false })
    return listPage(context, {
      list: 'packages',
      filters: listFilters('packages', { q, ecosystem: canonical }),
      sort: BY_ADVISORIES,
      limit,
      cursor,
      count,
      fields,
      texts: 'package',
    })
  },
})

const path = {
  ecosystem: described('Ecosystem of the package, in any case, without a release', ecosystem()),
  name: described('Name of the package. `/` can be written as `%2F`', packageText()),
}

export const getPackage = defineRoute<Context, typeof path, Record<never, never>>({
  name: 'getPackage',
  path: '/packages/:ecosystem/:name',
  takesRest: true,
  summary: 'Get a package',
  description:
    'Returns a package that advisories name. The name is accepted in each spelling that the ecosystem treats as equal.',
  example: '/packages/npm/lantern-http',
  errors: ['not_found'],
  params: { path, query: {} },
  answer: packageDetail,
  *handle({ snapshots: { current } }, { ecosystem, name }) {
    const canonical = ecosystemOf(ecosystem, current.about.ecosystems, { suffixed: false })
    const entry = yield* current.packages.package(canonical, name)
    if (!entry) {
      const remedy = `search for a part of the name with /packages?ecosystem=${encodeURIComponent(canonical)}&q=…`
      throw notFound(`no advisory names the package ${quote(name)} of ${canonical}; ${remedy}`)
    }
    const aliasesOf = yield* current.packages.aliases(() => entry.advisories.map(({ id, aliases }) => [id, ...aliases]))
    return jsonAnswer(detailOf(entry, aliasesOf), 'shard', current.id)
  },
})
