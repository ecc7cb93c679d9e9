/** Evaluates what CNA and ADPs state about a product: a default, versions and ranges. */
import type { Cpe } from '../affected/cpe.ts'
import type { AffectedRange } from '../record.ts'
import { MAX_VERSION_LENGTH } from '../versions/order.ts'
import { ENUMERATED, type EntryVerdict, fits, isCommit, isEvaluated, type ProductEntry, QUALIFIERS } from './entry.ts'
import { type Asked, askedVersion, isInside, matchOf, spanOfRange, spanOfText } from './span.ts'
import {
  branchOf,
  compareToBound,
  compareVersions,
  isInBranch,
  isLaterInBranch,
  type ProductVersion,
} from './versions.ts'

const EVERYTHING = { introduced: '0', fixed: null, last_affected: null }

/** Whether a range of any entry states the version as fixed. */
export function isEndOfRange(entries: readonly ProductEntry[], asked: Cpe): boolean {
  const version = askedVersion(asked)
  if (version.kind !== 'one') return false
  const fixes = entries.flatMap(({ affected_ranges }) => affected_ranges?.filter(isEvaluated) ?? [])
  return fixes.some(({ fixed }) => fixed !== null && compareVersions(version.version, fixed) === 0)
}

/**
 * An entry of the CVE list. Its CPEs restrict the product, its versions are those of its statements. A listed version
 * that is the end of a range is undecided: some CNAs state the fixed version as `version` and as `lessThan`.
 */
export function matchStatements(entry: ProductEntry, asked: Cpe, isFixed: boolean): EntryVerdict {
  const { cpes, default_status, patched_versions } = entry
  const fitting = cpes.map((cpe) => fits(cpe, asked, QUALIFIERS))
  if (cpes.length > 0 && fitting.every((fit) => fit === false)) return 'other'
  const isAffectedByDefault = default_status === 'affected'
  if (!entry.affected_ranges && !entry.affected_versions) {
    if (isAffectedByDefault) return patched_versions || askedVersion(asked).kind === 'many' ? 'undecided' : EVERYTHING
    return default_status === 'unaffected' ? 'unaffected' : 'silent'
  }
  const ranges = (entry.affected_ranges ?? []).filter(isEvaluated)
  const versions = (entry.affected_versions ?? []).filter((text) => !isCommit(text))
  if (ranges.length === 0 && versions.length === 0) return 'silent'
  const version = askedVersion(asked)
  const patched = patched_versions ?? []
  let isUndecided = false
  for (const text of versions) {
    const same = isStatedVersion(text, version)
    if (same && !isFixed) return ENUMERATED
    if (same !== false) isUndecided = true
  }
  // The same for every range.
  let excluded: boolean | null | undefined
  for (const range of ranges) {
    const inside = isInside(spanOfRange(range), version)
    if (inside === false) continue
    if (inside && excluded === undefined) {
      excluded = version.kind === 'one' && isPatched(patched, version, isAffectedByDefault)
    }
    if (inside && excluded === false) return matchOf(spanOfRange(range))
    if (!inside || !excluded) isUndecided = true
  }
  if (isUndecided) return 'undecided'
  // Default status and listed versions contradict each other, unless something else is stated as unaffected.
  const isContradiction = isAffectedByDefault && !patched_versions && ranges.every(hasEnd)
  return isContradiction ? 'undecided' : 'unaffected'
}

const hasEnd = ({ fixed, last_affected }: AffectedRange) => fixed !== null || last_affected !== undefined

/** A version, possibly with letters: `1.0-rc1`, `12.2(25)SE`, `9.0.4-h3`. */
const VERSION = /^v?\d(?:[\w.:()-]|[+~](?=[a-z]))*$/i
/** Two versions, or the beginning of a range. */
const TWO_VERSIONS = /\d-v?\d+\.\d|\.$/i

/** Returns whether a single version of a statement is the version asked for. Null if the text is no plain version. */
function isStatedVersion(text: string, asked: Asked): boolean | null {
  if (asked.kind !== 'one') return asked.kind === 'none' ? false : null
  if (text.length > MAX_VERSION_LENGTH) return null
  const [span] = spanOfText(text)
  if (span) return isInside(span, asked)
  const branch = branchOf(text)
  if (branch !== null) return isInBranch(asked.version, branch)
  if (isSpelling(text, asked)) return true
  if (!VERSION.test(text) || TWO_VERSIONS.test(text)) return null
  const order = compareVersions(asked.version, text)
  if (asked.update === null) return order === 0
  // `1.0` and `1.0-rc.1` may both be the update that is asked for.
  return order === 0 || text.toLowerCase().startsWith(asked.version.toLowerCase()) ? null : false
}

/** Whether a text is the version, in any case. CPE writes `_` for a blank; the update may follow in several ways. */
function isSpelling(text: string, { version, update }: ProductVersion): boolean {
  const texts = update === null ? [version] : ['', '-', '.', '_'].map((separator) => version + separator + update)
  const plain = (one: string) =>
    one
      .trim()
      .toLowerCase()
      .replace(/^v(?=\d)/, '')
      .replace(/\s+/g, '_')
  return texts.some((one) => plain(one) === plain(text))
}

/**
 * Returns whether a version within a range is stated as unaffected: it is a patched version, or it follows one in its
 * branch, if everything else is affected by default. Null if that is undecided.
 */
function isPatched(patched: readonly string[], asked: ProductVersion, isAffectedByDefault: boolean): boolean | null {
  let result: boolean | null = false
  for (const text of patched) {
    if (isSpelling(text, asked)) return true
    const order = compareToBound(asked, text)
    if (order === 0) return true
    if (!isAffectedByDefault) continue
    const later = order === null ? null : order > 0 && isLaterInBranch(asked.version, text)
    if (later) return true
    if (later === null) result = null
  }
  return result
}
