/** Decides whether the affected products of a CVE record include the product of a CPE name. */
import { type Cpe, cpeText, parseCpe } from '../affected/cpe.ts'
import { type JoinedProduct, joinedProduct } from '../affected/joined-product.ts'
import { listedProducts } from '../affected/products.ts'
import { type Budget, spend } from '../budget.ts'
import type { AffectedEntry } from '../record.ts'
import { compareTexts, MAX_VERSION_LENGTH } from '../versions/order.ts'
import { matchConfigurations } from './configurations.ts'
import { CPE_SOURCES, type CpeMatch, type CpeSource, isCommit, isEvaluated, type ProductEntry } from './entry.ts'
import { ANY, attributeValue, canonicalValue, hasWildcard } from './name.ts'
import { askedVersion } from './span.ts'
import { isEndOfRange, matchStatements } from './statements.ts'
import { compareVersions } from './versions.ts'

export interface CpeVerdict {
  verdict: 'affected' | 'undecided'
  /** Whether the record is undecided because it has too many statements, or the answer too many comparisons. */
  is_too_large: boolean
  /** Null if undecided. */
  matched: CpeMatch | null
  /** Versions that fix it, above the version asked for if that can be compared. */
  fixed_versions: string[]
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
 * Maximum statements of a record about a product: CPEs, versions, ranges and patched versions. A comparison takes about
 * 1 µs. The largest records have 20,000.
 */
export const MAX_STATEMENTS = 100_000

/** Comparisons of an answer, all records together. The 8,000 CVEs of the Linux kernel need 3 million. */
export const MAX_CPE_COMPARISONS = 10_000_000

const listsOf = ({
  cpes,
  affected_versions,
  affected_ranges,
  patched_versions,
}: Partial<AffectedEntry> | ProductEntry) => [cpes, affected_versions, affected_ranges, patched_versions] as const

/** Returns the number of statements of entries. */
export const statementCount = (entries: readonly (AffectedEntry | ProductEntry)[]): number =>
  entries.reduce((sum, entry) => listsOf(entry).reduce((count, list) => count + (list?.length ?? 0), sum + 1), 0)

/** Undecided, because comparing would take too long. */
export const TOO_LARGE: CpeVerdict = { verdict: 'undecided', is_too_large: true, matched: null, fixed_versions: [] }

/**
 * Returns the verdict of a record, from the entries that name the product. Null if none affects the version. An entry
 * without a statement that can be evaluated counts only if every other entry has none either. Yields after each
 * comparison with all statements.
 */
export function* matchCpe(
  entries: readonly ProductEntry[],
  asked: Cpe,
  budget: Budget = { left: MAX_CPE_COMPARISONS },
): Generator<undefined, CpeVerdict | null> {
  const count = statementCount(entries)
  if (count > MAX_STATEMENTS || !spend(budget, count)) return TOO_LARGE
  const found = verdictOf(entries, asked)
  if (!found) return null
  const { verdict, matched, named } = found
  return { verdict, is_too_large: false, matched, fixed_versions: yield* fixedVersions(named, asked, budget) }
}

interface Found extends Pick<CpeVerdict, 'verdict' | 'matched'> {
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
function* fixedVersions(entries: readonly ProductEntry[], asked: Cpe, budget: Budget): Generator<undefined, string[]> {
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
  const isPlain = (text: string) => text.length <= MAX_VERSION_LENGTH && /^v?\d+(?:\.\d+)*$/i.test(text)
  const plain = texts
    .filter(isPlain)
    .sort((a, b) => compareVersions(a, b)! || compareTexts(a, b))
    .filter((text, i, sorted) => i === 0 || compareVersions(sorted[i - 1]!, text) !== 0)
  const count = statementCount(entries)
  const fixes: string[] = []
  for (const text of [...plain, ...texts.filter((text) => !isPlain(text)).sort(compareTexts)].slice(0, MAX_FIXES)) {
    if (!spend(budget, count)) break
    yield
    if (verdictOf(entries, { ...asked, version: attributeValue(text), update: ANY }) === null) fixes.push(text)
  }
  return fixes
}
