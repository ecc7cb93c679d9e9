/** Converts the version statements of a CVE record (CVE 5 `affected[].versions[]`) to ranges and lists (rule 24). */

import type { AffectedEntry, AffectedRange } from '../record.ts'
import { hasComparator, parseComparators } from './comparators.ts'

/** One member of `versions[]`. Texts may be padded; absent ones are empty or null. */
export interface VersionStatement {
  version: string
  status: string
  lessThan: string | null
  lessThanOrEqual: string | null
  versionType: string | null
  changes: readonly Change[]
}

interface Change {
  at: string
  status: string
}

export type VersionLists = Pick<AffectedEntry, 'affected_versions' | 'affected_ranges' | 'patched_versions'>

/** From `introduced` to `fixed` (exclusive) or `lastAffected` (inclusive). Without an end if both are null. */
interface VersionSpan {
  introduced: string
  fixed: string | null
  lastAffected: string | null
}

/** The versions that a statement covers, for any status. Unreadable text is neither a start nor a fix. */
type Extent =
  | { kind: 'nothing' }
  | { kind: 'single'; version: string }
  | { kind: 'span'; span: VersionSpan }
  | { kind: 'text'; text: string }

/** Placeholders without a meaning: "0" as a start, no bound as a bound. */
const SILENT = /^(?:n\/a|-|unspecified|unknown|)$/i
/** Alone, these mean every version. */
const EVERY = /^(?:\*|all)$/i
/** Dropped before a bound or a comparator. Alone, it is ordinary text. */
const ALL_VERSIONS = /^all versions$/i
const NOTHING: Extent = { kind: 'nothing' }

interface Findings {
  versions: Set<string>
  ranges: AffectedRange[]
  patched: Set<string>
}

/** Returns the version lists of one `affected` entry. Empty lists are null. */
export function versionLists(stated: readonly VersionStatement[], defaultStatus: string | null): VersionLists {
  const found: Findings = { versions: new Set(), ranges: [], patched: new Set() }
  const statements = stated.map(withoutPackageUrls)
  for (const statement of statements) collect(statement, extentOf(statement), found)
  if (defaultStatus === 'affected') addDefaultRange(statements, found)
  return {
    affected_versions: found.versions.size > 0 ? [...found.versions] : null,
    affected_ranges: found.ranges.length > 0 ? found.ranges : null,
    patched_versions: found.patched.size > 0 ? [...found.patched] : null,
  }
}

/** Whether every version is stated as unaffected: one statement from "0" without an end, and none that is affected. */
export function isUnaffected(stated: readonly VersionStatement[]): boolean {
  const isEverything = (statement: VersionStatement) => {
    const extent = extentOf(withoutPackageUrls(statement))
    if (extent.kind !== 'span') return false
    const { introduced, fixed, lastAffected } = extent.span
    return introduced === '0' && fixed === null && lastAffected === null
  }
  const isOther = ({ status, changes }: VersionStatement) =>
    status !== 'unaffected' || changes.some((change) => change.status !== 'unaffected')
  return !stated.some(isOther) && stated.some(isEverything)
}

