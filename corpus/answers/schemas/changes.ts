/** The changes since a snapshot. */
import { z } from 'zod'
import { CHANGED_SECTIONS, type ChangeFacts } from '../../snapshot/index.ts'
import { cveSummary } from './cve-summary.ts'
import { cveId, pageOf, type ShapeOf, snapshotId } from './values.ts'

const { title, severity, cvss_score, cvss_score_source, kev, ssvc, has_patch, has_workaround, has_exploit } =
  cveSummary.shape

const cveState = z
  .strictObject({
    title,
    severity,
    cvss_score,
    cvss_score_source,
    kev,
    ssvc,
    has_patch,
    has_workaround,
    has_exploit,
  })
  .meta({ id: 'CveState', description: 'Fields of the summary record at the time of a snapshot' })

const facts = {
  before: cveState.nullable().describe('With `include=facts`. Null for an added CVE'),
  after: cveState.nullable().describe('With `include=facts`. Null for a removed CVE'),
  vendors: z
    .array(z.string())
    .describe('With `include=facts`: keys of the vendors in the record after the change, or before its removal'),
  products: z.array(z.string()).describe('With `include=facts`: `<vendor>/<product>`, with `/` in the vendor as `%2F`'),
  packages: z.array(z.string()).describe('With `include=facts`: `<ecosystem>/<name>`'),
  names_complete: z
    .boolean()
    .describe(
      'With `include=facts`. False if the record has more names than these: about 64 KiB, or 1 MiB of `affected`',
    ),
} satisfies ShapeOf<ChangeFacts>

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
    ...z.object(facts).partial().shape,
  })
  .meta({ id: 'Change', description: 'Change of a CVE between two snapshots' })

export const changes = z
  .strictObject({
    since: snapshotId.describe('Full id of the snapshot that `since` selected'),
    snapshot: snapshotId.describe('Id of the snapshot that is compared with `since`'),
    ...pageOf(change),
  })
  .meta({ id: 'Changes', description: 'Page of the changes between two snapshots' })
