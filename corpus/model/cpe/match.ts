/** Decides whether the affected products of a CVE record include the product of a CPE name. */
import { type Cpe, type CpeAttribute, cpeText, parseCpe } from '../affected/cpe.ts'
import { joinedKey, joinedVendor } from '../affected/joined-key.ts'
import { nameKey } from '../affected/products.ts'
import type { AffectedEntry, AffectedRange } from '../record.ts'
import { compareTexts } from '../versions/order.ts'
import { overlap } from './compare.ts'
import { ANY, canonicalValue, hasWildcard, NOT_APPLICABLE } from './name.ts'
import {
  branchOf,
  compareToBound,
  compareVersions,
  isInBranch,
  isLaterInBranch,
  type ProductVersion,
} from './versions.ts'

/** The sources of affected entries that name vendor and product, in the order in which a match names one. */
export const CPE_SOURCES = ['nvd', 'cna', 'adp'] as const
type CpeSource = (typeof CPE_SOURCES)[number]

/** The statement that the version matches. All bounds are null for an enumerated version. */
export interface CpeMatch {
  introduced: string | null
  fixed: string | null
  last_affected: string | null
  source: CpeSource
}

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
  return vendorKey === null || productKey === null ? null : `${joinedVendor(vendorKey)}\n${joinedKey(productKey)}`
}

/** Returns the product that a CPE name states. Null if vendor or product is any, not applicable, or a pattern. */
export const productOfCpe = ({ vendor, product }: Cpe): JoinedProduct | null =>
  hasWildcard(vendor) || hasWildcard(product) ? null : joinedProduct(cpeText(vendor), cpeText(product))

/** An entry that names the product, without the fields that matching does not read. */
export interface ProductEntry {
  source: CpeSource
  default_status: string | null
  affected_versions: string[] | null
  affected_ranges: AffectedRange[] | null
  patched_versions: string[] | null
  /** Those that name the product. */
  cpes: Cpe[]
}

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
    if (cpes.length === 0 && joinedProduct(vendor, product) !== id) return []
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
  return {
    verdict: matched ? 'affected' : 'undecided',
    matched,
    fixed_versions: fixedVersions(named, asked),
  }
}

/**
 * `other`: the entry restricts an attribute to another value. `silent`: it has no statement that can be evaluated.
 */
type EntryVerdict = Omit<CpeMatch, 'source'> | 'unaffected' | 'undecided' | 'silent' | 'other'

const ENUMERATED = { introduced: null, fixed: null, last_affected: null }
const EVERYTHING = { introduced: '0', fixed: null, last_affected: null }

/** Attributes of a product that its names in the CVE list do not have. */
const QUALIFIERS = ['part', 'edition', 'language', 'swEdition', 'targetSw', 'targetHw', 'other'] as const

/** Returns whether the attributes have common values. Null if that is undecided. */
function fits(cpe: Cpe, asked: Cpe, attributes: readonly CpeAttribute[]): boolean | null {
  let result: boolean | null = true
  for (const attribute of attributes) {
    const one = overlap(cpe[attribute], asked[attribute])
    if (one === false) return false
    if (one === null) result = null
  }
  return result
}

const BEYOND_VERSION = [...QUALIFIERS, 'update'] as const

/** An entry of NVD: CPEs with a version, and CPEs without one, to which the ranges belong. */
function matchConfigurations({ cpes, affected_ranges, affected_versions }: ProductEntry, asked: Cpe): EntryVerdict {
  if (cpes.every((cpe) => fits(cpe, asked, BEYOND_VERSION) === false)) return 'other'
  const version = askedVersion(asked)
  let isUndecided = false
  for (const cpe of cpes) {
    if (cpe.version === ANY) continue
    const fit = fits(cpe, asked, BEYOND_VERSION)
    if (fit === false) continue
    const same = isSameVersion(cpe.version, asked.version)
    if (same === false) continue
    if (fit && same && version.kind !== 'many') return ENUMERATED
    isUndecided = true
  }
  const spans = [...(affected_ranges ?? []).map(spanOfRange), ...(affected_versions ?? []).flatMap(spanOfText)]
  const open = cpes.filter((cpe) => cpe.version === ANY)
  const fitting = open.map((cpe) => fits(cpe, asked, BEYOND_VERSION)).filter((fit) => fit !== false)
  if (fitting.length > 0 && spans.length > 0) {
    // The entry does not state which of its ranges belongs to which of its CPEs.
    const isCertain = fitting.every((fit) => fit) && (fitting.length === open.length || spans.length === 1)
    for (const span of spans) {
      const inside = isInside(span, version)
      if (inside && isCertain) return matchOf(span)
      if (inside !== false) isUndecided = true
    }
  }
  return isUndecided ? 'undecided' : 'unaffected'
}

