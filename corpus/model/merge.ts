/** Merges the claims of all sources about one CVE into the parts of its record (rules 18 to 24, 29, 30). */

import { namedProducts } from './affected/products.ts'
import type {
  AdvisoryClaim,
  AnalysisClaim,
  CveClaim,
  CveListRecord,
  DetectionClaim,
  KevEntry,
  PocClaim,
  ReportClaim,
} from './claim.ts'
import { linkedAdvisory } from './evidence/advisory.ts'
import { capabilitiesOf } from './evidence/capabilities.ts'
import { evidenceOf } from './evidence/evidence.ts'
import { kevCatalogs, kevListing } from './evidence/kev.ts'
import { latestReports } from './evidence/reports.ts'
import { guidanceOf } from './guidance.ts'
import { allWeaknesses, primaryWeakness, type WeaknessCatalog } from './ids/weakness.ts'
import { type CveCore, type ExploitModule, RECORD_TAGS, type RecordParts } from './record.ts'
import { mergedReferences } from './references.ts'
import { completenessOf } from './scores/completeness.ts'
import { cvssSection } from './scores/cvss.ts'
import { exposureOf } from './scores/exposure.ts'
import { latestSsvc, type Mission, ssvcOf } from './scores/ssvc.ts'
import { compareText, orderedClaims } from './sources.ts'
import { titleOf } from './title.ts'

export type { WeaknessCatalog } from './ids/weakness.ts'
export type { Mission } from './scores/ssvc.ts'

/** Claims about a CVE from all feeds except the CVE list. */
export interface OtherClaims {
  /** Claims of NVD and OSV and the service's scores, in any order. */
  claims: CveClaim[]
  advisories: AdvisoryClaim[]
  /** In the order of the answer. */
  exploits: ExploitModule[]
  detections: DetectionClaim[]
  pocs: PocClaim[]
  reports: ReportClaim[]
  analyses: AnalysisClaim[]
  /** Entries of other catalogs than CISA's, in any order, at most one of each. */
  otherKev: KevEntry[]
}

export const NO_OTHER_CLAIMS: OtherClaims = {
  claims: [],
  advisories: [],
  exploits: [],
  detections: [],
  pocs: [],
  reports: [],
  analyses: [],
  otherKev: [],
}

export interface MergeInput extends OtherClaims {
  /** Published or reserved. A rejected record has no parts (rule 10). */
  record: CveListRecord
  /** The entry of CISA's catalog. */
  kev: KevEntry | null
  /** Whether a KEV feed is present. Without one, the ADP's copy counts (rule 23). */
  kevFeed: boolean
  /** Null without a CWE feed. Then no id is preferred and no name is known. */
  catalog: WeaknessCatalog | null
  mission: Mission
}

export type MergedParts = Omit<RecordParts, 'timeline'>

/**
 * Returns the parts of a record. Keys follow the order of their interfaces, so `JSON.stringify` is canonical. Lists
 * follow the order of claims (sources.ts): the record's containers, then NVD, advisories, OSV, first party.
 * @throws TypeError for a rejected record.
 */
export function mergeCve(input: MergeInput): MergedParts {
  const { record, exploits, detections, pocs, catalog } = input
  const claims = effectiveClaims(input)
  const cvss = cvssSection(claims, record.dateUpdated)
  const references = mergedReferences(claims)
  const kev = kevListing(claims, input.kev, input.kevFeed)
  const ssvc = latestSsvc(claims)
  const analyses = input.analyses.toSorted(newestAnalysisFirst)
  const { cveId } = record
  const evidence = evidenceOf({ cveId, claims, kev, ssvc, exploits, references, detections, pocs, analyses })
  const capabilities = capabilitiesOf(claims, references, evidence, detections)
  const primaryCwe = primaryWeakness(claims, catalog)
  const cna = claims.find((claim) => claim.source === 'cna')
  // Claims are ordered: the record's own description precedes those of other feeds.
  const description = claims.find((claim) => claim.description !== null)?.description ?? null
  const core: CveCore = {
    cve_id: record.cveId,
    state: servedState(record),
    title: titleOf(cna, description, primaryCwe === null ? null : (catalog?.weaknessName(primaryCwe) ?? null)),
    description,
    severity: cvss.headline.severity,
    cvss_score: cvss.headline.cvss_score,
    cvss_score_source: cvss.headline.cvss_score_source,
    date_published: record.datePublished,
    date_updated: record.dateUpdated,
    assigner: record.assigner,
    kev: { listed: kev !== null, date_added: kev?.dateAdded ?? null },
    ssvc: ssvcOf(ssvc, input.mission),
    has_patch: capabilities.has_patch,
    has_workaround: capabilities.has_workaround,
    has_exploit: capabilities.has_exploit,
    has_detection: capabilities.has_detection,
    detection_layers: capabilities.detection_layers,
    primary_cwe_id: primaryCwe,
  }
  return {
    core,
    cvss: cvss.section,
    affected: [...claims.flatMap((claim) => claim.affected), ...analyses.flatMap(({ affected }) => affected)],
    references,
    exploits,
    evidence,
    analysis: analyses[0]?.analysis ?? null,
    guidance: guidanceOf(claims),
    kev: kevCatalogs(kev, input.otherKev),
    advisory: linkedAdvisory(record.cveId, input.advisories, catalog),
    ...latestReports(input.reports),
    facets: {
      weaknesses: allWeaknesses(claims),
      products: namedProducts(claims),
      completeness: cna ? completenessOf(cna) : 0,
      tags: RECORD_TAGS.filter((tag) => cna?.guidance?.tags.includes(tag)),
      exposure: exposureOf(cvss.section.metrics.find(({ is_primary }) => is_primary)?.vector_string ?? ''),
    },
  }
}

/**
 * Returns the claims that count, in order. Withdrawn advisories do not count. OSV's copy of an advisory does not count
 * either (rule 29), because it would duplicate every statement.
 */
export function effectiveClaims({ record, claims, advisories }: MergeInput): CveClaim[] {
  const isCopy = copiesOf(advisories)
  return orderedClaims(record.claims, [
    ...claims.filter((claim) => !isCopy(claim)),
    ...advisories.filter(isStanding).map(({ claim }) => claim),
  ])
}

/** Returns the claims that do not count, with the reason. */
export function discardedClaims({ claims, advisories }: MergeInput): { claim: CveClaim; why: string }[] {
  return [
    ...claims.filter(copiesOf(advisories)).map((claim) => ({ claim, why: 'a copy of the advisory' })),
    ...advisories.filter((one) => !isStanding(one)).map(({ claim }) => ({ claim, why: 'withdrawn' })),
  ]
}

const isStanding = ({ advisory }: AdvisoryClaim) => advisory.withdrawn_at === null

function copiesOf(advisories: readonly AdvisoryClaim[]): (claim: CveClaim) => boolean {
  const ids = new Set(advisories.map(({ advisory }) => advisory.advisory_id))
  return ({ source, sourceName }) => source === 'osv' && ids.has(sourceName)
}

/** Sorts the newest first. The first one is served. */
export const newestAnalysisFirst = (a: AnalysisClaim, b: AnalysisClaim) =>
  compareText(b.analysis.generated_at ?? '', a.analysis.generated_at ?? '')

function servedState({ state, cveId }: CveListRecord): CveCore['state'] {
  if (state === 'REJECTED') throw new TypeError(`${cveId} is rejected: there is nothing to merge`)
  return state
}
