/** The file of figures: JSON, as `/stats` answers it. SPEC.md, "Stats". */
import type { Stats } from '../../model/stats.ts'
import { SnapshotError } from '../error.ts'

export const encodeStats = (stats: Stats): Buffer => Buffer.from(JSON.stringify(stats))

/** @throws SnapshotError `malformed` */
export function decodeStats(bytes: Uint8Array): Stats {
  let stats: Partial<Stats> | null
  try {
    stats = JSON.parse(Buffer.from(bytes).toString()) as Partial<Stats> | null
  } catch (cause) {
    throw new SnapshotError('malformed', 'the figures of the snapshot are not JSON', { cause })
  }
  if (typeof stats?.totals !== 'object') throw new SnapshotError('malformed', 'the figures of the snapshot are damaged')
  return stats as Stats
}
