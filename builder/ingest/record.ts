/** Merges the claims on one CVE into a record, by the rules of the model, and computes its version and timeline. */

import { hash } from 'node:crypto'
import type { FeedName } from '../../corpus/feeds/table.ts'
import type { CweEntry } from '../../corpus/model/catalog.ts'
import type {
  AdvisoryClaim,
  AnalysisClaim,
  CveClaim,
  CveListRecord,
  DetectionClaim,
  ExploitClaim,
  KevEntry,
  PocClaim,
  Rejection,
  ReportClaim,
} from '../../corpus/model/claim.ts'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import {
  effectiveClaims,
  type MergedParts,
  type MergeInput,
  type Mission,
  mergeCve,
  type OtherClaims,
  type WeaknessCatalog,
} from '../../corpus/model/merge.ts'
import {
  type CveCore,
  type ExploitModule,
  PART_NAMES,
  type PartName,
  type RecordParts,
  type Severity,
  type TimelineEntry,
} from '../../corpus/model/record.ts'
import { type Review, reviewOf } from '../../corpus/model/review.ts'
import { compareText } from '../../corpus/model/sources.ts'
import type { Attribution } from '../../corpus/model/timeline/attribution.ts'
import { firstTimeline, nextTimeline } from '../../corpus/model/timeline/timeline.ts'
import { jsonText } from '../../corpus/model/values/json-text.ts'
import { largeParts, MAX_MEMBER_PLAIN } from '../../corpus/snapshot/index.ts'
import type { PreviousRecord, RecordToPut } from '../../corpus/store/merging.ts'
import { type PartTexts, packParts, recordDigest } from '../../corpus/store/record-parts.ts'

/** Version of the merge rules. Increase it when they change, so that all records are merged again. */
export const MERGE_RULES = 19

export interface RecordSettings {
  mission: Mission
  /** Whether the corpus has a KEV feed (rule 23). */
  kevFeed: boolean
  /** By `cwe-<n>`; null without a CWE feed. */
  weaknesses: Record<string, string> | null
}

export interface MergeSettings extends RecordSettings {
  /** Timestamp for changes that no feed dates. */
  corpusDate: string
}

/** `body` is JSON. */
export interface ClaimText {
  feed: string
  body: string
}

export interface RecordToMerge {
  claims: ClaimText[]
  previous: PreviousRecord | null
  /** The last version of a record that was removed; then `previous` is null. */
  gone: PreviousRecord | null
  /** The rejection before this ingest. */
  rejected: Rejection | null
  listed: boolean
  /** That claim's previous JSON, if it changed and can be compared. */
  committed: string | null
  /** Dates of other feeds' changes, by feed. */
  statedAt: ReadonlyMap<string, string>
}

export type MergeResult =
  /** The CVE list does not have the id. `wasInKev`: whether KEV listed the previous record. */
  | { kind: 'none'; wasInKev: boolean }
  | { kind: 'rejected'; cveId: CveId; rejection: Rejection; wasInKev: boolean }
  /** The merged record exceeds a limit of the snapshot. */
  | { kind: 'too-large'; why: string }
  | { kind: 'same'; review: Review }
  /** The version is the previous one if no answer shows a change. */
  | (RecordToPut & { kind: 'put'; isNew: boolean; news: RecordChanges; review: Review })

export interface RecordChanges {
  kev: 'added' | 'removed' | null
  /** Null if it is unchanged or the record is new. */
  severity: { from: Severity | null; to: Severity | null } | null
}

type MergedPart = keyof MergedParts

const MERGED_PARTS = PART_NAMES.filter((name): name is MergedPart => name !== 'timeline')

export function mergeRecord(toMerge: RecordToMerge, settings: MergeSettings): MergeResult {
  const { claims, previous, gone, rejected, listed, statedAt } = toMerge
  const [record] = claimsOf<CveListRecord>(claims, 'cvelist')
  if (!record) return { kind: 'none', wasInKev: isInKev(previous) }
  const { cveId } = record
  if (record.state === 'REJECTED') {
    const { reason = null, replacedBy = [] } = record.rejection ?? {}
    const rejection = { date: record.dateRejected ?? record.dateUpdated, reason, replacedBy }
    return { kind: 'rejected', cveId, rejection, wasInKev: isInKev(previous) }
  }
  const input = mergeInputOf(record, claims, settings)
  const parts = mergeCve(input)
  const review = reviewOf(input)
  const texts: Partial<Record<PartName, string>> = {}
  for (const name of MERGED_PARTS) {
    const text = jsonText(parts[name])
    if (text === null) return { kind: 'too-large', why: `its ${name} would be longer than any text can be` }
    texts[name] = text
  }
  const [large] = largeParts(texts, MAX_MEMBER_PLAIN - 3 * MAX_TIMELINE)
  if (large) {
    const { part, bytes, limit } = large
    return { kind: 'too-large', why: `its ${part} would have ${bytes} bytes; the limit is ${limit}` }
  }
  if (previous && MERGED_PARTS.every((name) => texts[name] === previous[name])) return { kind: 'same', review }
  const before = recordParts(previous ?? gone)
  // A restored record's previous claim is a rejection or missing.
  const committed = previous && toMerge.committed !== null ? (JSON.parse(toMerge.committed) as CveListRecord) : null
  // If claims cannot be compared, perhaps only the parser changed: the record's own date and state decide.
  const states = (core: CveCore | undefined) => core?.date_updated === record.dateUpdated && core.state === record.state
  const isUpdated = listed && (committed !== null || !states(before?.core))
  const recordDate = record.dateUpdated ?? settings.corpusDate
  const dates = {
    record: isUpdated ? recordDate : null,
    feeds: statedAt,
    otherwise: settings.corpusDate,
  }
  const attribution: Attribution = {
    // The previous record with the current other inputs; the remaining differences come from the record.
    enriched: committed && mergeCve({ ...input, record: committed }),
    claims: effectiveClaims(input),
    previous: committed?.claims ?? [],
  }
  const timeline = before
    ? nextTimeline(before, parts, dates, attribution)
    : firstTimeline(parts, record, { ...input, rejected })
  const stored = { ...texts, timeline: timelineText(timeline) } as PartTexts
  return {
    kind: 'put',
    cveId,
    isNew: previous === null,
    // Changes that no answer shows (facets, list order) make no new version.
    version: (before?.version ?? 0) + (timeline === before?.timeline ? 0 : 1),
    digest: recordDigest(stored),
    parts: packParts(stored),
    news: changesOf(previous ? before!.core : null, parts.core),
    review,
  }
}

