/** First step of deriving: what lists, filters and searches need of each CVE, read from one shard. */
import type { Advisory, CveCore, Facets, PartName } from '../../model/record.ts'
import { CVE_PARTS } from '../cve-member.ts'
import { SHORT_HASH_LENGTH } from '../digest.ts'
import { SnapshotError } from '../error.ts'
import { plainOfMany, type SegmentBytes } from '../member.ts'
import { membersOf, type PlacedMember } from '../shard.ts'
import { CORE_NUMBERS, putCoreSegment } from './index-table.ts'
import { countNames, encodeNames, noNames } from './name-counts.ts'

/** The CVEs of one shard, in the order of ids; entry `i` of each list is CVE `i`. Arrays of numbers travel well. */
export interface GatheredShard {
  ids: string[]
  /** Where the member begins, and how long it is. */
  at: Uint32Array
  length: Uint32Array
  /** What the index says of the core segments. */
  coreSegments: Uint32Array
  /** 16 bytes each: what the member was made from. */
  sources: Uint8Array
  /** The plain text of the core segments, one behind the other, and their lengths. */
  cores: Uint8Array
  coreLengths: Uint32Array
  titles: (string | null)[]
  /** Milliseconds since the epoch; NaN for null. */
  published: Float64Array
  updated: Float64Array
  /** NaN for null. */
  score: Float64Array
  /** Places in `SEVERITIES`; `NO_SEVERITY` for null. */
  severity: Uint8Array
  flags: Uint8Array
  /** Each once, and the place of each CVE's in there; `NO_ASSIGNER` for null. */
  assigners: string[]
  assigner: Uint16Array
  /** Number of the primary weakness; 0 for none. */
  primaryCwe: Uint32Array
  /** Numbers of all weaknesses, CVE by CVE, and how many of them each has. */
  weaknesses: Uint32Array
  weaknessCounts: Uint32Array
  /** Of the CNA's statement, 0 to 100 (decisions 25). */
  completeness: Uint8Array
  /** By `encodeNames`. */
  names: Uint8Array
  /** Ids of the linked advisories, each once. */
  advisories: string[]
  /** How many reports the records have. */
  reports: number
}

/** The bits of `flags`. */
export const FLAGS = {
  kev: 1,
  has_exploit: 2,
  has_patch: 4,
  has_detection: 8,
  has_workaround: 16,
  reserved: 32,
} as const

/** The severity bands, in the order of their codes. */
export const SEVERITIES = ['none', 'low', 'medium', 'high', 'critical'] as const
export const NO_SEVERITY = 255
export const NO_ASSIGNER = 0xffff

const EMPTY_FACETS: Facets = { weaknesses: [], products: [], completeness: 0 }

/** What is read of a member: the texts of these parts, null where it has nothing there. */
interface PartTexts {
  core: Buffer
  facets: Buffer | null
  advisory: Buffer | null
}

