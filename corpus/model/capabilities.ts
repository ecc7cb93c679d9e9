/** The flags of a record: patch, workaround, exploit, detection (decisions 22). */
import type { CveClaim } from './claim.ts'
import type { CveCore, EvidenceItem, Reference } from './record.ts'
import { hasTag } from './references.ts'

export type Capabilities = Pick<
  CveCore,
  'has_patch' | 'has_workaround' | 'has_exploit' | 'has_detection' | 'detection_layers'
>

/** The layer that detection evidence of a source works on. */
const LAYER: Record<string, string> = { template_scanner: 'scanner' }

export function capabilitiesOf(
  claims: readonly CveClaim[],
  references: readonly Reference[],
  evidence: readonly EvidenceItem[],
): Capabilities {
  const detections = evidence.filter((item) => item.type === 'detection')
  const layers = new Set<string>()
  for (const { source } of detections) if (LAYER[source]) layers.add(LAYER[source])
  return {
    // Every fixed version, patched version and fix commit of a claim is mitigation evidence.
    has_patch:
      evidence.some((item) => item.type === 'mitigation') || references.some(({ tags }) => hasTag(tags, 'patch')),
    has_workaround:
      claims.some((claim) => claim.source === 'cna' && claim.hasWorkaround) ||
      references.some(({ tags }) => hasTag(tags, 'mitigation')),
    has_exploit: evidence.some((item) => item.type === 'exploitation'),
    has_detection: detections.length > 0,
    detection_layers: [...layers].sort(),
  }
}
