/** Whether a CVE affects a version of one of its products or packages. Loaded when a user asks. */
import { CPE_ATTRIBUTES, type Cpe } from '../../../../model/affected/cpe.ts'
import { joinedProduct } from '../../../../model/affected/joined-product.ts'
import { matchCpe, productEntries } from '../../../../model/cpe/match.ts'
import { ANY, attributeValue } from '../../../../model/cpe/name.ts'
import { finished } from '../../../../runtime/steps.ts'
import type { Affected, AffectedEntry, AffectedRow } from '../../data/answers.ts'
import { type Api, MAX_LIMIT, type Params } from '../../data/api.ts'
import { matchText } from '../../parts/ranges.ts'
import { sourceName } from '../../parts/sources.ts'

export interface VersionVerdict {
  verdict: 'affected' | 'undecided' | 'not affected'
  /** What decides it, as a sentence without its full stop. */
  reason: string
  /** Later versions that fix it. */
  fixes: readonly string[]
}

/**
 * Judges a product from what the whole record states about it, as `/affected?cpe=` does (rule 27): an entry under another
 * name can have a CPE of the product.
 */
export function productVerdict(
  affected: readonly AffectedEntry[],
  { vendor, product }: Pick<AffectedEntry, 'vendor' | 'product'>,
  version: string,
): VersionVerdict {
  const id = joinedProduct(vendor, product)
  const stated = id === null ? [] : productEntries(affected, id)
  const any = Object.fromEntries(CPE_ATTRIBUTES.map((attribute) => [attribute, ANY])) as Cpe
  if (stated.length === 0)
    return { verdict: 'undecided', reason: 'No source names it in a way that can be compared', fixes: [] }
  const found = finished(matchCpe(stated, { ...any, version: attributeValue(version) }))
  const sources = [...new Set(stated.map(({ source }) => sourceName(source)))].join(' and ')
  if (found === null)
    return { verdict: 'not affected', reason: `The versions of ${sources} do not include it`, fixes: [] }
  const { verdict, matched, fixed_versions: fixes } = found
  if (matched === null) return { verdict, reason: `The statements of ${sources} cannot be compared with it`, fixes }
  const range = matchText({ kind: 'version', ...matched })
  return { verdict, reason: `${sourceName(matched.source)} states ${range}`, fixes }
}

/** Asks which advisories affect a package, and looks for the CVE in them. */
export async function packageVerdict(
  api: Api,
  id: string,
  { ecosystem, package_name: name }: Pick<AffectedEntry, 'ecosystem' | 'package_name'>,
  version: string,
  signal: AbortSignal,
): Promise<VersionVerdict> {
  let cursor: string | null = null
  for (;;) {
    const params: Params = { ecosystem, name, version, limit: MAX_LIMIT, cursor }
    const { data, pagination, query }: Affected = await api.get('/affected', params, signal)
    const row = data.find(({ advisory_id, aliases, cve_ids }) => [advisory_id, ...aliases, ...cve_ids].includes(id))
    if (row) return packageRow(row)
    cursor = pagination.next_cursor
    if (cursor !== null) continue
    if (query.indexed)
      return { verdict: 'not affected', reason: 'The advisories of the package do not include it', fixes: [] }
    return { verdict: 'undecided', reason: `The snapshot has no advisories of ${ecosystem}`, fixes: [] }
  }
}

function packageRow({ verdict, matched_by, fixed_versions: fixes, advisory_id }: AffectedRow): VersionVerdict {
  const reason = matched_by
    ? `${matched_by.source} states ${matchText(matched_by)}`
    : `The versions of ${advisory_id} cannot be compared with it`
  return { verdict, reason, fixes }
}
