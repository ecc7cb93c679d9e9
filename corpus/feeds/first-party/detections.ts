/** The operator's detection content for CVEs: IDS or SIEM rules, file signatures, scanner checks. */
import type { z } from 'zod'
import { DETECTION_LAYERS, type DetectionClaim } from '../../model/claim.ts'
import { compareCveIds } from '../../model/ids/cve-id.ts'
import { cveId, fields, listOf, oneOf, someFields, text, time, url } from './fields.ts'
import type { LineFormat } from './lines.ts'

const own = {
  cve_id: cveId.optional(),
  cve_ids: listOf(cveId),
  layer: oneOf(...DETECTION_LAYERS),
  source: text,
  name: text.optional(),
  url: url.optional(),
}
const identity = someFields(own)

const schema = fields({
  ...own,
  confidence: oneOf('confirmed', 'high', 'medium', 'low'),
  first_seen: time.optional(),
  last_seen: time.optional(),
})
  .refine(({ cve_id, cve_ids }) => (cve_id === undefined) !== (cve_ids === null), {
    error: 'must have either cve_id or cve_ids',
  })
  .refine((line) => line.name ?? line.url, { error: 'must have name, url or both' })
  .refine(({ first_seen = '', last_seen }) => last_seen === undefined || first_seen <= last_seen, {
    error: 'has a last_seen before its first_seen',
  })

type Identity = z.output<typeof identity>

function cveIdsOf({ cve_id, cve_ids }: Identity) {
  return cve_id ? [cve_id] : [...new Set(cve_ids)].sort(compareCveIds)
}

export const DETECTIONS: LineFormat<typeof schema, typeof identity> = {
  adapter: 1,
  schema,
  identity,
  // A rule may have one line per CVE, so the CVE ids are part of the key.
  keyOf(line) {
    const [name, cveIds] = [line.name ?? line.url, cveIdsOf(line)]
    return name && cveIds.length > 0 ? `${line.layer} ${line.source} ${name} (${cveIds.join(', ')})` : null
  },
  claimOf(line) {
    const claim: DetectionClaim = {
      layer: line.layer,
      source: line.source,
      evidenceType: 'detection_rule',
      confidence: line.confidence,
      url: line.url ?? null,
      name: line.name ?? null,
      firstSeen: line.first_seen ?? null,
      lastSeen: line.last_seen ?? null,
    }
    return { cveIds: cveIdsOf(line), statedAt: line.last_seen ?? line.first_seen ?? null, claim, notes: [] }
  },
}
