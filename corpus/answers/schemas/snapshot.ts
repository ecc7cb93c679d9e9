/** The current snapshot, and earlier ones. */
import { z } from 'zod'
import type { About } from '../../snapshot/index.ts'
import { count, day, pageOf, type ShapeOf, snapshotId, text, timestamp } from './values.ts'

const counts = z
  .strictObject({
    cves: count.describe('Number of CVE records'),
    cwes: count.describe('Number of weaknesses'),
    capecs: count.describe('Number of attack patterns'),
    cnas: count.describe('Number of CNAs'),
    vendors: count.describe('Number of vendors'),
    products: count.describe('Number of products'),
    exploits: count.describe('Number of exploit modules'),
    advisories: count.describe('Number of advisories in the OSV schema, including withdrawn ones'),
    packages: count.describe('Number of packages that advisories name'),
    reports: count.describe('Number of reports'),
  })
  .meta({ id: 'SnapshotCounts', description: 'Number of records of each type' })

const feed = z
  .strictObject({
    version: text.describe('Version that the publisher states. Null if there is none'),
    updated_at: timestamp
      .nullable()
      .describe(
        'Time of the edition. If the publisher states only a date, 00:00 UTC of it. Without a date, the time of the newest record. Null if unknown',
      ),
    records: count.describe('Number of records in the feed'),
    licence: z.string().describe('Licence of the data'),
    attribution: z.string().describe('Required attribution'),
  } satisfies ShapeOf<About['feeds'][string]>)
  .meta({ id: 'Feed', description: 'Upstream feed' })

export const snapshot = z
  .strictObject({
    id: snapshotId.describe('Snapshot id: a digest of its contents'),
    created_at: timestamp.describe('Time of the build'),
    parent: snapshotId.nullable().describe('Id of the previous snapshot. Null if there is none'),
    counts,
    feeds: z.record(z.string(), feed).describe('Feeds of the snapshot, by name'),
    epss_date: day.nullable().describe('Date of the EPSS scores. Null without scores'),
  })
  .meta({ id: 'Snapshot', description: 'Immutable build of the corpus' })

const keptSnapshot = z
  .strictObject({
    id: snapshotId.describe('Snapshot id. `/changes?since=` accepts it'),
    created_at: timestamp.describe('Time of the build'),
    parent: snapshotId.nullable().describe('Id of the previous snapshot. Null if there is none'),
    cves: count.describe('Number of CVE records'),
    retained: z
      .boolean()
      .describe(
        'Whether cursors that the snapshot issued continue in it. If not, they continue in the current snapshot',
      ),
  })
  .meta({ id: 'KeptSnapshot', description: 'Snapshot that `/changes` can compare with' })

export const snapshots = z
  .strictObject(pageOf(keptSnapshot))
  .meta({ id: 'KeptSnapshots', description: 'Page of the available snapshots' })
