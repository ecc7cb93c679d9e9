/** Version statements of a CVE record (CVE 5 `affected[].versions[]`) as ranges and lists (rule 24). */
import { hasComparator, parseComparators } from './comparators.ts'
import type { AffectedEntry, AffectedRange } from './record.ts'

/** One member of `versions[]`; texts may be padded, absent ones are empty or null. */
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

/** From `introduced` on, until `fixed` (exclusive) or `lastAffected` (inclusive), or without end where both are null. */
interface VersionSpan {
  introduced: string
  fixed: string | null
  lastAffected: string | null
}

/** What a statement is about, whatever its status. A text that cannot be read is neither start nor fix of anything. */
type Extent =
  | { kind: 'nothing' }
  | { kind: 'single'; version: string }
  | { kind: 'span'; span: VersionSpan }
  | { kind: 'text'; text: string }

/** Alone they say nothing; as a start they are "0", as a bound they are none. */
const SILENT = /^(?:n\/a|-|unspecified|unknown|)$/i
/** Alone they mean every version. */
const EVERY = /^(?:\*|all)$/i
/** Before a bound it is dropped, as before a comparator; alone it is text as any other. */
const ALL_VERSIONS = /^all versions$/i
const NOTHING: Extent = { kind: 'nothing' }

interface Findings {
  versions: Set<string>
  ranges: AffectedRange[]
  patched: Set<string>
}

/** The claim of one `affected` entry; a list that would be empty is null. */
export function versionLists(statements: readonly VersionStatement[], defaultStatus: string | null): VersionLists {
  const found: Findings = { versions: new Set(), ranges: [], patched: new Set() }
  for (const statement of statements) collect(statement, extentOf(statement), found)
  if (defaultStatus === 'affected') addDefaultRange(statements, found)
  return {
    affected_versions: found.versions.size > 0 ? [...found.versions] : null,
    affected_ranges: found.ranges.length > 0 ? found.ranges : null,
    patched_versions: found.patched.size > 0 ? [...found.patched] : null,
  }
}

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

/** A change to `unknown` states nothing, nor does one that does not say where. */
function saysSomething({ at, status }: Change): boolean {
  return (status === 'affected' || status === 'unaffected') && !isPlaceholder(at.trim())
}

/**
 * `changes[]` in the order given, those that say something: `unaffected` ends the range (fixed), `affected` begins one.
 * A further fix while no range is open (a hotfix on another branch) is a patched version.
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
 * Where everything is affected but for what is listed as unaffected: one range from the first affected version, ended
 * by an unaffected version without upper bound. The start of every other unaffected stretch is a patched version, for
 * the versions of a branch cannot be cut out of a range without an order among them.
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
      // Unaffected from the beginning: the range begins where that ends, which after an inclusive bound has no name.
      if (unaffectedUntil === undefined) unaffectedUntil = fixed
    } else {
      found.patched.add(start)
      if (endless) end ??= { version: start, type: statement.versionType }
    }
  }
  if (exceptions === 0) return
  // Stated ranges say it better than a default that nothing ends.
  if (end === null && found.ranges.length > 0) return
  const introduced = begin ?? (unaffectedUntil === undefined ? '0' : unaffectedUntil)
  const fixed = end?.version ?? null
  // No extent at all, or neither start nor end has a name: `default_status` alone says it.
  if (introduced === fixed) return
  if (found.ranges.some((range) => range.introduced === introduced && range.fixed === fixed)) return
  found.ranges.push({ introduced, fixed, version_type: beginType ?? end?.type ?? null })
}

function extentOf({ version: paddedVersion, lessThan, lessThanOrEqual }: VersionStatement): Extent {
  const version = paddedVersion.trim()
  const stated = (lessThan ?? lessThanOrEqual)?.trim()
  if (stated === undefined || stated === version) {
    return hasComparator(version) ? extentOfText(version, null) : extentAlone(version)
  }
  const bound = boundOf(stated, lessThan === null)
  // `4.5` with the bound `<`: not the version alone, nor surely what is below it. It stays as the text that it is.
  if (bound === null) return { kind: 'text', text: `${version} ${stated}`.trimStart() }
  if (hasComparator(version)) return extentOfText(version, bound)
  return extentTo(version, bound)
}

function extentAlone(version: string): Extent {
  if (EVERY.test(version)) return extentTo(version, NO_BOUND)
  return SILENT.test(version) ? NOTHING : { kind: 'single', version }
}

/** From `start`, which may be a placeholder, to the bound. */
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
  /** Null where there is no upper bound after all: `*` or a placeholder. */
  version: string | null
  inclusive: boolean
  silent: boolean
}

const NO_BOUND: Bound = { version: null, inclusive: false, silent: true }

/** The comparator of an upper bound, written into the bound once more, maybe behind the start. */
const UPPER_BOUND = /^(?:v?\d[^\s<>=]*\s+)?<(=?)\s*(.+)$/i

/** `5.8.*`, `21.1*`: the end of a branch, which nobody released. */
const BRANCH_END = /.\*$/

/**
 * `lessThan: "< 4.4.13"` and `lessThan: "9.1 < 9.1.14"` are read as meant; where comparator and field differ, the text
 * holds. Any other comparator (`lessThan: ">= 2.0"`) makes no upper bound of it: null. That a branch is affected to its
 * end names no fix, whichever field says so: the end is the last affected.
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

/** A bound of its own completes `>= 1.0` and only repeats `< 2.0`. */
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
