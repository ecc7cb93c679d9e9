/** Matches a file. Loaded with the first file. */
import { findAdvisories, sourceLookUp } from '../../../../inventory/findings.ts'
import type { ReadInventory } from '../../../../inventory/read.ts'
import type { Snapshot } from '../../data/answers.ts'
import type { Api } from '../../data/api.ts'
import type { WaitOptions } from '../../data/wait.ts'
import { AT_ONCE, gatewayLookUp, LOOKUPS_AT_ONCE, type Rejected } from './lookup.ts'
import type { CheckResult } from './report.ts'

export interface FileToRead {
  /** What messages call the file. */
  file: string
  /** Empty for a text. */
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

/** Returns the packages of a file. Its bytes may move away. */
export type ReadFile = (file: FileToRead, signal: AbortSignal) => Promise<ReadInventory>

export interface CheckOptions extends WaitOptions {
  onProgress(done: number, total: number): void
}

/**
 * Returns the advisories that affect the packages of a file. `name` may be empty: then its content selects the format.
 * @throws what `read` throws, InventoryError, ApiFailure; SnapshotError, TransferError in mode `static`; DOMException
 *   `AbortError`
 */
export async function checkFile(
  api: Api,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: CheckOptions,
  read: ReadFile,
): Promise<CheckResult> {
  const file = name || 'the text'
  const { format, components, skipped } = await read({ file, name, bytes }, options.signal)
  const rejected: Rejected[] = []
  const lookUp = api.packages ? sourceLookUp(api.packages) : gatewayLookUp(api, rejected, options)
  const stoppable: typeof lookUp = async (component) => {
    options.signal.throwIfAborted()
    return lookUp(component)
  }
  const [{ id, created_at }, found] = await Promise.all([
    api.get<Snapshot>('/snapshot', {}, options.signal),
    findAdvisories(file, components, stoppable, api.packages ? AT_ONCE : LOOKUPS_AT_ONCE, options.onProgress),
  ])
  // A rejected package has no rows either.
  const packages = { ...found.packages, notAffected: found.packages.notAffected - rejected.length }
  return { file, format, snapshot: { id, createdAt: created_at }, components, skipped, rejected, ...found, packages }
}
