/** Whose a change of a record is, the CVE record's own or another feed's, and which source states it (rule 26). */
import { isMitigation, isWorkaround } from './capabilities.ts'
import type { CveClaim } from './claim.ts'
import { cut, differences, type FieldChange } from './difference.ts'
import type { MergedParts } from './merge.ts'
import type { TimelineCategory } from './timeline-table.ts'
import { isMapping } from './weakness.ts'

/** What the claims behind a new version tell. */
export interface Origin {
  /** The record if only other feeds had changed; null where what the CVE list said before cannot be compared. */
  enriched: MergedParts | null
  /** All claims that count now, in their order. */
  claims: readonly CveClaim[]
  /** Those of the CVE list as they were; none where they cannot be compared. */
  former: readonly CveClaim[]
}

/** A change and who states it. */
export type StatedChange = FieldChange & { provider: string; isRecords: boolean }

/**
 * Settles whose each change is. `isUpdated` says whether the CVE record itself changed; without it none is its own,
 * and without an origin all are.
 */
export function statedChanges(
  changes: readonly FieldChange[],
  next: MergedParts,
  isUpdated: boolean,
  origin: Origin | null,
): StatedChange[] {
  const isOwn = !isUpdated ? () => false : origin === null ? () => true : ownChanges(next, origin)
  return changes.map((change) => {
    const isRecords = isOwn(change)
    return { ...change, provider: providerOf(change, isRecords, origin), isRecords }
  })
}

/**
 * Which changes are the record's: those of anything that it would not be like had only others changed. What both
 * brought is the record's as well, for its own claim is there now.
 */
function ownChanges(next: MergedParts, { enriched, claims, former }: Origin): (change: FieldChange) => boolean {
  if (enriched === null) return (change) => !isOfOthers(change, claims)
  const made = new Set(differences(enriched, next).map(({ item }) => item))
  const ofRecord = claims.filter(({ source }) => source === 'cna' || source === 'adp')
  const isNewlyStated = ({ path, provider, newValue }: FieldChange) =>
    provider === null && speaker(ofRecord, path, newValue) !== null && speaker(former, path, newValue) === null
  return (change) => change.path === '$.date_updated' || made.has(change.item) || isNewlyStated(change)
}

/** Categories and sources that no CVE record brings. */
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
const OTHER_SOURCES: ReadonlySet<string | null> = new Set(['nvd', 'advisory', 'osv', 'svc', 'svc_metrics'])

/** Without a comparison all is the record's but what carries another's name. */
function isOfOthers({ category, path, provider, newValue }: FieldChange, claims: readonly CveClaim[]): boolean {
  return OTHER_CATEGORIES.has(category) || OTHER_SOURCES.has(provider ?? speaker(claims, path, newValue))
}

/** Who states a change; by its side alone (`record`, `enrichment`) where no claim does. */
function providerOf({ path, provider, oldValue, newValue }: FieldChange, isRecords: boolean, origin: Origin | null) {
  if (provider !== null) return provider
  const stated = origin && speaker(origin.claims, path, newValue)
  const withdrawn = isRecords && origin ? speaker(origin.former, path, oldValue) : null
  return stated ?? withdrawn ?? (isRecords ? 'record' : 'enrichment')
}

/** How a claim states the value of a field that several may state. */
const STATEMENTS: Record<string, (claim: CveClaim, value: string) => boolean> = {
  '$.weaknesses': (claim, id) => isMapping(claim) && claim.weaknesses.includes(id),
  '$.primary_cwe_id': (claim, id) => isMapping(claim) && claim.weaknesses.includes(id),
  '$.title': ({ source, title }, text) => source === 'cna' && title !== null && cut(title) === text,
  '$.description': ({ description }, text) => description !== null && cut(description) === text,
  '$.has_workaround': (claim, value) =>
    value === 'true' && (isWorkaround(claim) || claim.references.some(isMitigation)),
}

/** The first of these claims that states it: an ADP by its name, others by their kind; null where none does. */
function speaker(claims: readonly CveClaim[], path: string, value: string | null): string | null {
  const states = value === null ? undefined : STATEMENTS[path]
  const claim = states && claims.find((one) => states(one, value!))
  return claim ? (claim.source === 'adp' ? claim.sourceName : claim.source) : null
}
