/** The fields of an evidence item and the names of its sources (gateway/API.md, section 13). */
import type { EvidenceItem, ReferenceSource } from '../record.ts'
import type { TaggingClaim } from '../references.ts'

const EVIDENCE_SOURCE: Record<ReferenceSource, string> = {
  cna: 'cna',
  adp: 'agency_adp',
  nvd: 'nvd',
  advisory: 'advisory',
  osv: 'osv',
}

/** Returns the name of a claim's source in evidence. */
export function evidenceSource({ source, isSupplier }: TaggingClaim): string {
  return isSupplier ? 'supplier_adp' : EVIDENCE_SOURCE[source]
}

export type GivenEvidence = Pick<EvidenceItem, 'source' | 'evidence_type' | 'confidence'> & Partial<EvidenceItem>

/** Returns an item with all fields. Fields that are not given are null. */
export function evidenceItem(type: EvidenceItem['type'], given: GivenEvidence): EvidenceItem {
  return {
    type,
    source: given.source,
    evidence_type: given.evidence_type,
    confidence: given.confidence,
    evidence_url: given.evidence_url ?? null,
    maturity_rank: given.maturity_rank ?? null,
    fixed_version: given.fixed_version ?? null,
    ecosystem: given.ecosystem ?? null,
    product: given.product ?? null,
    explanation: given.explanation ?? null,
    first_seen: given.first_seen ?? null,
    last_seen: given.last_seen ?? null,
  }
}