/** In characters; a segment has room for four times as much. */
const MAX_TIMELINE = 16 << 20

/** In too long timelines, the oldest entries keep only their headers (rule 26). */
export function timelineText(timeline: readonly TimelineEntry[]): string {
  const text = jsonText(timeline)
  if (text !== null && text.length <= MAX_TIMELINE) return text
  let length = 0
  const entries = timeline.map((entry) => {
    const whole = JSON.stringify(entry)
    length += whole.length
    return length <= MAX_TIMELINE ? whole : JSON.stringify({ ...entry, messages: entry.messages.slice(0, 1) })
  })
  return `[${entries}]`
}

export function mergeInputOf(
  record: CveListRecord,
  claims: readonly ClaimText[],
  { mission, kevFeed, weaknesses }: RecordSettings,
): MergeInput {
  const kev = claimsOf<KevEntry>(claims, 'kev')[0] ?? null
  return { record, kev, kevFeed, ...otherClaims(claims), catalog: catalogOf(weaknesses), mission }
}

function isInKev(record: PreviousRecord | null): boolean {
  return record !== null && (JSON.parse(record.core) as CveCore).kev.listed
}

function changesOf(before: CveCore | null, { kev, severity }: CveCore): RecordChanges {
  const listed = before?.kev.listed ?? false
  return {
    kev: kev.listed === listed ? null : kev.listed ? 'added' : 'removed',
    severity: before === null || before.severity === severity ? null : { from: before.severity, to: severity },
  }
}

function otherClaims(claims: readonly ClaimText[]): OtherClaims {
  const modules = EXPLOIT_FEEDS.flatMap((feed) => claimsOf<ExploitClaim>(claims, feed))
  return {
    claims: CLAIM_FEEDS.flatMap((feed) => claimsOf<CveClaim>(claims, feed)),
    advisories: claimsOf<AdvisoryClaim>(claims, 'ghsa'),
    exploits: modules.map(({ module }) => module).sort(compareModules),
    detections: DETECTION_FEEDS.flatMap((feed) => claimsOf<DetectionClaim>(claims, feed)),
    pocs: claimsOf<PocClaim>(claims, 'poc'),
    reports: claimsOf<ReportClaim>(claims, 'reports'),
    analyses: claimsOf<AnalysisClaim>(claims, 'analyses'),
    otherKev: KEV_FEEDS.flatMap((feed) => claimsOf<KevEntry>(claims, feed)),
  }
}

const CLAIM_FEEDS = ['nvd', 'osv', 'service-scores'] as const
const EXPLOIT_FEEDS = ['metasploit', 'exploitdb'] as const
const DETECTION_FEEDS = ['nuclei', 'detections'] as const
/** Catalogs of exploited vulnerabilities beside CISA's. */
const KEV_FEEDS = ['vulncheck', 'euvd', 'exploited'] as const

function claimsOf<Claim>(claims: readonly ClaimText[], feed: FeedName): Claim[] {
  return claims.filter((one) => one.feed === feed).map(({ body }) => JSON.parse(body) as Claim)
}

/** Metasploit first, then newest first. */
function compareModules(a: ExploitModule, b: ExploitModule): number {
  return (
    compareText(b.source, a.source) ||
    compareText(b.date_published ?? '', a.date_published ?? '') ||
    compareText(a.source_id, b.source_id)
  )
}

function catalogOf(weaknesses: MergeSettings['weaknesses']): WeaknessCatalog | null {
  return (
    weaknesses && {
      isWeakness: (id) => Object.hasOwn(weaknesses, id),
      weaknessName: (id) => (Object.hasOwn(weaknesses, id) ? weaknesses[id]! : null),
    }
  )
}

type VersionedParts = RecordParts & { version: number }

function recordParts(stored: PreviousRecord | null): VersionedParts | null {
  if (stored === null) return null
  const parts = Object.fromEntries(PART_NAMES.map((name) => [name, JSON.parse(stored[name])]))
  return { ...(parts as unknown as RecordParts), version: stored.version }
}

/** Returns null without a weakness catalog. */
export function weaknessNames(entries: readonly CweEntry[]): RecordSettings['weaknesses'] {
  return entries.length === 0 ? null : Object.fromEntries(entries.map(({ slug, name }) => [slug, name]))
}

export function rulesText({ mission, kevFeed, weaknesses }: RecordSettings): string {
  const names = weaknesses && hash('sha256', JSON.stringify(weaknesses))
  return JSON.stringify({ rules: MERGE_RULES, mission, kevFeed, weaknesses: names })
}

/** Returns null if other rules wrote `text`. */
export function settingsIn(text: string, weaknesses: RecordSettings['weaknesses']): RecordSettings | null {
  const { mission, kevFeed } = JSON.parse(text) as RecordSettings
  const settings = { mission, kevFeed, weaknesses }
  return rulesText(settings) === text ? settings : null
}
