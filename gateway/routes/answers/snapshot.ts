/** The snapshot that is served, and those before it. */
import { z } from 'zod'
import { count, day, pageOf, snapshotId, text, timestamp } from './values.ts'

const counts = z
  .strictObject({
    cves: count.describe('The number of CVE records'),
    cwes: count.describe('The number of weaknesses'),
    capecs: count.describe('The number of attack patterns'),
    cnas: count.describe('The number of CNAs'),
    vendors: count.describe('The number of vendors'),
    products: count.describe('The number of products'),
    exploits: count.describe('The number of exploit modules'),
    advisories: count.describe('The number of linked advisories'),
    reports: count.describe('The number of reports'),
  })
  .meta({ id: 'SnapshotCounts', description: 'How many of each there are' })

const feed = z
  .strictObject({
    version: text.describe('The version, as its publisher names it'),
    updated_at: timestamp.nullable().describe('The time that it states; of a day, the first instant'),
    records: count.describe('The number of its records'),
    licence: z.string().describe('The licence of its data'),
    attribution: z.string().describe('Whom to name'),
  })
  .meta({ id: 'Feed', description: 'An upstream feed' })

export const snapshot = z
  .strictObject({
    id: snapshotId.describe('Its id, a digest of its contents'),
    created_at: timestamp.describe('When it was built'),
    parent: snapshotId.nullable().describe('The id of the snapshot before it'),
    counts,
    feeds: z.record(z.string(), feed).describe('The feeds it was built from, by name'),
    epss_date: day.nullable().describe('The day of its EPSS scores'),
  })
  .meta({ id: 'Snapshot', description: 'One immutable build of the corpus' })

const keptSnapshot = z
  .strictObject({
    id: snapshotId.describe('The id of the snapshot, for `since` of `/changes`'),
    created_at: timestamp.describe('When it was built'),
    parent: snapshotId.nullable().describe('The id of the snapshot before it'),
    cves: count.describe('The number of CVE records'),
    retained: z.boolean().describe('Whether the snapshot is open here: a cursor issued under it returns its rows'),
  })
  .meta({ id: 'KeptSnapshot', description: 'A snapshot that `/changes` can compare with' })

export const snapshots = z
  .strictObject(pageOf(keptSnapshot))
  .meta({ id: 'KeptSnapshots', description: 'A page of the snapshots that are kept' })