/** The version attribute of a request: one version, none (`-`), or many (`*` or a pattern). */
type Asked = ({ kind: 'one' } & ProductVersion) | { kind: 'none' } | { kind: 'many' }

function askedVersion({ version, update }: Cpe): Asked {
  if (version === NOT_APPLICABLE) return { kind: 'none' }
  if (version === ANY || hasWildcard(version)) return { kind: 'many' }
  return { kind: 'one', version: cpeText(version)!, update: hasWildcard(update) ? update : cpeText(update) }
}

/** Whether a version of a CPE is that of the request, as text or as numbers. */
function isSameVersion(stated: string, asked: string): boolean | null {
  const same = overlap(stated, asked)
  if (same !== false) return same
  const [a, b] = [cpeText(stated), cpeText(asked)]
  return a !== null && b !== null && compareVersions(a, b) === 0
}

interface Span {
  introduced: string | null
  /** Whether `introduced` itself is not affected. */
  isExclusive: boolean
  fixed: string | null
  last_affected: string | null
}

const spanOfRange = ({ introduced, fixed, last_affected = undefined }: AffectedRange): Span => ({
  introduced,
  isExclusive: false,
  fixed,
  last_affected: last_affected ?? null,
})

/** `introduced` of an answer is inclusive, so an exclusive bound is null there. */
const matchOf = ({ introduced, isExclusive, fixed, last_affected }: Span) => ({
  introduced: isExclusive ? null : introduced,
  fixed,
  last_affected,
})

/** A lower bound that `introduced` cannot express: `> 1.0, <= 2.0` (rule 24). */
const EXCLUSIVE = /^>\s*([^\s,<>=]+)(?:,\s*<(=?)\s*([^\s,<>=]+))?$/

function spanOfText(text: string): Span[] {
  const match = EXCLUSIVE.exec(text)
  if (!match) return []
  const [, after = null, inclusive, end = null] = match
  const [fixed, last_affected] = inclusive === '=' ? [null, end] : [end, null]
  return [{ introduced: after, isExclusive: true, fixed, last_affected }]
}

const isEverything = ({ introduced, fixed, last_affected }: Span) =>
  introduced === '0' && fixed === null && last_affected === null

/** Returns whether a span contains the version. Null if that is undecided. */
function isInside(span: Span, asked: Asked): boolean | null {
  if (asked.kind === 'many') return null
  if (isEverything(span)) return true
  if (asked.kind === 'none') return false
  const { introduced, isExclusive, fixed, last_affected } = span
  const tests: (boolean | null)[] = []
  const compare = (bound: string, passes: (order: number) => boolean) => {
    const order = compareToBound(asked, bound)
    tests.push(order === null ? null : passes(order))
  }
  if (introduced !== null && introduced !== '0') compare(introduced, (order) => (isExclusive ? order > 0 : order >= 0))
  if (fixed !== null) compare(fixed, (order) => order < 0)
  if (last_affected !== null) compare(last_affected, (order) => order <= 0)
  if (tests.includes(false)) return false
  return tests.includes(null) ? null : true
}

/** Commits have no order. */
const isCommit = (text: string) => /^[0-9a-f]{12,64}$/i.test(text) && /[a-f]/i.test(text)
const isEvaluated = ({ version_type }: AffectedRange) => version_type?.toLowerCase() !== 'git'

/** Whether a range of any entry states the version as fixed. */
function isEndOfRange(entries: readonly ProductEntry[], asked: Cpe): boolean {
  const version = askedVersion(asked)
  if (version.kind !== 'one') return false
  const fixes = entries.flatMap(({ affected_ranges }) => affected_ranges?.filter(isEvaluated) ?? [])
  return fixes.some(({ fixed }) => fixed !== null && compareVersions(version.version, fixed) === 0)
}

/**
 * An entry of the CVE list. Its CPEs restrict the product, its versions are those of its statements. A listed version
 * that is the end of a range is undecided: some CNAs state the fixed version as `version` and as `lessThan`.
 */
function matchStatements(entry: ProductEntry, asked: Cpe, isFixed: boolean): EntryVerdict {
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
  for (const range of ranges) {
    const inside = isInside(spanOfRange(range), version)
    if (inside === false) continue
    const excluded = inside && version.kind === 'one' ? isPatched(patched, version, isAffectedByDefault) : false
    if (inside && excluded === false) return matchOf(spanOfRange(range))
    if (!excluded) isUndecided = true
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

/** Numbers first, ascending; versions that cannot be compared follow. Of equal ones, the first is returned. */
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
}