/** A package URL states the version after its last `@`; qualifiers and the subpath are not part of it. */
const PACKAGE_URL = /^pkg:[^?#]*[^/?#]@(v?\d[^@/?#]*)(?:[?#].*)?$/is

/** Replaces package URLs that state a version by this version. */
function withoutPackageUrls(statement: VersionStatement): VersionStatement {
  const read = (text: string) => {
    const version = PACKAGE_URL.exec(text.trim())?.[1]
    return version === undefined ? text : decoded(version)
  }
  const readOptional = (text: string | null) => text && read(text)
  return {
    ...statement,
    version: read(statement.version),
    lessThan: readOptional(statement.lessThan),
    lessThanOrEqual: readOptional(statement.lessThanOrEqual),
    changes: statement.changes.map(({ at, status }) => ({ at: read(at), status })),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A web address, or a package URL that states no version. */
const isAddress = (text: string) => /:\/\/|^www\.|^pkg:/i.test(text.trim())

function collect(statement: VersionStatement, extent: Extent, found: Findings): void {
  if (statement.status !== 'affected' && statement.status !== 'unaffected') return
  const changes = statement.changes.filter(saysSomething)
  if (changes.length > 0) {
    replay({ ...statement, changes }, extent, found)
  } else if (statement.status === 'affected') {
    if (extent.kind === 'single') found.versions.add(extent.version)
    else if (extent.kind === 'text') found.versions.add(extent.text)
    else if (extent.kind === 'span') found.ranges.push(rangeOf(extent.span, statement.versionType))
  }
}

/** Returns false for a change to `unknown` and for a change without a version. */
function saysSomething({ at, status }: Change): boolean {
  return (status === 'affected' || status === 'unaffected') && !isPlaceholder(at.trim()) && !isAddress(at)
}

/**
 * Applies `changes[]` in the given order: `unaffected` ends the range (fixed), `affected` begins one. A fix without an
 * open range (a hotfix on another branch) is a patched version.
 */
function replay(statement: VersionStatement, extent: Extent, found: Findings): void {
  const whole: VersionSpan =
    extent.kind === 'span'
      ? extent.span
      : { introduced: extent.kind === 'single' ? extent.version : '0', fixed: null, lastAffected: null }
  if (extent.kind === 'text' && statement.status === 'affected') found.versions.add(extent.text)
  let open = statement.status === 'affected' && extent.kind !== 'text' ? whole.introduced : null
  for (const change of statement.changes) {
    const at = change.at.trim()
    if (change.status === 'affected') open ??= at
    else {
      if (open === null) found.patched.add(at)
      else found.ranges.push({ introduced: open, fixed: at, version_type: statement.versionType })
      open = null
    }
  }
  if (open !== null && open !== whole.fixed) {
    found.ranges.push(rangeOf({ ...whole, introduced: open }, statement.versionType))
  }
}

/**
 * Adds the range of an entry that is affected by default, except for versions listed as unaffected. The range begins at
 * the first affected version. An unaffected version without upper bound ends it. Other unaffected ranges only add their
 * start as a patched version: without a version order they cannot be cut out.
 */
function addDefaultRange(statements: readonly VersionStatement[], found: Findings): void {
  let begin: string | null | undefined
  let beginType: string | null = null
  let unaffectedUntil: string | null | undefined
  let end: { version: string; type: string | null } | null = null
  let exceptions = 0
  for (const statement of statements) {
    const extent = extentOf(statement)
    if (extent.kind === 'nothing' || extent.kind === 'text') continue
    const start = extent.kind === 'single' ? extent.version : extent.span.introduced
    if (statement.status === 'affected' && begin === undefined) {
      begin = start
      beginType = statement.versionType
    }
    if (statement.status !== 'unaffected') continue
    exceptions++
    if (extent.kind === 'single') {
      if (start !== '0') found.patched.add(start)
      continue
    }
    const { fixed, lastAffected } = extent.span
    const endless = fixed === null && lastAffected === null
    if (start === '0') {
      if (endless) return
      // Unaffected from the beginning: the range starts at its end, which is unknown after an inclusive bound.
      if (unaffectedUntil === undefined) unaffectedUntil = fixed
    } else {
      found.patched.add(start)
      if (endless) end ??= { version: start, type: statement.versionType }
    }
  }
  if (exceptions === 0) return
  // Stated ranges are more precise than a default range without an end.
  if (end === null && found.ranges.length > 0) return
  const introduced = begin ?? (unaffectedUntil === undefined ? '0' : unaffectedUntil)
  const fixed = end?.version ?? null
  // The range is empty or has neither a start nor an end: `default_status` is sufficient.
  if (introduced === fixed) return
  if (found.ranges.some((range) => range.introduced === introduced && range.fixed === fixed)) return
  found.ranges.push({ introduced, fixed, version_type: beginType ?? end?.type ?? null })
}

function extentOf({ version: paddedVersion, lessThan, lessThanOrEqual, changes }: VersionStatement): Extent {
  const version = paddedVersion.trim()
  const stated = (lessThan ?? lessThanOrEqual)?.trim()
  // The versions up to an address are unknown.
  const addresses = changes.map(({ at }) => at.trim()).filter(isAddress)
  const texts = [...new Set([version, stated ?? '', ...addresses])].filter((text) => text !== '')
  if (texts.some(isAddress)) return { kind: 'text', text: texts.join(' ') }
  if (stated === undefined || stated === version) {
    return hasComparator(version) ? extentOfText(version, null) : extentAlone(version)
  }
  const bound = boundOf(stated, lessThan === null)
  // `4.5` with the bound `<` is ambiguous: keep it as text.
  if (bound === null) return { kind: 'text', text: `${version} ${stated}`.trimStart() }
  if (hasComparator(version)) return extentOfText(version, bound)
  return extentTo(version, bound)
}

function extentAlone(version: string): Extent {
  if (EVERY.test(version)) return extentTo(version, NO_BOUND)
  return SILENT.test(version) ? NOTHING : { kind: 'single', version }
}

/** Returns the range from `start`, which may be a placeholder, to the bound. */
function extentTo(start: string, bound: Bound): Extent {
  if (bound.version === null && bound.silent && SILENT.test(start)) return NOTHING
  return {
    kind: 'span',
    span: {
      introduced: isPlaceholder(start) || ALL_VERSIONS.test(start) ? '0' : start,
      fixed: bound.inclusive ? null : bound.version,
      lastAffected: bound.inclusive ? bound.version : null,
    },
  }
}

interface Bound {
  /** Null without an upper bound: `*` or a placeholder. */
  version: string | null
  inclusive: boolean
  silent: boolean
}

const NO_BOUND: Bound = { version: null, inclusive: false, silent: true }

/** The text of an upper bound that repeats its comparator, such as `< 2.0` or `1.0 < 2.0`. */
const UPPER_BOUND = /^(?:v?\d[^\s<>=]*\s+)?<(=?)\s*(\S.*)$/i

/** `5.8.*`, `21.1*`: the end of a branch, which is not a released version. */
const BRANCH_END = /.\*$/

/**
 * Parses the text of an upper bound. `lessThan: "< 4.4.13"` and `lessThan: "9.1 < 9.1.14"` are accepted. If comparator
 * and field differ, the text decides. Returns null for other comparators (`lessThan: ">= 2.0"`). The end of a branch is
 * the last affected version in both fields, because it names no fix.
 */
function boundOf(text: string, inclusive: boolean): Bound | null {
  const written = UPPER_BOUND.exec(text)
  const limit = written ? written[2]! : text
  if (hasComparator(limit)) return null
  return {
    version: isPlaceholder(limit) ? null : limit,
    inclusive: BRANCH_END.test(limit) || (written ? written[1] === '=' : inclusive),
    silent: SILENT.test(limit),
  }
}

/** A separate bound completes `>= 1.0` and only repeats `< 2.0`. */
function extentOfText(version: string, bound: Bound | null): Extent {
  const parsed = parseComparators(version)
  if (parsed?.kind === 'single') return extentAlone(parsed.version)
  if (parsed?.kind === 'span') {
    const { start, limit, inclusive } = parsed
    const written = limit === null ? null : boundOf(limit, inclusive)
    return extentTo(start ?? '', (written?.version ? written : (bound ?? written)) ?? NO_BOUND)
  }
  const rest = bound?.version ? `, ${bound.inclusive ? '<=' : '<'} ${bound.version}` : ''
  return { kind: 'text', text: version + rest }
}

function isPlaceholder(version: string): boolean {
  return SILENT.test(version) || EVERY.test(version)
}

function rangeOf({ introduced, fixed, lastAffected }: VersionSpan, versionType: string | null): AffectedRange {
  const range: AffectedRange = { introduced, fixed, version_type: versionType }
  if (lastAffected !== null) range.last_affected = lastAffected
  return range
}
