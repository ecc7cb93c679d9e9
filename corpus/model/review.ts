/** Finds contradictions for an operator: between scores and their vectors, and between sources. */
import type { CveClaim, CvssClaim } from './claim.ts'
import { isWeaponized } from './evidence/evidence.ts'
import { kevListing } from './evidence/kev.ts'
import { isMapping } from './ids/weakness.ts'
import { effectiveClaims, type MergeInput } from './merge.ts'
import { rankedMetrics, severityOf } from './scores/cvss.ts'
import { baseScore, canonicalVector } from './scores/cvss-vector.ts'
import { latestSsvc } from './scores/ssvc.ts'
import { claimant } from './sources.ts'

/** A score that differs from the score of its own vector. It is served as stated (rule 18). */
export interface ScoreMismatch {
  /** The source of the score: `cna mitre`. */
  by: string
  version: CvssClaim['version']
  vector: string
  stated: number
  /** Base score of the vector by FIRST's specification. */
  computed: number
}

export type DisagreementTopic = 'severity' | 'weakness' | 'kev' | 'exploitation'

/** Sources that contradict each other. All claims are served; the rules decide the record's own value. */
export interface Disagreement {
  about: DisagreementTopic
  /** In order of precedence: the first one decides. */
  claims: Claimed[]
}

export interface Claimed {
  by: string
  states: string
}

export interface Review {
  /** Number of scores compared with their vectors. */
  scores: number
  /** Number of vectors without a score: base metrics are missing or unknown. */
  unreadable: number
  mismatches: ScoreMismatch[]
  disagreements: Disagreement[]
}

export function reviewOf(input: MergeInput): Review {
  const review: Review = { scores: 0, unreadable: 0, mismatches: [], disagreements: [] }
  const { record, claims, advisories } = input
  for (const claim of [...record.claims, ...claims, ...advisories.map((one) => one.claim)]) addScores(claim, review)
  const effective = effectiveClaims(input)
  const found = [
    severities(effective, record.dateUpdated),
    weaknesses(effective),
    listings(effective, input),
    exploitation(effective, input),
  ]
  review.disagreements.push(...found.filter((one) => one !== null))
  return review
}

function addScores(claim: CveClaim, review: Review): void {
  for (const { version, vector, baseScore: stated } of claim.metrics) {
    if (vector === '') continue
    const computed = (baseScore(vector) ?? baseScore(canonicalVector(vector, version)))?.score
    if (computed === undefined) {
      review.unreadable++
      continue
    }
    review.scores++
    if (computed !== stated) review.mismatches.push({ by: claimant(claim), version, vector, stated, computed })
  }
}

/**
 * Compares the severity bands that each source would have as headline. Ignores scores that NVD copies from others, and
 * those of suppliers, which score their own products.
 */
function severities(claims: readonly CveClaim[], recordUpdated: string | null): Disagreement | null {
  const first: Claimed[] = []
  const bands = new Set<string>()
  for (const { metric, version, eligible, isSupplier } of rankedMetrics(claims, recordUpdated)) {
    const by = claimant({ source: metric.source_type, sourceName: metric.source_short_name })
    if (!eligible || isSupplier || first.some((one) => one.by === by)) continue
    const band = severityOf(metric.base_score, version)
    bands.add(band)
    first.push({ by, states: `${version} ${metric.base_score} ${band}` })
  }
  return bands.size > 1 ? { about: 'severity', claims: first } : null
}

/** Finds two sources, except suppliers, that map to weaknesses and have none in common. */
function weaknesses(claims: readonly CveClaim[]): Disagreement | null {
  const mapping = claims.filter((claim) => isMapping(claim) && !claim.isSupplier && claim.weaknesses.length > 0)
  const apart = mapping.some((one) =>
    mapping.some((other) => one !== other && !one.weaknesses.some((id) => other.weaknesses.includes(id))),
  )
  if (!apart) return null
  return {
    about: 'weakness',
    claims: mapping.map((claim) => ({ by: claimant(claim), states: claim.weaknesses.join(' ') })),
  }
}

/** Compares the KEV catalog with the ADP's copy: one does not list the CVE, or the dates differ. */
function listings(claims: readonly CveClaim[], { kev, kevFeed }: MergeInput): Disagreement | null {
  const copy = claims.find(({ source, kevDateAdded }) => source === 'adp' && kevDateAdded !== null)
  if (!kevFeed || !copy || copy.kevDateAdded === kev?.dateAdded) return null
  const states = (date: string | null | undefined) => (date ? `listed ${date}` : 'not listed')
  return {
    about: 'kev',
    claims: [
      { by: 'kev', states: states(kev?.dateAdded) },
      { by: claimant(copy), states: states(copy.kevDateAdded) },
    ],
  }
}

/** Finds an ADP assessment of no exploitation that contradicts a KEV listing or a weaponized module (rule 23). */
function exploitation(claims: readonly CveClaim[], { kev, kevFeed, exploits }: MergeInput): Disagreement | null {
  if (latestSsvc(claims)?.exploitation !== 'none') return null
  const found: Claimed[] = []
  const listing = kevListing(claims, kev, kevFeed)
  if (listing) found.push({ by: 'kev', states: `listed ${listing.dateAdded ?? ''}`.trimEnd() })
  const module = exploits.find(isWeaponized)
  if (module) found.push({ by: 'exploit_framework', states: module.source_id })
  return found.length === 0 ? null : { about: 'exploitation', claims: [...found, { by: 'ssvc', states: 'none' }] }
}
