/** The flags of a record: patch, workaround, exploit, detection (decisions 22). */
import { type CveClaim, DETECTION_LAYERS, type DetectionClaim } from './claim.ts'
import type { CveCore, EvidenceItem, Reference } from './record.ts'
import { hasTag } from './references.ts'

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
    // Every fixed version, patched version and fix commit of a claim is mitigation evidence.
    has_patch:
      evidence.some((item) => item.type === 'mitigation') || references.some(({ tags }) => hasTag(tags, 'patch')),
    has_workaround:
      claims.some((claim) => claim.source === 'cna' && claim.hasWorkaround) ||
      references.some(({ tags }) => hasTag(tags, 'mitigation')),
    has_exploit: evidence.some((item) => item.type === 'exploitation'),
    has_detection: detections.length > 0,
    detection_layers: DETECTION_LAYERS.filter((layer) => layers.has(layer)),
  }
}
