/** Matches files. Loaded with the first file. */
import { findAdvisories, sourceLookUp } from '../../../../inventory/findings.ts'
import type { ReadInventory } from '../../../../inventory/read.ts'
import type { Snapshot } from '../../data/answers.ts'
import type { Api } from '../../data/api.ts'
import type { WaitOptions } from '../../data/wait.ts'
import { AT_ONCE, gatewayLookUp, LOOKUPS_AT_ONCE } from './lookup.ts'
import type { CheckResult } from './report.ts'

export interface Chosen {
  /** Empty for a text. */
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

export interface FileToRead extends Chosen {
  /** What messages call the file. */
  file: string
}

/** Returns the packages of a file. Its bytes may move away. */
export type ReadFile = (file: FileToRead, signal: AbortSignal) => Promise<ReadInventory>

export interface CheckOptions extends WaitOptions {
  onProgress(done: number, total: number): void
}

/**
 * Returns the advisories that affect the packages of the files. A name may be empty: then the content selects the format.
 * What cannot be read is part of the result, unless nothing can be read.
 * @throws Error with the messages of the files if none can be read; InventoryError, ApiFailure; SnapshotError, TransferError
 *   in mode `static`; DOMException `AbortError`
 */
export async function checkFiles(
  api: Api,
  chosen: readonly Chosen[],
  options: CheckOptions,
  read: ReadFile,
): Promise<CheckResult> {
  const inventories: ReadInventory[] = []
  const unreadable: string[] = []
  for (const { name, bytes } of chosen) {
    try {
      inventories.push(await read({ file: name || 'the text', name, bytes }, options.signal))
    } catch (error) {
      options.signal.throwIfAborted()
      unreadable.push((error as Error).message)
    }
  }
  if (inventories.length === 0) throw new Error(unreadable.join(' '))
  const lookUp = api.packages ? sourceLookUp(api.packages) : gatewayLookUp(api, options)
  const stoppable: typeof lookUp = async (component) => {
    options.signal.throwIfAborted()
    return lookUp(component)
  }
  const [{ id, created_at }, found] = await Promise.all([
    api.get<Snapshot>('/snapshot', {}, options.signal),
    findAdvisories(inventories, stoppable, api.packages ? AT_ONCE : LOOKUPS_AT_ONCE, options.onProgress),
  ])
  const files = inventories.map(({ file, format }) => ({ file, format }))
  return { files, unreadable, snapshot: { id, createdAt: created_at }, ...found }
}