/** @throws SnapshotError when the shard is damaged or holds something else than CVEs */
export function gatherShard(shard: Buffer, members: readonly PlacedMember[] = [...membersOf(shard)]): GatheredShard {
  const count = members.length
  const out: GatheredShard = {
    ids: members.map(({ key }) => key),
    at: Uint32Array.from(members, ({ at }) => at),
    length: Uint32Array.from(members, ({ length }) => length),
    coreSegments: new Uint32Array(count * CORE_NUMBERS),
    sources: new Uint8Array(count * SHORT_HASH_LENGTH),
    cores: new Uint8Array(),
    coreLengths: new Uint32Array(count),
    titles: [],
    published: new Float64Array(count),
    updated: new Float64Array(count),
    score: new Float64Array(count),
    severity: new Uint8Array(count),
    flags: new Uint8Array(count),
    assigners: [],
    assigner: new Uint16Array(count),
    primaryCwe: new Uint32Array(count),
    weaknesses: new Uint32Array(),
    weaknessCounts: new Uint32Array(count),
    completeness: new Uint8Array(count),
    names: new Uint8Array(),
    advisories: [],
    reports: 0,
  }
  const cores: Buffer[] = []
  const names = noNames()
  const weaknesses: number[] = []
  const advisories = new Set<string>()
  const assigners = new Map<string, number>()
  for (const [i, texts] of textsOf(shard, members).entries()) {
    const member = members[i]!
    const core = JSON.parse(`${texts.core.toString()}}`) as CveCore
    const facets = texts.facets ? (JSON.parse(texts.facets.toString()) as Facets) : EMPTY_FACETS
    putCoreSegment(out.coreSegments, i, member.at, member.segments[0]!)
    out.sources.set(member.source, i * SHORT_HASH_LENGTH)
    cores.push(texts.core)
    out.coreLengths[i] = texts.core.length
    out.titles.push(core.title)
    out.published[i] = timeOf(core.date_published)
    out.updated[i] = timeOf(core.date_updated)
    out.score[i] = core.cvss_score ?? Number.NaN
    out.severity[i] = core.severity ? SEVERITIES.indexOf(core.severity) : NO_SEVERITY
    out.flags[i] = flagsOf(core)
    out.assigner[i] = core.assigner === null ? NO_ASSIGNER : placeIn(assigners, core.assigner)
    out.primaryCwe[i] = core.primary_cwe_id ? cweNumber(core.primary_cwe_id) : 0
    for (const id of facets.weaknesses) weaknesses.push(cweNumber(id))
    out.weaknessCounts[i] = facets.weaknesses.length
    out.completeness[i] = facets.completeness
    countNames(names, facets.products, core.assigner)
    if (texts.advisory) advisories.add(advisoryId(texts.advisory))
    out.reports += segmentOf(member, 'reports')?.count ?? 0
  }
  out.assigners = [...assigners.keys()]
  out.weaknesses = Uint32Array.from(weaknesses)
  out.names = encodeNames(names)
  out.advisories = [...advisories]
  // Memory of its own, which can be moved to another thread.
  out.cores = new Uint8Array(out.coreLengths.reduce((sum, length) => sum + length, 0))
  let end = 0
  for (const core of cores) {
    out.cores.set(core, end)
    end += core.length
  }
  return out
}

/** The buffers of a gathered shard that are moved to another thread instead of copied. */
export const buffersOf = ({ cores, names, sources }: GatheredShard): ArrayBuffer[] =>
  [cores, names, sources].map(({ buffer }) => buffer as ArrayBuffer)

/** The parts of all members, inflated together: a call for each would cost more than what it inflates. */
function textsOf(shard: Buffer, members: readonly PlacedMember[]): PartTexts[] {
  const wanted: SegmentBytes[] = []
  for (const member of members) {
    if (member.segments[0]?.kind !== CVE_PARTS.core.kind) {
      throw new SnapshotError('malformed', `${member.key} has no core`)
    }
    const bytes = shard.subarray(member.at, member.at + member.length)
    for (const segment of member.segments) if (READ_KINDS.has(segment.kind)) wanted.push({ bytes, segment })
  }
  const plain = plainOfMany(wanted)
  let next = 0
  return members.map(({ segments }) => {
    const texts: PartTexts = { core: plain[next]!, facets: null, advisory: null }
    for (const { kind } of segments) {
      if (kind === CVE_PARTS.facets.kind) texts.facets = plain[next]!
      if (kind === CVE_PARTS.advisory.kind) texts.advisory = plain[next]!
      if (READ_KINDS.has(kind)) next++
    }
    return texts
  })
}

const READ_KINDS = new Set([CVE_PARTS.core.kind, CVE_PARTS.facets.kind, CVE_PARTS.advisory.kind])

const segmentOf = (member: PlacedMember, part: PartName) =>
  member.segments.find(({ kind }) => kind === CVE_PARTS[part].kind)

const advisoryId = (text: Buffer): string =>
  (JSON.parse(text.toString() + CVE_PARTS.advisory.after) as Advisory).advisory_id

/** The place of a text among those that were met, each once. */
export function placeIn(places: Map<string, number>, text: string): number {
  let place = places.get(text)
  if (place === undefined) {
    place = places.size
    places.set(text, place)
  }
  return place
}

function flagsOf(core: CveCore): number {
  let flags = 0
  if (core.kev.listed) flags |= FLAGS.kev
  if (core.has_exploit) flags |= FLAGS.has_exploit
  if (core.has_patch) flags |= FLAGS.has_patch
  if (core.has_detection) flags |= FLAGS.has_detection
  if (core.has_workaround) flags |= FLAGS.has_workaround
  if (core.state === 'RESERVED') flags |= FLAGS.reserved
  return flags
}

const timeOf = (text: string | null): number => (text === null ? Number.NaN : Date.parse(text))

/** 79 for `cwe-79`. */
const cweNumber = (id: string): number => Number(id.slice('cwe-'.length))
