/** Evidence about a CVE: exploitation first, then detection, then mitigation (rules 22, 23). */
import type { AnalysisClaim, CveClaim, DetectionClaim, PocClaim } from '../claim.ts'
import type { CveId } from '../ids/cve-id.ts'
import type { EvidenceItem, ExploitModule, Reference } from '../record.ts'
import { claimsTagging } from '../references.ts'
import { startOfDay } from '../values/date.ts'
import { evidenceItem, evidenceSource, type GivenEvidence } from './evidence-item.ts'
import { fixEvidence } from './fixes.ts'
import type { KevListing } from './kev.ts'

/** Higher is more mature (rule 23). */
const MATURITY = { poc_public: 40, weaponized_exploit: 60, kev_listed: 80, ssvc_active: 80 } as const

export interface EvidenceInput {
  cveId: CveId
  /** All claims, in claim order. */
  claims: readonly CveClaim[]
  kev: KevListing | null
  ssvc: CveClaim['ssvc']
  exploits: readonly ExploitModule[]
  references: readonly Reference[]
  detections: readonly DetectionClaim[]
  pocs: readonly PocClaim[]
  analyses: readonly AnalysisClaim[]
}

/**
 * Returns the evidence in this order: KEV, SSVC, exploit modules as given, references tagged `exploit`, repositories
 * with the most stars first, detections as given, fixes (fixes.ts).
 */
export function evidenceOf(input: EvidenceInput): EvidenceItem[] {
  const items: EvidenceItem[] = []
  if (input.kev) items.push(kevEvidence(input.cveId, input.kev))
  if (input.ssvc) addSsvc(input.ssvc, items)
  for (const module of input.exploits) items.push(moduleEvidence(module))
  addExploitReferences(input.claims, items)
  addRepositories(input.pocs, items)
  for (const detection of input.detections) items.push(detectionEvidence(detection))
  return [...items, ...fixEvidence(input.claims, input.analyses, input.references)]
}

function exploitation(given: GivenEvidence & { evidence_type: keyof typeof MATURITY }): EvidenceItem {
  return evidenceItem('exploitation', { ...given, maturity_rank: MATURITY[given.evidence_type] })
}

function kevEvidence(cveId: CveId, { dateAdded, entry }: KevListing): EvidenceItem {
  const ransomware = entry?.ransomware === 'known' ? '; known to be used in ransomware campaigns' : ''
  return exploitation({
    source: 'agency_kev',
    evidence_type: 'kev_listed',
    confidence: 'confirmed',
    evidence_url: `https://www.cisa.gov/known-exploited-vulnerabilities-catalog?field_cve=${cveId}`,
    explanation: entry ? (entry.name ?? cveId) + ransomware : null,
    first_seen: dateAdded === null ? null : startOfDay(dateAdded),
  })
}

function addSsvc(ssvc: NonNullable<CveClaim['ssvc']>, items: EvidenceItem[]): void {
  if (ssvc.exploitation !== 'active' && ssvc.exploitation !== 'poc') return
  const active = ssvc.exploitation === 'active'
  items.push(
    exploitation({
      source: 'agency_adp',
      evidence_type: active ? 'ssvc_active' : 'poc_public',
      confidence: active ? 'confirmed' : 'high',
      explanation: `SSVC exploitation: ${ssvc.exploitation}`,
      first_seen: ssvc.assessedAt,
      last_seen: ssvc.assessedAt,
    }),
  )
}

/** The framework's full names begin with the module type (rule 27). Other types than `exploit` prove only a PoC. */
export function isWeaponized({ source, source_id }: ExploitModule): boolean {
  return source === 'exploit_framework' && source_id.startsWith('exploit/')
}

function moduleEvidence(module: ExploitModule): EvidenceItem {
  const framework = module.source === 'exploit_framework'
  return exploitation({
    source: module.source,
    evidence_type: isWeaponized(module) ? 'weaponized_exploit' : 'poc_public',
    confidence: framework || module.verified ? 'high' : 'medium',
    evidence_url: module.source_url,
    explanation: module.name,
    first_seen: module.date_published === null ? null : startOfDay(module.date_published),
  })
}

function addExploitReferences(claims: readonly CveClaim[], items: EvidenceItem[]): void {
  for (const [url, claim] of claimsTagging(claims, 'exploit')) {
    items.push(
      exploitation({
        source: evidenceSource(claim),
        evidence_type: 'poc_public',
        confidence: 'medium',
        evidence_url: url,
      }),
    )
  }
}

function addRepositories(pocs: readonly PocClaim[], items: EvidenceItem[]): void {
  const repositories = pocs.flatMap((poc) => poc.repositories)
  for (const { url, name, createdAt, pushedAt } of repositories.sort((a, b) => b.stars - a.stars)) {
    items.push(
      exploitation({
        source: 'code_host_poc_search',
        evidence_type: 'poc_public',
        confidence: 'low',
        evidence_url: url,
        explanation: name,
        first_seen: createdAt,
        last_seen: later(createdAt, pushedAt),
      }),
    )
  }
}

/** Returns the later of the two. A repository imported with its history can have a push before its creation. */
function later(createdAt: string | null, pushedAt: string | null): string | null {
  return createdAt !== null && pushedAt !== null && createdAt > pushedAt ? createdAt : pushedAt
}

function detectionEvidence(claim: DetectionClaim): EvidenceItem {
  return evidenceItem('detection', {
    source: claim.source,
    evidence_type: claim.evidenceType,
    confidence: claim.confidence,
    evidence_url: claim.url,
    explanation: claim.name,
    first_seen: claim.firstSeen,
    last_seen: claim.lastSeen,
  })
}
