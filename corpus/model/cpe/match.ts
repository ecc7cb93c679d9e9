/** Decides whether the affected products of a CVE record include the product of a CPE name. */
import { type Cpe, cpeText, parseCpe } from '../affected/cpe.ts'
import { joinedProductKey, joinedVendor } from '../affected/joined-key.ts'
import { listedProducts, nameKey } from '../affected/products.ts'
import type { AffectedEntry } from '../record.ts'
import { compareTexts } from '../versions/order.ts'
import { matchConfigurations } from './configurations.ts'
import { CPE_SOURCES, type CpeMatch, type CpeSource, isCommit, isEvaluated, type ProductEntry } from './entry.ts'
import { ANY, attributeValue, canonicalValue, hasWildcard } from './name.ts'
import { askedVersion } from './span.ts'
import { isEndOfRange, matchStatements } from './statements.ts'
import { compareVersions } from './versions.ts'

export interface CpeVerdict {
  verdict: 'affected' | 'undecided'
  /** Null if undecided. */
  matched: CpeMatch | null
  /** Versions that fix it, above the version asked for if that can be compared. */
  fixed_versions: string[]
}

/** A product in the form in which all its spellings are equal (rule 27). */
export type JoinedProduct = string

/** Returns the product that a vendor and a product, in any spelling, name. Null if one of them names nothing. */
export function joinedProduct(vendor: string | null, product: string | null): JoinedProduct | null {
  const keys = [vendor, product].map((name) => (name === null ? null : nameKey(name)))
  const [vendorKey = null, productKey = null] = keys
  if (vendorKey === null || productKey === null) return null
  return `${joinedVendor(vendorKey)}\n${joinedProductKey(vendorKey, productKey)}`
}

/** Returns the product that a CPE name states. Null if vendor or product is any, not applicable, or a pattern. */
export const productOfCpe = ({ vendor, product }: Cpe): JoinedProduct | null =>
  hasWildcard(vendor) || hasWildcard(product) ? null : joinedProduct(cpeText(vendor), cpeText(product))

const isSource = (source: string): source is CpeSource => (CPE_SOURCES as readonly string[]).includes(source)

/** Returns the entries that name the product, by their names or by their CPEs. NVD's are first, then the CNA's. */
export function productEntries(affected: readonly AffectedEntry[], id: JoinedProduct): ProductEntry[] {
  const entries = affected.flatMap((entry): ProductEntry[] => {
    const { source, vendor, product, default_status, affected_versions, affected_ranges, patched_versions } = entry
    if (!isSource(source)) return []
    const cpes = (entry.cpes ?? [])
      .flatMap((name) => parseCpe(name) ?? [])
      .filter((cpe) => productOfCpe(cpe) === id)
      .map(canonicalCpe)
    const isNamed = () => listedProducts(source, vendor, product).some((one) => joinedProduct(vendor, one) === id)
    if (cpes.length === 0 && !isNamed()) return []
    return [{ source, default_status, affected_versions, affected_ranges, patched_versions, cpes }]
  })
  return entries.sort((a, b) => CPE_SOURCES.indexOf(a.source) - CPE_SOURCES.indexOf(b.source))
}

const canonicalCpe = (cpe: Cpe): Cpe =>
  Object.fromEntries(Object.entries(cpe).map(([attribute, value]) => [attribute, canonicalValue(value)])) as Cpe

/**
 * Returns the verdict of a record, from the entries that name the product. Null if none affects the version. An entry
 * without a statement that can be evaluated counts only if every other entry has none either.
 */
export function matchCpe(entries: readonly ProductEntry[], asked: Cpe): CpeVerdict | null {
  const found = verdictOf(entries, asked)
  return found && { verdict: found.verdict, matched: found.matched, fixed_versions: fixedVersions(found.named, asked) }
}

interface Found extends Omit<CpeVerdict, 'fixed_versions'> {
  /** Entries that do not restrict an attribute to another value. */
  named: ProductEntry[]
}

function verdictOf(entries: readonly ProductEntry[], asked: Cpe): Found | null {
  let isUndecided = false
  let isSilent = false
  let isStated = false
  let matched: CpeMatch | null = null
  const named: ProductEntry[] = []
  const isFixed = isEndOfRange(entries, asked)
  for (const entry of entries) {
    const result = entry.source === 'nvd' ? matchConfigurations(entry, asked) : matchStatements(entry, asked, isFixed)
    if (result === 'other') continue
    named.push(entry)
    if (result === 'silent') isSilent = true
    else {
      isStated = true
      if (result === 'undecided') isUndecided = true
      else if (result !== 'unaffected') matched ??= { ...result, source: entry.source }
    }
  }
  if (!matched && !isUndecided && (isStated || !isSilent)) return null
  return { verdict: matched ? 'affected' : 'undecided', matched, named }
}

/** Fixes that are evaluated: a request must end, whatever a record states. */
const MAX_FIXES = 100

/**
 * Numbers first, ascending; versions that cannot be compared follow. Of equal ones, the first is returned. One source may
 * state as fixed what another states as affected, so a fix is returned only if the record does not affect it.
 */
function fixedVersions(entries: readonly ProductEntry[], asked: Cpe): string[] {
  const version = askedVersion(asked)
  const stated = entries.flatMap(({ affected_ranges, patched_versions }) => [
    ...(affected_ranges ?? []).filter(isEvaluated).flatMap(({ fixed }) => fixed ?? []),
    ...(patched_versions ?? []).filter((text) => !isCommit(text)),
  ])
  const isAbove = (text: string) => {
    const order = version.kind === 'one' ? compareVersions(version.version, text) : null
    return order === null || order < 0
  }
  const texts = [...new Set(stated)].filter(isAbove)
  const isPlain = (text: string) => /^v?\d+(?:\.\d+)*$/i.test(text)
  const plain = texts
    .filter(isPlain)
    .sort((a, b) => compareVersions(a, b)! || compareTexts(a, b))
    .filter((text, i, sorted) => i === 0 || compareVersions(sorted[i - 1]!, text) !== 0)
  return [...plain, ...texts.filter((text) => !isPlain(text)).sort(compareTexts)]
    .slice(0, MAX_FIXES)
    .filter((text) => verdictOf(entries, { ...asked, version: attributeValue(text), update: ANY }) === null)
}
