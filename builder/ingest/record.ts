/** One record from the claims about it: the rules of the model, and what its version and timeline make of the result. */
import type { CveListRecord, KevEntry } from '../../corpus/model/claim.ts'
import type { CveId } from '../../corpus/model/cve-id.ts'
import { type MergedParts, type Mission, mergeCve } from '../../corpus/model/merge.ts'
import { PART_NAMES, type PartName, type RecordParts } from '../../corpus/model/record.ts'
import { firstTimeline, nextTimeline } from '../../corpus/model/timeline.ts'
import { type KeptClaim, type PreviousRecord, recordDigest } from '../../corpus/store/merging.ts'

/** Raised with every change in what `mergeCve` makes of the same claims: then all records are merged again. */
export const MERGE_RULES = 2

export interface MergeSettings {
  mission: Mission
  /** Whether the corpus has a KEV feed (decisions 23). */
  kevFeed: boolean
  /** What dates a change that no feed dates: a timestamp. */
  corpusDate: string
}

export interface RecordToMerge {
  claims: KeptClaim[]
  previous: PreviousRecord | null
  /** Whether the CVE list's own claim changed. */
  listed: boolean
  /** What dates a change that other feeds brought: a timestamp. */
  statedAt: string | null
}

export type MergeResult =
  /** The CVE list does not have the id. */
  | { kind: 'none' }
  | { kind: 'rejected'; cveId: CveId; dateRejected: string | null }
  /** Merged again, to the same parts. */
  | { kind: 'same' }
  | { kind: 'put'; cveId: CveId; version: number; digest: Uint8Array; parts: Record<PartName, string> }

type MergedPart = keyof MergedParts

const MERGED_PARTS = PART_NAMES.filter((name): name is MergedPart => name !== 'timeline')

export function mergeRecord(
  { claims, previous, listed, statedAt }: RecordToMerge,
  settings: MergeSettings,
): MergeResult {
  const record = claimOf<CveListRecord>(claims, 'cvelist')
  if (!record) return { kind: 'none' }
  const { cveId } = record
  if (record.state === 'REJECTED') {
    return { kind: 'rejected', cveId, dateRejected: record.dateRejected ?? record.dateUpdated }
  }
  const parts = mergeCve({
    record,
    kev: claimOf<KevEntry>(claims, 'kev'),
    kevFeed: settings.kevFeed,
    claims: [],
    exploits: [],
    catalogue: null,
    mission: settings.mission,
  })
  const texts = Object.fromEntries(MERGED_PARTS.map((name) => [name, JSON.stringify(parts[name])]))
  if (previous && MERGED_PARTS.every((name) => texts[name] === previous[name])) return { kind: 'same' }
  const changedAt = (listed ? record.dateUpdated : statedAt) ?? settings.corpusDate
  const timeline = previous ? nextTimeline(recordParts(previous), parts, changedAt) : firstTimeline(parts, record)
  const stored = { ...texts, timeline: JSON.stringify(timeline) } as Record<PartName, string>
  return { kind: 'put', cveId, version: (previous?.version ?? 0) + 1, digest: recordDigest(stored), parts: stored }
}

function claimOf<Claim>(claims: readonly KeptClaim[], feed: string): Claim | null {
  const claim = claims.find((one) => one.feed === feed)
  return claim ? (JSON.parse(claim.body) as Claim) : null
}

function recordParts(previous: PreviousRecord): RecordParts & { version: number } {
  const parts = Object.fromEntries(PART_NAMES.map((name) => [name, JSON.parse(previous[name])]))
  return { ...(parts as unknown as RecordParts), version: previous.version }
}
