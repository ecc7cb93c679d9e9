/** Explains values that one claim decides, such as title, score, listing and primary weakness. */

import type { AdvisoryClaim, CveClaim } from '../claim.ts'
import { rankedAdvisories } from '../evidence/advisory.ts'
import { weaknessCandidates } from '../ids/weakness.ts'
import type { MergeInput } from '../merge.ts'
import { type RankedMetric, rankedMetrics } from '../scores/cvss.ts'
import { latestSsvc } from '../scores/ssvc.ts'
import { claimant } from '../sources.ts'
import { titleCandidates } from '../title.ts'
import { type Considered, choice, decides, passed } from './explanation.ts'

export function titleChoice(
  claims: readonly CveClaim[],
  description: string | null,
  weaknessName: string | null,
): Considered[] {
  const cna = claims.find(({ source }) => source === 'cna')
  return choice(
    titleCandidates(cna, description, weaknessName),
    ({ from }) => (cna ? `${claimant(cna)}, ${from}` : from),
    ({ title }) => title ?? '',
    ({ title }) => (title === null ? 'has no title' : null),
  )
}

export function descriptionChoice(claims: readonly CveClaim[]): Considered[] {
  return choice(
    claims,
    claimant,
    ({ description }) => description ?? '',
    ({ description }) => (description === null ? 'has none' : null),
  ).filter(({ why }) => why !== 'has none')
}

export function scoreChoice(claims: readonly CveClaim[], recordUpdated: string | null): Considered[] {
  return choice(
    rankedMetrics(claims, recordUpdated),
    ({ metric }) => claimant({ source: metric.source_type, sourceName: metric.source_short_name }),
    metricText,
    (ranked, decider) =>
      (ranked.eligible ? decider && behind(ranked, decider) : 'NVD copied it from another source') ?? null,
  )
}

/** Returns why a metric ranks after the one that backs the headline. */
function behind({ metric, version, isSupplier }: RankedMetric, decider: RankedMetric): string {
  const { source_type, captured_at, base_score } = decider.metric
  if (isSupplier && !decider.isSupplier) return 'a supplier scores its own product'
  if (metric.source_type !== source_type) return `${source_type} ranks above ${metric.source_type}`
  if (version !== decider.version) return `CVSS ${decider.version} ranks above ${version}`
  if (metric.captured_at !== captured_at) return 'older'
  return metric.base_score === base_score ? 'ranks lower' : 'scores lower'
}

/** Returns the metric on one line. */
function metricText({ metric, version }: RankedMetric): string {
  return `CVSS ${version} ${metric.base_score} ${metric.base_severity} ${metric.vector_string} of ${metric.captured_at}`
}

export function kevChoice(claims: readonly CveClaim[], { kev, kevFeed }: MergeInput): Considered[] {
  const feed = kev ? `listed on ${kev.dateAdded}` : 'not listed'
  const copies = claims.filter(({ source, kevDateAdded }) => source === 'adp' && kevDateAdded !== null)
  return [
    ...(kevFeed ? [decides('kev', feed)] : []),
    ...choice(
      copies,
      claimant,
      ({ kevDateAdded }) => `listed on ${kevDateAdded}`,
      () => (kevFeed ? 'a copy; the KEV catalog decides' : null),
    ),
  ]
}

export function ssvcChoice(claims: readonly CveClaim[]): Considered[] {
  const latest = latestSsvc(claims)
  return claims.flatMap((claim) => {
    const { source, ssvc } = claim
    if (source !== 'adp' || ssvc === null) return []
    const { exploitation, automatable, technical_impact, assessedAt } = ssvc
    const points = [exploitation, automatable, technical_impact].map((point) => point ?? 'missing').join(', ')
    const states = `${points}${assessedAt === null ? '' : ` of ${assessedAt}`}`
    if (ssvc === latest) return decides(claimant(claim), states)
    return passed(claimant(claim), states, claim.isSupplier ? 'a supplier assesses its own product' : 'not the newest')
  })
}

export function weaknessChoice(claims: readonly CveClaim[], { catalog }: MergeInput): Considered[] {
  const candidates = [...weaknessCandidates(claims)]
  const anyKnown = candidates.some(({ id }) => catalog?.isWeakness(id))
  const suppliers = claims.filter((claim) => claim.isSupplier && !candidates.some((one) => one.claim === claim))
  return [
    ...choice(
      candidates,
      ({ claim }) => claimant(claim),
      ({ id }) => id,
      ({ id }) => (anyKnown && !catalog?.isWeakness(id) ? 'not a weakness in the catalog' : null),
    ),
    ...suppliers.flatMap((claim) =>
      claim.weaknesses.map((id) => passed(claimant(claim), id, 'a supplier maps its own product')),
    ),
  ]
}

export function advisoryChoice(claims: readonly AdvisoryClaim[]): Considered[] {
  return choice(
    rankedAdvisories(claims),
    ({ claim }) => claimant(claim),
    advisoryText,
    () => null,
  )
}

function advisoryText({ advisory, reviewed }: AdvisoryClaim): string {
  const effective = advisory.withdrawn_at === null ? '' : `, withdrawn ${advisory.withdrawn_at}`
  return `${reviewed ? 'reviewed' : 'not reviewed'}, published ${advisory.published_at}${effective}`
}
