/** `vulnshelf prune`: forgets snapshots but the newest, and the objects that none of the kept ones needs. */
import type { Effects } from '../corpus/command/effects.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { keepNewest, type PruneReport } from '../corpus/repository/prune.ts'
import { readCurrent } from '../corpus/snapshot/layout.ts'
import { gatheredPath, openGathered } from './build/gathered.ts'
import { lockDist } from './build/lock.ts'

/**
 * Keeps the current snapshot and the `keep - 1` before it. What a build gathered is kept where it is of the current one.
 * @throws SnapshotError when the current snapshot cannot be read: then nothing is removed; BuildError `busy`
 */
export async function prune(dist: string, keep: number, effects: Effects): Promise<PruneReport> {
  // Before anything is written into a folder that is none of ours.
  readCurrent(dist)
  const unlock = lockDist(dist)
  try {
    return await writingTo(dist, async () => {
      const { files } = readCurrent(dist).manifest
      if (!openGathered(dist, files)) await effects.remove(gatheredPath(dist))
      return keepNewest(dist, keep, effects)
    })
  } finally {
    unlock()
  }
}
