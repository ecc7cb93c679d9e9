/** `/affected`: the advisories that affect a version of a package or product. */
import { cpeText } from '../../model/affected/cpe.ts'
import { nameKey } from '../../model/affected/products.ts'
import { formatCpe } from '../../model/cpe/name.ts'
import type { AffectedRow } from '../../model/packages/affected-row.ts'
import { advisoryNames, hasSourcePackages } from '../../model/packages/source-package.ts'
import { type IndexedEcosystems, isIndexed } from '../../model/versions/ecosystems.ts'
import { awaited, type Steps } from '../../runtime/steps.ts'
import {
  type CursorBinding,
  cursorAfter,
  cursorBinding,
  productId,
  type RowKey,
  type SnapshotData,
} from '../../snapshot/index.ts'
import { type Answer, jsonAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { invalidParameter } from '../errors.ts'
import { described } from '../openapi/parameters.ts'
import { type PageShape, paging, resume, selection } from '../paging.ts'
import { AFFECTED_FIELDS } from '../parameters/fields.ts'
import {
  cpe,
  ecosystem,
  ecosystemOf,
  type GivenCpe,
  type GivenPurl,
  packageText,
  purls,
} from '../parameters/package.ts'
import { rowsAffecting } from '../plan/affected.ts'
import { isAffectedKey, pageOfRows } from '../plan/affected-page.ts'
import { rowsAffectingProduct } from '../plan/affected-product.ts'
import { pagination, withFields } from '../plan/page-frame.ts'
import { defineRoute } from '../route.ts'
import { affected } from '../schemas.ts'

const affectedQuery = {
  purl: described(
    'Package URL, with or without a version, such as `pkg:npm/%40angular/core@17.0.0`. Percent-encode `+` as `%2B`. Repeat it for up to 100 packages: then the answer has `groups`, one for each, as single requests answer them, and uses the quota of as many requests',
    purls({ max: 100 }),
  ),
  ecosystem: described(
    'Ecosystem of the package, in any case. A distribution takes its release: `Debian:12`. Requires `name`',
    ecosystem(),
  ),
  name: described('Name of the package in its ecosystem, such as `@angular/core`. Requires `ecosystem`', packageText()),
  version: described(
    'Version of the package. Percent-encode `+` as `%2B`. Requires `ecosystem` and `name`',
    packageText(),
  ),
  source: described(
    "Source package of a distribution's package, with its version if it differs: `openssl`, `openssl@1.1.1n-0`. Requires `ecosystem` and `name`",
    packageText(),
  ),
  cpe: described(
    'CPE name of a product: a formatted string of CPE 2.3, or a URI of CPE 2.2. Percent-encode `+`, `?` and `%`',
    cpe(),
  ),
  ...paging,
  ...selection(AFFECTED_FIELDS),
}

const BY_SEVERITY = { key: 'severity', descending: true }

export const listAffecting = defineRoute<Context, Record<never, never>, typeof affectedQuery>({
  name: 'listAffecting',
  path: '/affected',
  summary: 'List advisories that affect a package or product',
  description: `Returns the advisories that affect a version of a package, or may affect it. Name the package by \`purl\`, or by \`ecosystem\` and \`name\`. Without a version, the answer has every advisory of the package, with the verdict \`undecided\`.

Advisories that alias each other are one row. The highest severity is first, then CVEs in the KEV catalog, then the highest EPSS score.

\`query.indexed\` is false if the snapshot has no advisories of the ecosystem or of the release of a distribution, or no product of the CPE name. Then an empty answer does not mean that the package is not affected.

A product is named by \`cpe\` alone. The rows are CVEs: NVD's configurations and the affected versions of CNA and ADPs are compared with the CPE name. Versions are compared by their numbers; the verdict is \`undecided\` where letters decide. Required platforms are not evaluated.`,
  example: '/affected?purl=pkg:npm/lantern-http@2.0.0&limit=1',
  params: { path: {}, query: affectedQuery },
  answer: affected,
  *handle({ snapshots, charge }, { limit, cursor, count, fields, cpe, purl: purls, ...given }) {
    const shape: PageShape = { limit, cursor, count, fields }
    if (cpe) return yield* productAnswer(snapshots, cpe, { purl: purls?.[0], ...given }, shape)
    if (purls && purls.length > 1) {
      refuseOthers('purl', given)
      return yield* groupsAnswer({ snapshots, charge }, purls, shape)
    }
    const asked = askedPackage({ purl: purls?.[0], ...given }, snapshots.current.about)
    return answerOf(yield* pageOfPackage(snapshots, asked, shape))
  },
})

/** Rows of all purls of a request: 2.5 MB. */
const MAX_ROWS = 2500

/** Answers each purl as a request of its own, which its cursor continues, and which uses the quota. */
function* groupsAnswer(
  { snapshots, charge }: Pick<Context, 'snapshots' | 'charge'>,
  purls: readonly GivenPurl[],
  shape: PageShape,
): Steps<Answer> {
  if (shape.cursor !== undefined) {
    throw invalidParameter('cursor', "parameter 'cursor' continues the group of one purl; send it with this purl alone")
  }
  const most = Math.floor(MAX_ROWS / purls.length)
  if (shape.limit > most) {
    throw invalidParameter(
      'limit',
      `parameter 'limit' must be at most ${most} with ${purls.length} purls, not ${shape.limit}`,
    )
  }
  const groups: object[] = []
  for (const asked of purls) {
    if (groups.length > 0) yield* awaited(charge())
    const { body } = yield* pageOfPackage(snapshots, asked, shape)
    groups.push(body)
    // Other requests are answered between two purls.
    yield
  }
  return jsonAnswer({ groups }, 'merge', snapshots.current.id)
}

interface Page {
  snapshot: SnapshotData
  body: object
}

const answerOf = ({ snapshot, body }: Page): Answer => jsonAnswer(body, 'merge', snapshot.id)

function* pageOfPackage(snapshots: Context['snapshots'], asked: AskedPackage, shape: PageShape): Steps<Page> {
  const { purl, source: _, ...named } = asked
  const names = namesOf(asked)
  const { ecosystem, matched_source, version } = names
  const binding = cursorBinding(
    'affected',
    BY_SEVERITY,
    { ecosystem, names: names.names.join(' '), version },
    snapshots,
  )
  const { snapshot, after } = resume(snapshots, shape.cursor, binding, isAffectedKey)
  const rows = yield* rowsOf(snapshot, names)
  const indexed = ecosystem !== null && isIndexed(ecosystem, snapshot.about)
  return pageOf({ snapshot, binding, after, rows }, { purl, ...named, matched_source, indexed }, shape)
}

type PackageParts = Pick<AskedPackage, 'ecosystem' | 'name' | 'version' | 'source'>

/** The names under which advisories state a package. None without an ecosystem. */
function namesOf({ ecosystem, ...named }: PackageParts) {
  if (ecosystem === null) return { ecosystem, names: [], version: null, matched_source: null }
  return { ecosystem, ...advisoryNames({ ecosystem, ...named }) }
}

function* rowsOf(
  snapshot: SnapshotData,
  { ecosystem, names, version }: ReturnType<typeof namesOf>,
): Steps<readonly AffectedRow[]> {
  return ecosystem === null ? [] : yield* rowsAffecting(snapshot, { ecosystem, names, version })
}

/**
 * Returns all rows of a package, whose name and version need not be valid parameters.
 * @throws ApiError `invalid_parameter` for an unknown ecosystem
 */
export function* affectingPackage(
  snapshot: SnapshotData,
  { ecosystem, ...named }: PackageParts & { ecosystem: string },
) {
  const canonical = ecosystemOf(ecosystem, snapshot.about.ecosystems, { suffixed: true })
  return yield* rowsOf(snapshot, namesOf({ ecosystem: canonical, ...named }))
}

/** @throws ApiError `invalid_parameter` unless the product is named by the CPE name alone */
function* productAnswer(
  snapshots: Context['snapshots'],
  { cpe, attributes }: GivenCpe,
  named: Given,
  shape: PageShape,
): Steps<Answer> {
  refuseOthers('cpe', named)
  const { vendor, product, version } = attributes
  const binding = cursorBinding('affected', BY_SEVERITY, { cpe: formatCpe(attributes) }, snapshots)
  const { snapshot, after } = resume(snapshots, shape.cursor, binding, isAffectedKey)
  const keyOf = (value: string) => nameKey(cpeText(value)!) ?? value
  const asked = productId(keyOf(vendor), keyOf(product))
  const found = yield* snapshot.lists.products.row(asked)
  const name = found?.id ?? asked
  const indexed = found !== null
  const query = { purl: null, cpe, ecosystem: null, name, version: cpeText(version), matched_source: null, indexed }
  const rows = indexed ? yield* rowsAffectingProduct(snapshot, name, attributes) : []
  return answerOf(pageOf({ snapshot, binding, after, rows }, query, shape))
}

interface Found {
  snapshot: SnapshotData
  binding: CursorBinding
  after: RowKey | null
  rows: readonly AffectedRow[]
}

function pageOf({ snapshot, binding, after, rows }: Found, query: object, { limit, count, fields }: PageShape): Page {
  const { data, last } = pageOfRows(rows, after, limit)
  const next = last && cursorAfter(snapshot, binding, last)
  const shown = fields ? data.map((row) => withFields(row, fields)) : data
  return { snapshot, body: { query, data: shown, pagination: pagination(limit, next, count ? rows.length : null) } }
}

interface Given {
  purl: GivenPurl | undefined
  ecosystem: string | undefined
  name: string | undefined
  version: string | undefined
  source: string | undefined
}

/** The package of a request. Without an ecosystem, no ecosystem has the type of the purl. */
interface AskedPackage {
  purl: string | null
  ecosystem: string | null
  name: string
  version: string | null
  source: string | null
}

const STATED = {
  purl: 'the purl states ecosystem, name and version',
  cpe: 'the CPE name states product and version',
} as const

function refuseOthers(parameter: keyof typeof STATED, others: Partial<Given>): void {
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0]
  if (other === undefined) return
  throw invalidParameter(other, `parameter '${other}' cannot be combined with '${parameter}'; ${STATED[parameter]}`)
}

/** @throws ApiError `invalid_parameter` unless the package is named in exactly one way */
function askedPackage({ purl, ...named }: Given, { ecosystems }: IndexedEcosystems): AskedPackage {
  const { ecosystem, name, version, source } = named
  if (purl !== undefined) {
    refuseOthers('purl', named)
    return purl
  }
  if (ecosystem === undefined && name === undefined) {
    throw invalidParameter('purl', "parameter 'purl' is required, or 'ecosystem' and 'name', or 'cpe'")
  }
  if (name === undefined) throw invalidParameter('name', "parameter 'name' is required with 'ecosystem'")
  if (ecosystem === undefined) throw invalidParameter('ecosystem', "parameter 'ecosystem' is required with 'name'")
  const canonical = ecosystemOf(ecosystem, ecosystems, { suffixed: true })
  if (source !== undefined && !hasSourcePackages(canonical)) {
    throw invalidParameter(
      'source',
      `parameter 'source' applies to Linux distributions; ${canonical} has no source packages`,
    )
  }
  return {
    purl: null,
    ecosystem: canonical,
    name,
    version: version ?? null,
    source: source ?? null,
  }
}
