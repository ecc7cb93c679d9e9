/** Runs `vulnshelf check`. */
import { realEffects } from '../../corpus/command/effects.ts'
import { noProgress, showProgress } from '../../corpus/command/progress.ts'
import { InventoryError } from '../../corpus/inventory/error.ts'
import { openReader } from '../../corpus/reader/reader.ts'
import { readKeySetFile } from '../../corpus/snapshot/index.ts'
import { type CheckReport, checkInventories } from './check.ts'
import type { FailLevel } from './fail-levels.ts'
import { readInventories } from './read.ts'

export interface CheckFlags {
  /** Patterns of files and folders to leave out. */
  exclude: readonly string[]
  snapshot: string
  /** An earlier snapshot. */
  at?: string | undefined
  keys?: string
  failOn: FailLevel
  failOnUndecided?: boolean
  failOnUnchecked?: boolean
  unscored: 'fail' | 'pass'
}

/** Errors exit with 2 too. */
export const EXIT_CODES = { passed: 0, failed: 1, unreadable: 2, nothing_to_check: 3 } as const

/**
 * Returns null if no file can be read. `fail` gets an error for each file that cannot be read.
 * @throws InventoryError, KeyError, SnapshotError, TransferError
 */
export async function checkFromCommand(
  operands: readonly string[],
  flags: CheckFlags,
  fail: (error: Error) => void,
): Promise<CheckReport | null> {
  const read = await readInventories(operands, flags.exclude)
  for (const { message } of read.unreadable) fail(new InventoryError('unreadable', message))
  if (read.inventories.length === 0 && read.unreadable.length > 0) return null
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
    return await checkInventories(read, reader, failOn, progress)
  } finally {
    await reader.close()
  }
}
