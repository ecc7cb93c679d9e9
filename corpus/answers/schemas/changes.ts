/** The changes since a snapshot. */
import { z } from 'zod'
import { CHANGED_SECTIONS } from '../../snapshot/index.ts'
import { cveId, pageOf, snapshotId } from './values.ts'

const change = z
  .strictObject({
    cve_id: cveId,
    change: z
      .enum(['added', 'changed', 'removed'])
      .describe('`removed`: the record was rejected, or the CVE list no longer has it'),
    sections: z
      .array(z.enum(CHANGED_SECTIONS))
      .describe(
        'Parts that differ. `core` is the summary record. Added record: all parts with content. Removed record: none. A changed record can have none: then only internal data changed, which no part shows',
      ),
  })
  .meta({ id: 'Change', description: 'Change of a CVE between two snapshots' })

export const changes = z
  .strictObject({
    since: snapshotId.describe('Full id of the snapshot that `since` selected'),
    snapshot: snapshotId.describe('Id of the snapshot that is compared with `since`'),
    ...pageOf(change),
  })
  .meta({ id: 'Changes', description: 'Page of the changes between two snapshots' })
