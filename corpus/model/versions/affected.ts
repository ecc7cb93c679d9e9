/** Decides whether an entry of `affected[]` of an OSV record affects a version (OSV schema, "Evaluation"). */
import { partitionPoint } from '../values/partition-point.ts'
import { comparatorOf } from './comparator.ts'
import { endOfFloating, isSameRelease } from './ecosystems.ts'
import { compareLeading, type LeadingNumbers, numbersOfUnparsed } from './leading-numbers.ts'
import type { VersionOrder } from './order.ts'

/** Events of one version count in this order, so that a version that is introduced and fixed is not affected. */
const KINDS = ['introduced', 'last_affected', 'fixed'] as const
type EventKind = (typeof KINDS)[number]

/** The fields of an OSV record that matching reads. */
export interface AffectedStatement {
  package: { ecosystem: string }
  ranges?: { type: string; events: Partial<Record<EventKind | 'limit', string>>[] }[]
  versions?: string[]
}

/** Null for `0`, which precedes every version. */
type Bound = { key: unknown } | null

export interface RangeEvent {
  kind: EventKind
  version: string
  bound: Bound
}

export interface VersionRange {
  /** In the order of versions. Null if nothing introduces the range, or if a version in it cannot be parsed. */
  events: RangeEvent[] | null
  /** The highest limit: versions before it can be affected. Null without a limit. */
  limit: { version: string; bound: Bound } | null
  /** True if the range contains every version: nothing ends it, and it begins at `0`. */
  isEverything: boolean
}

/** A parsed entry. Parse an entry once and evaluate it for many versions. */
export interface AffectedVersions {
  ecosystem: string
  order: VersionOrder | null
  ranges: VersionRange[]
  /** The enumerated versions. */
  texts: ReadonlySet<string>
  /** Those that can be parsed, ascending. */
  keys: unknown[]
}

/** A parsed version of an ecosystem, which may have a suffix. */
export interface AskedVersion {
  ecosystem: string
  version: string
  /** Null if the version cannot be parsed. */
  key: unknown
  /** The leading numbers of a version that cannot be parsed. Null if it does not begin with numbers. */
  numbers: LeadingNumbers | null
  /** The key that follows all releases that a floating version can mean. Null for another version. */
  end: unknown
}

export interface RangeMatch {
  kind: 'range'
  introduced: string
  fixed: string | null
  last_affected: string | null
}

/** The enumerated version, in the spelling of the query. */
export interface VersionMatch {
  kind: 'version'
  version: string
}

/**
 * Why no verdict is possible: the ecosystem has no known version order; the version cannot be parsed; an event of a
 * range cannot be parsed; the query or the entry names no release of the distribution; the entry has neither versions
 * nor a range that can be evaluated; the version is floating, and only some of the releases that it can mean are affected;
 * the advisories or the record state more versions than an answer compares.
 */
export type UndecidedReason = 'no_order' | 'version' | 'event' | 'release' | 'no_versions' | 'floating' | 'too_large'

export type Verdict =
  | { verdict: 'affected'; matched: RangeMatch | VersionMatch }
  | { verdict: 'not_affected' }
  | { verdict: 'undecided'; reason: UndecidedReason }

/** An empty set takes as much memory as an event. */
const NO_TEXTS: ReadonlySet<string> = new Set()

const NOT_AFFECTED: Verdict = { verdict: 'not_affected' }
const undecided = (reason: UndecidedReason): Verdict => ({ verdict: 'undecided', reason })

export interface EvaluateOptions {
  /**
   * Ignores ranges that contain every version if the entry enumerates versions. For malicious packages, where the list
   * is the precise statement. Default false, as OSV evaluates them.
   */
  preferList?: boolean
}

/** Whether ranges of this type have an order. Commits (`GIT`) have none. */
export const isEvaluated = (type: string): boolean => type === 'SEMVER' || type === 'ECOSYSTEM'

/** Returns the key by which ranges and enumerated versions are evaluated; null if the version cannot be parsed. */
export function evaluationKey(order: VersionOrder | null, version: string): unknown {
  if (!order) return null
  return order.parseStrict ? order.parseStrict(version) : order.parse(version)
}

/** Returns `evaluationKey` with a memory, for one ecosystem: the advisories of a package name few different versions. */
export function rememberedKeys(): typeof evaluationKey {
  const known = new Map<string, unknown>()
  return (order, version) => {
    if (!known.has(version)) known.set(version, evaluationKey(order, version))
    return known.get(version)
  }
}

export function askedVersion(ecosystem: string, version: string): AskedVersion {
  const order = comparatorOf(ecosystem)
  const key = evaluationKey(order, version)
  const end = key === null ? null : endOfFloating(ecosystem, version)
  const numbers = key === null ? numbersOfUnparsed(version) : null
  return { ecosystem, version, key, numbers, end: end === null ? null : evaluationKey(order, end) }
}

