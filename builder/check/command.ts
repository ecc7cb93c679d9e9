/** Runs `vulnshelf check`. */
import { realEffects } from '../../corpus/command/effects.ts'
import { noProgress, showProgress } from '../../corpus/command/progress.ts'
import { openReader } from '../../corpus/reader/reader.ts'
import { readKeySetFile } from '../../corpus/snapshot/index.ts'
import { type CheckReport, checkInventory } from './check.ts'
import type { FailLevel } from './fail-levels.ts'
import { readInventory } from './read.ts'

export interface CheckFlags {
  snapshot: string
  /** An earlier snapshot. */
  at?: string
  keys?: string
  failOn: FailLevel
  failOnUndecided?: boolean
  failOnUnchecked?: boolean
  unscored: 'fail' | 'pass'
}

/** 2 is an error. */
export const EXIT_CODES = { passed: 0, failed: 1, nothing_to_check: 3 } as const

/** @throws InventoryError, KeyError, SnapshotError, TransferError */
export async function checkFromCommand(file: string, flags: CheckFlags): Promise<CheckReport> {
  const inventory = await readInventory(file)
  const keys = flags.keys === undefined ? undefined : await readKeySetFile(flags.keys)
  const reader = await openReader(flags.snapshot, { at: flags.at, keys, onWait: realEffects().log })
  try {
    const failOn = {
      level: flags.failOn,
      unscored: flags.unscored === 'fail',
      undecided: flags.failOnUndecided === true,
      unchecked: flags.failOnUnchecked === true,
    }
    // A log file needs only the report.
    const progress = process.stderr.isTTY ? showProgress() : noProgress
    return await checkInventory(file, inventory, reader, failOn, progress)
  } finally {
    await reader.close()
  }
}
