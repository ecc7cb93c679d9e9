/** First step of deriving: extracts the list, filter and search data of one shard's CVEs. */
import type { CveCore, CvssSection, Facets, PartName } from '../../model/record.ts'
import { SHORT_HASH_LENGTH } from '../../runtime/digest.ts'
import { MAX_EXTRACT_PLAIN } from '../bounds.ts'
import { plainBytes, plainOfMany, type SegmentBytes } from '../codec/segment-bytes.ts'
import { SnapshotError } from '../error.ts'
import { CVE_PARTS } from '../record/cve-member.ts'
import { type LocatedMember, membersOf } from '../record/shard.ts'
import { type Facts, factCollector } from './facts.ts'
import { CORE_NUMBERS, putCoreSegment } from './index-table.ts'
import { type ShardNames, shardNameCollector } from './name-counts.ts'

/**
 * The CVEs of one shard. Entry `i` of each list is CVE `i` in id order. Number arrays transfer quickly between threads.
 */
export interface ShardExtract extends Facts, ShardNames {
  ids: string[]
  at: Uint32Array
  length: Uint32Array
  /** The core segment fields of the index. */
  coreSegments: Uint32Array
  /** 16-byte source digest of each member. */
  sources: Uint8Array
  /** The plain core segments, concatenated, and their lengths. */
  cores: Uint8Array
  coreLengths: Uint32Array
  reports: number
  /** The indexes of the CVEs that a catalog of exploited vulnerabilities lists, and the JSON of their entries. */
  kevAt: number[]
  kevTexts: string[]
}

const EMPTY_FACETS: Facets = { weaknesses: [], products: [], completeness: 0, tags: [], exposure: '' }

interface PartTexts {
  core: Buffer
  facets: Buffer | null
  kev: Buffer | null
}

/**
 * Extracts a shard.
 * @throws SnapshotError when the shard is damaged or contains anything except CVEs
 */
export function extractShard(shard: Buffer, members: readonly LocatedMember[] = [...membersOf(shard)]): ShardExtract {
  const count = members.length
  const located = {
    ids: members.map(({ key }) => key),
    at: Uint32Array.from(members, ({ at }) => at),
    length: Uint32Array.from(members, ({ length }) => length),
    coreSegments: new Uint32Array(count * CORE_NUMBERS),
    sources: new Uint8Array(count * SHORT_HASH_LENGTH),
    coreLengths: new Uint32Array(count),
  }
  const facts = factCollector(count)
  const names = shardNameCollector()
  const cores: Buffer[] = []
  let reports = 0
  const kevAt: number[] = []
  const kevTexts: string[] = []
  for (const [i, texts] of textsOf(shard, members).entries()) {
    const member = members[i]!
    putCoreSegment(located.coreSegments, i, member.at, member.segments[0]!)
    located.sources.set(member.source, i * SHORT_HASH_LENGTH)
    cores.push(texts.core)
    located.coreLengths[i] = texts.core.length
    reports += segmentOf(member, 'reports')?.count ?? 0
    if (texts.kev) {
      kevAt.push(i)
      kevTexts.push(texts.kev.toString())
    }
    const { core, facets } = parsed(texts)
    facts.read(core, facets, hasCnaCvss(core, shard, member))
    names.read(facets.products)
  }
  return { ...located, ...facts.facts(), ...names.names(), cores: joined(cores), reports, kevAt, kevTexts }
}

/**
 * The CNA precedes every source except the operator's own scores (rule 18), so the source of the headline is sufficient
 * for nearly all CVEs.
 */
function hasCnaCvss({ cvss_score_source: source }: CveCore, shard: Buffer, member: LocatedMember): boolean {
  if (source !== 'svc_metrics') return source === 'cna'
  const segment = segmentOf(member, 'cvss')
  if (!segment) return false
  const bytes = shard.subarray(member.at, member.at + member.length)
  const { metrics } = JSON.parse(CVE_PARTS.cvss.before + plainBytes(bytes, segment).toString()) as CvssSection
  return metrics.some(({ source_type }) => source_type === 'cna')
}

interface ParsedParts {
  core: CveCore
  facets: Facets
}

const parsed = ({ core, facets }: PartTexts): ParsedParts => ({
  core: JSON.parse(core.toString() + CVE_PARTS.core.after) as CveCore,
  facets: facets ? (JSON.parse(facets.toString()) as Facets) : EMPTY_FACETS,
})

/** Copies to a separate buffer, which can be transferred to another thread. */
const joined = (pieces: readonly Buffer[]) => new Uint8Array(Buffer.concat(pieces))

export const buffersOf = ({ cores, names, sources }: ShardExtract): ArrayBuffer[] =>
  [cores, names, sources].map(({ buffer }) => buffer as ArrayBuffer)

/** Returns the parts of all members, inflated together, because one call per segment would cost more. */
function textsOf(shard: Buffer, members: readonly LocatedMember[]): PartTexts[] {
  const wanted: SegmentBytes[] = []
  for (const member of members) {
    if (member.segments[0]?.kind !== CVE_PARTS.core.kind) {
      throw new SnapshotError('malformed', `the member of ${member.key} does not begin with its core`)
    }
    const bytes = shard.subarray(member.at, member.at + member.length)
    for (const segment of readSegments(member)) wanted.push({ bytes, segment })
  }
  const length = wanted.reduce((sum, { segment }) => sum + segment.plainLength, 0)
  if (length > MAX_EXTRACT_PLAIN) {
    throw new SnapshotError(
      'malformed',
      `its cores, facets and KEV entries inflate to ${length} bytes; the limit is ${MAX_EXTRACT_PLAIN}`,
    )
  }
  const plain = [...plainOfMany(wanted)]
  let next = 0
  return members.map((member) => {
    const texts: PartTexts = { core: plain[next]!, facets: null, kev: null }
    for (const { kind } of readSegments(member)) {
      if (kind === CVE_PARTS.facets.kind) texts.facets = plain[next]!
      if (kind === CVE_PARTS.kev.kind) texts.kev = plain[next]!
      next++
    }
    return texts
  })
}

const READ_KINDS = new Set([CVE_PARTS.core.kind, CVE_PARTS.kev.kind, CVE_PARTS.facets.kind])

const readSegments = ({ segments }: LocatedMember) => segments.filter(({ kind }) => READ_KINDS.has(kind))

const segmentOf = (member: LocatedMember, part: PartName) =>
  member.segments.find(({ kind }) => kind === CVE_PARTS[part].kind)
