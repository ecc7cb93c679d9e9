/** Runs `vulnshelf check`. */
import { realEffects } from '../../corpus/command/effects.ts'
import { noProgress, showProgress } from '../../corpus/command/progress.ts'
import { InventoryError } from '../../corpus/inventory/error.ts'
import type { OptionalGroup } from '../../corpus/inventory/inventory.ts'
import { dayOf } from '../../corpus/model/values/date.ts'
import { openReader, type Reader } from '../../corpus/reader/reader.ts'
import { readKeySetFile } from '../../corpus/snapshot/index.ts'
import { type CheckOptions, type CheckReport, checkInventories } from './check.ts'
import type { FailLevel } from './fail-levels.ts'
import { type ReadInventories, readInventories } from './read.ts'
import { decisionsFor, readDecisions } from './read-decisions.ts'
import type { CheckFacts } from './receipt.ts'

export interface CheckFlags {
  /** Patterns of files and folders to leave out. */
  exclude: readonly string[]
  omit: readonly OptionalGroup[]
  snapshot: string
  /** An earlier snapshot. */
  at?: string | undefined
  /** Show only what became known since this snapshot. */
  since?: string | undefined
  keys?: string | undefined
  /** Instead of the ignore files that are found. */
  ignore?: string
  vex: readonly string[]
  failOn: FailLevel
  failOnUndecided?: boolean
  failOnUnchecked?: boolean
  unscored: 'fail' | 'pass'
}

/** Errors exit with 2 too. */
export const EXIT_CODES = { passed: 0, failed: 1, unreadable: 2, nothing_to_check: 3 } as const

export interface CheckResult {
  report: CheckReport
  /** What a receipt states besides the report. */
  facts: CheckFacts
}

/**
 * Returns null if no file can be read. `fail` gets an error for each file that cannot be read.
 * @throws InventoryError, KeyError, SnapshotError, TransferError
 */
export async function checkFromCommand(
  operands: readonly string[],
  flags: CheckFlags,
  fail: (error: Error) => void,
): Promise<CheckResult | null> {
  const read = await readInventories(operands, flags.exclude)
  for (const { message } of read.unreadable) fail(new InventoryError('unreadable', message))
  if (read.inventories.length === 0 && read.unreadable.length > 0) return null
  const files = read.inventories.map(({ file }) => file)
  const decisions = decisionsFor(files, flags.ignore, flags.vex).map(readDecisions)
  const failOn = {
    level: flags.failOn,
    unscored: flags.unscored === 'fail',
    undecided: flags.failOnUndecided === true,
    unchecked: flags.failOnUnchecked === true,
  }
  const date = dayOf(realEffects().now().toISOString())
  return runCheck(read, { failOn, omit: flags.omit, decisions, today: date }, flags)
}

/** @throws KeyError, SnapshotError, TransferError, InventoryError `too-large` */
export async function runCheck(
  read: ReadInventories,
  options: Omit<CheckOptions, 'earlier'>,
  { snapshot, at, since, keys: keyFile }: Pick<CheckFlags, 'snapshot' | 'at' | 'since' | 'keys'>,
): Promise<CheckResult> {
  const keys = keyFile === undefined ? undefined : await readKeySetFile(keyFile)
  const open = (at: string | undefined) => openReader(snapshot, { at, keys, onWait: realEffects().log })
  const reader = await open(at)
  let earlier: Reader | null = null
  try {
    if (since !== undefined) earlier = await open(since)
    // A log file needs only the report.
    const progress = process.stderr.isTTY ? showProgress() : noProgress
    const report = await checkInventories(read, reader, { ...options, earlier }, progress)
    const { pointer } = reader
    return { report, facts: { date: options.today, notRead: read.notChecked, pointer, verified: keys !== undefined } }
  } finally {
    await earlier?.close()
    await reader.close()
  }
}
