/** Repeats a check from its receipt, and compares the results byte for byte. */
import { counted } from '../../corpus/command/format.ts'
import { printableLines } from '../../corpus/command/printable.ts'
import { VERSION } from '../../corpus/command/version.ts'
import { InventoryError } from '../../corpus/inventory/error.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { type CheckFlags, runCheck } from './command.ts'
import { reportJson } from './output/json.ts'
import { type CheckedInventory, readFile, readInventory, STDIN } from './read.ts'
import { type ReadDecisionFile, readDecisions } from './read-decisions.ts'
import { type ReceiptPredicate, readReceipt } from './receipt.ts'

export interface ReplayReport {
  receipt: string
  /** `changed`: files are not those of the receipt, so nothing was repeated. */
  outcome: 'same' | 'different' | 'changed'
  snapshot: { id: string; createdAt: string }
  /** Number of files that were compared. */
  files: number
  /** Files with another digest. `found` is null for a file that cannot be read. */
  changed: { file: string; sha256: string; found: string | null }[]
  /** Version of the program that wrote the receipt, and of this one. */
  vulnshelf: { receipt: string; replay: string }
  /** Digests of the reports in JSON. Null if nothing was repeated. */
  result: { receipt: string; replay: string | null }
}

export const REPLAY_EXIT_CODES = { same: 0, different: 1, changed: 1 } as const

/** @throws CheckError, InventoryError, KeyError, SnapshotError, TransferError */
export async function replayReceipt(
  receipt: string,
  flags: Pick<CheckFlags, 'snapshot' | 'keys'>,
): Promise<ReplayReport> {
  const stated = readReceipt(receipt)
  const { inventories, decisions, changed } = await readFiles(stated.files)
  const about = {
    receipt,
    snapshot: stated.snapshot,
    files: stated.files.length,
    changed,
    vulnshelf: { receipt: stated.vulnshelf, replay: VERSION },
  }
  const expected = stated.result.sha256
  if (changed.length > 0) return { ...about, outcome: 'changed', result: { receipt: expected, replay: null } }
  const { report } = await runCheck(
    { inventories, notChecked: stated.notRead, unreadable: [] },
    { ...stated.options, decisions, today: stated.date },
    { ...flags, at: stated.snapshot.id, ...(stated.since && { since: stated.since.id }) },
  )
  const replay = sha256(reportJson(report))
  return { ...about, outcome: replay === expected ? 'same' : 'different', result: { receipt: expected, replay } }
}

async function readFiles(files: ReceiptPredicate['files']) {
  const inventories: CheckedInventory[] = []
  const decisions: ReadDecisionFile[] = []
  const changed: ReplayReport['changed'] = []
  for (const { role, file, sha256: expected } of files) {
    // A changed file need not have its format any more.
    const found = file === STDIN ? expected : digestOf(file)
    const inventory = found === expected && role === 'input' ? await readInventory(file) : null
    if (inventory) inventories.push(inventory)
    else if (found === expected && role !== 'input') decisions.push(readDecisions({ role, file }))
    const last = inventory?.sha256 ?? found
    if (last !== expected) changed.push({ file, sha256: expected, found: last })
  }
  return { inventories, decisions, changed }
}

/** Null for a file that cannot be read. */
function digestOf(file: string): string | null {
  try {
    return sha256(readFile(file))
  } catch (error) {
    if (error instanceof InventoryError) return null
    throw error
  }
}

export function formatReplayReport({ receipt, outcome, changed, ...report }: ReplayReport): string {
  const { snapshot, vulnshelf, result } = report
  const from = `snapshot ${snapshot.id.slice(0, 12)} of ${snapshot.createdAt}, ${counted(report.files, 'file')} (${receipt})`
  const versions = `vulnshelf ${vulnshelf.receipt} wrote the receipt, this is ${vulnshelf.replay}`
  return printableLines([
    ...changed.map(({ file, sha256, found }) =>
      found === null
        ? `changed: ${file} cannot be read any more (${sha256} in the receipt)`
        : `changed: ${file} has the SHA-256 ${found}, ${sha256} in the receipt`,
    ),
    outcome === 'same'
      ? `same result, byte for byte: ${from}`
      : outcome === 'changed'
        ? `not repeated: ${counted(changed.length, 'file')} changed; ${from}`
        : `different result: the report has the SHA-256 ${result.replay}, ${result.receipt} in the receipt; ${versions}; ${from}`,
  ])
}
