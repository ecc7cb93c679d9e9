/** `vulnshelf prune`: removes all but the newest snapshots, and the objects that no kept snapshot uses. */
import type { Effects } from '../corpus/command/effects.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { keepNewest, type PruneReport } from '../corpus/repository/prune.ts'
import { readCurrent } from '../corpus/snapshot/index.ts'
import { lockDist } from './snapshot/lock.ts'

/**
 * Keeps the current snapshot and the `keep - 1` before it.
 * @throws SnapshotError if the current snapshot is unreadable, then nothing is removed; BuildError `busy`
 */
export async function prune(dist: string, keep: number, effects: Effects): Promise<PruneReport> {
  // First, so that nothing is written to a foreign folder.
  readCurrent(dist)
  const unlock = lockDist(dist)
  try {
    return await writingTo(dist, () => keepNewest(dist, keep, effects))
  } finally {
    unlock()
  }
}