/** Parses versions and events, and sorts them. Ignores ranges of other types than `SEMVER` and `ECOSYSTEM`. */
export function parseAffected(
  { package: { ecosystem }, ranges = [], versions = [] }: AffectedStatement,
  keyOf = evaluationKey,
): AffectedVersions {
  const order = comparatorOf(ecosystem)
  const keys = versions.map((version) => keyOf(order, version)).filter((key) => key !== null)
  return {
    ecosystem,
    order,
    ranges: ranges.filter(({ type }) => isEvaluated(type)).map((range) => parseRange(order, range, keyOf)),
    texts: versions.length === 0 ? NO_TEXTS : new Set(versions),
    keys: order ? keys.toSorted(order.compare) : [],
  }
}

/**
 * Returns the verdict for a version of the package that the entry names. The caller has compared the names. A version
 * is affected if it is enumerated, as text or after parsing, or if a range contains it. An enumerated version that
 * cannot be parsed equals only the same text. A version that cannot be parsed is decided if its leading numbers differ
 * from those of every bound and enumerated version.
 */
export function evaluate(
  { ecosystem, order, ranges, texts, keys }: AffectedVersions,
  asked: AskedVersion,
  { preferList = false }: EvaluateOptions = {},
): Verdict {
  const isComparable = isSameReleaseAs(ecosystem, asked)
  if (isComparable === false) return NOT_AFFECTED
  if (order && asked.end !== null && isDivided(order, ranges, keys, asked)) return undecided('floating')
  const isListed = preferList && texts.size > 0
  const counted = isListed ? ranges.filter(({ isEverything }) => !isEverything) : ranges
  const inRanges = isComparable ? evaluateRanges(order, counted, asked) : undecided('release')
  if (inRanges.verdict === 'affected') return inRanges
  if (texts.has(asked.version) || (order && asked.key !== null && hasKey(order, keys, asked.key))) {
    return { verdict: 'affected', matched: { kind: 'version', version: asked.version } }
  }
  if (inRanges.verdict === 'undecided') return inRanges
  if (!order) return undecided('no_order')
  if (asked.key === null && !differsFrom(asked.numbers, texts)) return undecided('version')
  return ranges.length === 0 && texts.size === 0 ? undecided('no_versions') : NOT_AFFECTED
}

/**
 * As `isSameRelease`. An entry of another release needs no parsing. Ubuntu's builds of FIPS are packages of the same release,
 * with other versions.
 */
export function isSameReleaseAs(
  ecosystem: string,
  { ecosystem: asked, version }: Pick<AskedVersion, 'ecosystem' | 'version'>,
): boolean | null {
  const isFips = ecosystem.startsWith('Ubuntu:Pro:FIPS') && /\bfips\b/i.test(version)
  return isSameRelease(isFips ? ecosystem.replace(/:FIPS[\w-]*/, '') : ecosystem, asked)
}

/** Whether the last event up to the version in a range of its release is a fix. */
export function isFixed({ ecosystem, order, ranges }: AffectedVersions, asked: AskedVersion): boolean {
  const { key } = asked
  if (!order || key === null || !isSameReleaseAs(ecosystem, asked)) return false
  return ranges.some(({ events }) => events?.[lastEvent(order, events, { key })]?.kind === 'fixed')
}

/** Whether a bound of a range, or an enumerated version, is among the releases that a floating version can mean. */
function isDivided(
  order: VersionOrder,
  ranges: readonly VersionRange[],
  keys: readonly unknown[],
  { key, end }: AskedVersion,
): boolean {
  const isInside = (one: unknown) => one !== null && order.compare(one, key) > 0 && order.compare(one, end) < 0
  const bounds = ranges.flatMap(({ events, limit }) => [...(events ?? []), ...(limit ? [limit] : [])])
  return keys.some(isInside) || bounds.some(({ bound }) => bound !== null && isInside(bound.key))
}

/** Returns a range with its events in the order of versions; unchanged if it cannot be evaluated or has a limit. */
export function sortEvents<Range extends NonNullable<AffectedStatement['ranges']>[number]>(
  ecosystem: string,
  range: Range,
): Range {
  const { events } = parseRange(comparatorOf(ecosystem), range)
  if (events === null || range.events.some(({ limit }) => limit !== undefined)) return range
  return { ...range, events: events.map(({ kind, version }) => ({ [kind]: version })) }
}

/** Whether the ranges alone do not prove an enumerated version affected. */
export function needsVersion({ order, ranges }: AffectedVersions, version: string): boolean {
  const key = evaluationKey(order, version)
  return !ranges.some(
    (range) => range.isEverything || (order && key !== null && affectingEvent(order, range, { key }) >= 0),
  )
}

