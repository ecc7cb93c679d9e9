/** The capability flags of a record: patch, workaround, exploit, detection (rule 22). */
import { type CveClaim, DETECTION_LAYERS, type DetectionClaim } from '../claim.ts'
import type { CveCore, EvidenceItem, Reference } from '../record.ts'
import { hasTag } from '../references.ts'

export type Capabilities = Pick<
  CveCore,
  'has_patch' | 'has_workaround' | 'has_exploit' | 'has_detection' | 'detection_layers'
>

export function capabilitiesOf(
  claims: readonly CveClaim[],
  references: readonly Reference[],
  evidence: readonly EvidenceItem[],
  detections: readonly DetectionClaim[],
): Capabilities {
  const layers = new Set(detections.map(({ layer }) => layer))
  return {
    has_patch: evidence.some(isFix) || references.some(isPatch),
    has_workaround: claims.some(isWorkaround) || references.some(isMitigation),
    has_exploit: evidence.some(isExploitation),
    has_detection: detections.length > 0,
    detection_layers: DETECTION_LAYERS.filter((layer) => layers.has(layer)),
  }
}

/** A claim's fixed versions, patched versions and fix commits are all mitigation evidence. */
export const isFix = ({ type }: EvidenceItem) => type === 'mitigation'
export const isExploitation = ({ type }: EvidenceItem) => type === 'exploitation'
export const isPatch = ({ tags }: Reference) => hasTag(tags, 'patch')
export const isMitigation = ({ tags }: Pick<Reference, 'tags'>) => hasTag(tags, 'mitigation')
export const isWorkaround = ({ source, guidance }: CveClaim) =>
  source === 'cna' && (guidance?.workarounds.length ?? 0) > 0
