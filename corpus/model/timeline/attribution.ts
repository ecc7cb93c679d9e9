/** Determines whether a change comes from the CVE record or from another feed, and its source (rule 26). */

import type { CveClaim } from '../claim.ts'
import { isMitigation, isWorkaround } from '../evidence/capabilities.ts'
import { isMapping } from '../ids/weakness.ts'
import type { MergedParts } from '../merge.ts'
import { cut, differences, type FieldChange } from './difference.ts'
import type { TimelineCategory } from './timeline-table.ts'

/** The claims behind a new version. */
export interface Attribution {
  /** The record if only other feeds had changed. Null if the previous claims of the CVE list are unavailable. */
  enriched: MergedParts | null
  /** All claims that count now, in order. */
  claims: readonly CveClaim[]
  /** The previous claims of the CVE list. Empty if unavailable. */
  previous: readonly CveClaim[]
}

export type AttributedChange = FieldChange & { provider: string; isRecords: boolean }

/** Adds the source to each change. No change is the record's without `isUpdated`. With it and no `origin`, all are. */
export function attributedChanges(
  changes: readonly FieldChange[],
  next: MergedParts,
  isUpdated: boolean,
  attribution: Attribution | null,
): AttributedChange[] {
  const isOwn = !isUpdated ? () => false : attribution === null ? () => true : ownChanges(next, attribution)
  return changes.map((change) => {
    const isRecords = isOwn(change)
    return { ...change, provider: providerOf(change, isRecords, attribution), isRecords }
  })
}

/**
 * Returns a function that selects the record's changes: differences that would not exist if only other feeds had
 * changed. A change that both sides made is also the record's, because its claim now states it.
 */
function ownChanges(next: MergedParts, { enriched, claims, previous }: Attribution): (change: FieldChange) => boolean {
  if (enriched === null) return (change) => !isOfOthers(change, claims)
  const made = new Set(differences(enriched, next).map(({ item }) => item))
  const ofRecord = claims.filter(({ source }) => source === 'cna' || source === 'adp')
  const isNewlyStated = ({ path, provider, newValue }: FieldChange) =>
    provider === null &&
    statingSource(ofRecord, path, newValue) !== null &&
    statingSource(previous, path, newValue) === null
  return (change) => change.path === '$.date_updated' || made.has(change.item) || isNewlyStated(change)
}

/** Categories and sources that never come from a CVE record. */
const OTHER_CATEGORIES: ReadonlySet<TimelineCategory> = new Set([
  'kev',
  'exploits',
  'evidence',
  'nvd',
  'advisory',
  'svc_report',
  'svc_metrics_analysis',
  'svc_analysis',
])
const OTHER_SOURCES: ReadonlySet<string | null> = new Set(['nvd', 'advisory', 'osv', 'svc'])

/** Without a comparison, every change is the record's unless it names another source. */
function isOfOthers({ category, path, provider, newValue }: FieldChange, claims: readonly CveClaim[]): boolean {
  return OTHER_CATEGORIES.has(category) || OTHER_SOURCES.has(provider ?? statingSource(claims, path, newValue))
}

/** Returns the source of a change. If no claim states it, it is the CNA for the record, else `enrichment`. */
function providerOf(
  { path, provider, oldValue, newValue }: FieldChange,
  isRecords: boolean,
  attribution: Attribution | null,
) {
  if (provider !== null) return provider
  const stated = attribution && statingSource(attribution.claims, path, newValue)
  const withdrawn = isRecords && attribution ? statingSource(attribution.previous, path, oldValue) : null
  return stated ?? withdrawn ?? (isRecords ? 'cna' : 'enrichment')
}

/** Tests whether a claim states the value of a field with several possible sources. */
const STATEMENTS: Record<string, (claim: CveClaim, value: string) => boolean> = {
  '$.weaknesses': (claim, id) => isMapping(claim) && claim.weaknesses.includes(id),
  '$.primary_cwe_id': (claim, id) => isMapping(claim) && claim.weaknesses.includes(id),
  '$.title': ({ source, title }, text) => source === 'cna' && title !== null && cut(title) === text,
  '$.description': ({ description }, text) => description !== null && cut(description) === text,
  '$.has_workaround': (claim, value) =>
    value === 'true' && (isWorkaround(claim) || claim.references.some(isMitigation)),
}

/** Returns the source of the first claim that states the value, or null. */
function statingSource(claims: readonly CveClaim[], path: string, value: string | null): string | null {
  const states = value === null ? undefined : STATEMENTS[path]
  return (states && claims.find((one) => states(one, value!))?.source) ?? null
}
