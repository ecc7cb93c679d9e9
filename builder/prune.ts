/** `vulnshelf prune`: removes snapshots that no rule keeps, and the files that no kept snapshot uses. */
import type { Effects } from '../corpus/command/effects.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { type PruneReport, removeSnapshots } from '../corpus/repository/prune.ts'
import type { KeepRules } from '../corpus/repository/retention.ts'
import { readCurrent } from '../corpus/snapshot/index.ts'
import { verifiedManifest } from './nightly/verified-pointer.ts'
import { lockDist } from './snapshot/lock.ts'

export interface PruneCommand {
  keep: KeepRules
  /** As in `PruneOptions`. */
  keepDerived?: number | undefined
  /** Removes nothing. */
  dryRun?: boolean
}

/**
 * Keeps the current snapshot, the one to which an unfinished night returns, and those that a rule keeps.
 * @throws SnapshotError if the current snapshot is unreadable, then nothing is removed; BuildError `busy`
 */
export async function prune(dist: string, options: PruneCommand, effects: Effects): Promise<PruneReport> {
  // First, so that nothing is written to a foreign folder.
  readCurrent(dist)
  const unlock = lockDist(dist)
  try {
    const verified = verifiedManifest(dist)
    const protect = new Map(verified === null ? [] : [[verified, 'an unfinished night can return to it']])
    return await writingTo(dist, () => removeSnapshots(dist, { ...options, protect }, effects))
  } finally {
    unlock()
  }
}
