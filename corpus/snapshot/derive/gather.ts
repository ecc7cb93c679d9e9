/** First step of deriving: what lists, filters and searches need of each CVE, read from one shard. */
import type { Advisory, CveCore, Facets, PartName } from '../../model/record.ts'
import { CVE_PARTS } from '../cve-member.ts'
import { SHORT_HASH_LENGTH } from '../digest.ts'
import { SnapshotError } from '../error.ts'
import { plainBytes } from '../member.ts'
import { membersOf, type PlacedMember } from '../shard.ts'
import { countNames, type NameCounts, noNames } from './name-counts.ts'

/** The CVEs of one shard, in the order of ids; entry `i` of each list is CVE `i`. */
export interface GatheredShard {
  ids: string[]
  /** Where the member begins, how far its core segment reaches, and how long it is. */
  at: Uint32Array
  coreEnd: Uint32Array
  length: Uint32Array
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
  severity: CveCore['severity'][]
  flags: Uint8Array
  assigners: (string | null)[]
  /** Number of the primary weakness; 0 for none. */
  primaryCwe: Uint32Array
  weaknesses: Uint32Array[]
  /** Of the CNA's statement, 0 to 100 (decisions 25). */
  completeness: Uint8Array
  names: NameCounts
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

const EMPTY_FACETS: Facets = { weaknesses: [], products: [], completeness: 0 }

/** @throws SnapshotError when the shard is damaged or holds something else than CVEs */
export function gatherShard(shard: Buffer): GatheredShard {
  const members = [...membersOf(shard)]
  const count = members.length
  const cores: Buffer[] = []
  const out: GatheredShard = {
    ids: [],
    at: new Uint32Array(count),
    coreEnd: new Uint32Array(count),
    length: new Uint32Array(count),
    sources: new Uint8Array(count * SHORT_HASH_LENGTH),
    cores: new Uint8Array(),
    coreLengths: new Uint32Array(count),
    titles: [],
    published: new Float64Array(count),
    updated: new Float64Array(count),
    score: new Float64Array(count),
    severity: [],
    flags: new Uint8Array(count),
    assigners: [],
    primaryCwe: new Uint32Array(count),
    weaknesses: [],
    completeness: new Uint8Array(count),
    names: noNames(),
    advisories: [],
    reports: 0,
  }
  const advisories = new Set<string>()
  members.forEach((member, i) => {
    const bytes = shard.subarray(member.at, member.at + member.length)
    const { text, end } = coreOf(bytes, member)
    const core = JSON.parse(`${text.toString()}}`) as CveCore
    const facets = facetsOf(bytes, member)
    out.ids.push(member.key)
    out.at[i] = member.at
    out.coreEnd[i] = end
    out.length[i] = member.length
    out.sources.set(member.source, i * SHORT_HASH_LENGTH)
    cores.push(text)
    out.coreLengths[i] = text.length
    out.titles.push(core.title)
    out.published[i] = timeOf(core.date_published)
    out.updated[i] = timeOf(core.date_updated)
    out.score[i] = core.cvss_score ?? Number.NaN
    out.severity.push(core.severity)
    out.flags[i] = flagsOf(core)
    out.assigners.push(core.assigner)
    out.primaryCwe[i] = core.primary_cwe_id ? cweNumber(core.primary_cwe_id) : 0
    out.weaknesses.push(Uint32Array.from(facets.weaknesses, cweNumber))
    out.completeness[i] = facets.completeness
    countNames(out.names, facets.products, core.assigner)
    const advisory = advisoryOf(bytes, member)
    if (advisory !== null) advisories.add(advisory)
    out.reports += segmentOf(member, 'reports')?.count ?? 0
  })
  out.advisories = [...advisories]
  out.cores = new Uint8Array(Buffer.concat(cores))
  return out
}

function coreOf(bytes: Buffer, member: PlacedMember): { text: Buffer; end: number } {
  const segment = member.segments[0]
  if (segment?.kind !== CVE_PARTS.core.kind) throw new SnapshotError('malformed', `${member.key} has no core`)
  return { text: plainBytes(bytes, segment), end: segment.offset + segment.length }
}

const segmentOf = (member: PlacedMember, part: PartName) =>
  member.segments.find(({ kind }) => kind === CVE_PARTS[part].kind)

function facetsOf(bytes: Buffer, member: PlacedMember): Facets {
  const segment = segmentOf(member, 'facets')
  return segment ? (JSON.parse(plainBytes(bytes, segment).toString()) as Facets) : EMPTY_FACETS
}

function advisoryOf(bytes: Buffer, member: PlacedMember): string | null {
  const segment = segmentOf(member, 'advisory')
  if (!segment) return null
  const text = plainBytes(bytes, segment).toString() + CVE_PARTS.advisory.after
  return (JSON.parse(text) as Advisory).advisory_id
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
