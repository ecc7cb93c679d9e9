/** What changed since a snapshot. */
import { z } from 'zod'
import { CHANGED_SECTIONS } from '../../plan/changes.ts'
import { cveId, pageOf, snapshotId } from './values.ts'

const change = z
  .strictObject({
    cve_id: cveId,
    change: z
      .enum(['added', 'changed', 'removed'])
      .describe('Whether the record is new, another, or gone (rejected, or no longer listed)'),
    sections: z
      .array(z.enum(CHANGED_SECTIONS))
      .describe('The parts that differ, `core` being the summary record; all it has for a new one, none for one gone'),
  })
  .meta({ id: 'Change', description: 'A CVE that is not what it was' })

export const changes = z
  .strictObject({
    since: snapshotId.describe('The full id of the snapshot that `since` means'),
    snapshot: snapshotId.describe('The snapshot that it is compared with'),
    ...pageOf(change),
  })
  .meta({ id: 'Changes', description: 'A page of what changed between two snapshots' })