function parseRange(
  order: VersionOrder | null,
  { events }: NonNullable<AffectedStatement['ranges']>[number],
  keyOf = evaluationKey,
): VersionRange {
  let isReadable = order !== null && events.some(({ introduced }) => introduced !== undefined)
  const boundOf = (version: string): Bound => {
    if (version === '0') return null
    const key = keyOf(order, version)
    isReadable &&= key !== null
    return { key }
  }
  const parsed: RangeEvent[] = []
  const limits: string[] = []
  for (const event of events) {
    for (const kind of KINDS) {
      const version = event[kind]
      if (version !== undefined) parsed.push({ kind, version, bound: boundOf(version) })
    }
    if (event.limit !== undefined) limits.push(event.limit)
  }
  const bounds = limits.includes('*') ? [] : limits.map((version) => ({ version, bound: boundOf(version) }))
  const later = (a: (typeof bounds)[number], b: (typeof bounds)[number]) =>
    order !== null && isReadable && compareBounds(order, b.bound, a.bound) > 0 ? b : a
  const [first = null, ...others] = bounds
  return {
    // A copy is as long as its items; a list that grew has unused room.
    events: isReadable && order ? parsed.toSorted((a, b) => compareEvents(order, a, b)) : null,
    limit: first && others.reduce(later, first),
    isEverything:
      parsed.length > 0 && first === null && parsed.every(({ kind, bound }) => kind === 'introduced' && bound === null),
  }
}

/** Orders two bounds of an ecosystem. */
export function compareBounds(order: VersionOrder, a: Bound, b: Bound): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return order.compare(a.key, b.key)
}

function compareEvents(order: VersionOrder, a: RangeEvent, b: RangeEvent): number {
  return compareBounds(order, a.bound, b.bound) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)
}

const differsFrom = (numbers: LeadingNumbers | null, texts: ReadonlySet<string>): boolean =>
  numbers !== null && [...texts].every((text) => compareLeading(numbers, text) !== null)

/** A range of everything contains a version that cannot be parsed too. */
function evaluateRanges(
  order: VersionOrder | null,
  ranges: VersionRange[],
  { key, numbers }: Pick<AskedVersion, 'key' | 'numbers'>,
): Verdict {
  let result = NOT_AFFECTED
  for (const range of ranges) {
    if (range.isEverything) {
      return { verdict: 'affected', matched: { kind: 'range', introduced: '0', fixed: null, last_affected: null } }
    }
    if (!order) result = undecided('no_order')
    else if (key === null && numbers === null) result = undecided('version')
    else if (range.events === null) result = undecided('event')
    else {
      const index = key === null ? affectingByNumbers(range, numbers!) : affectingEvent(order, range, { key })
      if (index === null) result = undecided('version')
      else if (index >= 0) return { verdict: 'affected', matched: rangeMatch(range.events, index) }
    }
  }
  return result
}

/** Returns the index of the event by which a version is affected: the last one at or before it. -1 if it is not. */
function affectingEvent(order: VersionOrder, { events, limit }: VersionRange, version: Bound): number {
  if (events === null || (limit && compareBounds(order, version, limit.bound) >= 0)) return -1
  const last = lastEvent(order, events, version)
  const event = events[last]
  if (event?.kind === 'introduced') return last
  const isLastAffected = event?.kind === 'last_affected' && compareBounds(order, event.bound, version) === 0
  return isLastAffected && introductionBefore(events, last) >= 0 ? last : -1
}

/** As `affectingEvent`. Null if the numbers do not differ from those of an event, or if the range has a limit. */
function affectingByNumbers({ events, limit }: VersionRange, numbers: LeadingNumbers): number | null {
  const orders = events!.map(({ bound, version }) => (bound === null ? 1 : compareLeading(numbers, version)))
  const last = orders.findLastIndex((order) => order !== null && order > 0)
  // Versions of other schemes can be in another order than their numbers.
  const isOrdered = orders.every((order, i) => order !== null && order > 0 === i <= last)
  if (!isOrdered || limit !== null) return null
  return events![last]?.kind === 'introduced' ? last : -1
}

/** Returns the index of the last event at or before a version, or -1. */
const lastEvent = (order: VersionOrder, events: RangeEvent[], version: Bound): number =>
  partitionPoint(events.length, (at) => compareBounds(order, events[at]!.bound, version) > 0) - 1

/** Returns the index of the last introduction up to an index, or -1. */
function introductionBefore(events: RangeEvent[], index: number): number {
  let start = index
  while (start >= 0 && events[start]!.kind !== 'introduced') start--
  return start
}

function rangeMatch(events: RangeEvent[], index: number): RangeMatch {
  const end = events.find(({ kind }, i) => i >= index && kind !== 'introduced')
  return {
    kind: 'range',
    introduced: events[introductionBefore(events, index)]!.version,
    fixed: end?.kind === 'fixed' ? end.version : null,
    last_affected: end?.kind === 'last_affected' ? end.version : null,
  }
}

/** Whether ascending keys contain a key. */
function hasKey(order: VersionOrder, keys: readonly unknown[], key: unknown): boolean {
  const last = partitionPoint(keys.length, (at) => order.compare(keys[at], key) > 0) - 1
  return last >= 0 && order.compare(keys[last], key) === 0
}
