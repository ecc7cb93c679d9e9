/** The changes since a snapshot. */
import { z } from 'zod'
import { CHANGED_SECTIONS } from '../../plan/changes.ts'
import { cveId, pageOf, snapshotId } from './values.ts'

const change = z
  .strictObject({
    cve_id: cveId,
    change: z
      .enum(['added', 'changed', 'removed'])
      .describe('`added`, `changed` or `removed`. A removed record was rejected, or its feed no longer lists it'),
    sections: z
      .array(z.enum(CHANGED_SECTIONS))
      .describe(
        'Parts that differ; `core` is the summary record. Every part of an added record, no part of a removed one',
      ),
  })
  .meta({ id: 'Change', description: 'Change of a CVE between two snapshots' })

export const changes = z
  .strictObject({
    since: snapshotId.describe('Full id of the snapshot that `since` selected'),
    snapshot: snapshotId.describe('Id of the newer snapshot'),
    ...pageOf(change),
  })
  .meta({ id: 'Changes', description: 'Page of the changes between two snapshots' })
