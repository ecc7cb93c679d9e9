/** Reads and matches files. Loaded with the first file. */

import { applyDecisions } from '../../../../inventory/decisions/apply.ts'
import { decider, unknownIds } from '../../../../inventory/decisions/decide.ts'
import type { ReadDocument } from '../../../../inventory/document.ts'
import { findAdvisories, sourceLookUp } from '../../../../inventory/findings.ts'
import type { ReadInventory } from '../../../../inventory/read.ts'
import type { Snapshot } from '../../data/answers.ts'
import { type Api, ApiFailure } from '../../data/api.ts'
import { patiently, type WaitOptions } from '../../data/wait.ts'
import { type Checked, type DecisionsFile, decisionFiles, ignoreFilesOf, type PageDecisions, today } from './decided.ts'
import { AT_ONCE, gatewayLookUp, LOOKUPS_AT_ONCE } from './lookup.ts'

export interface Chosen {
  /** Empty for a text. */
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

export interface FileToRead extends Chosen {
  /** What messages call the file. */
  file: string
}

/** Returns what a file has. Its bytes may move away. */
export type ReadFile = (file: FileToRead, signal: AbortSignal) => Promise<ReadDocument>

export interface CheckOptions extends WaitOptions {
  onProgress(done: number, total: number): void
}

export interface ReadFiles {
  inventories: ReadInventory[]
  decisions: DecisionsFile[]
  /** Messages about files that cannot be read. */
  unreadable: string[]
}

/**
 * Returns the packages and decisions of files. A name may be empty: then the content selects the format.
 * @throws Error with the messages of the files if none can be read; DOMException `AbortError`
 */
export async function readFiles(chosen: readonly Chosen[], signal: AbortSignal, read: ReadFile): Promise<ReadFiles> {
  const all: ReadFiles = { inventories: [], decisions: [], unreadable: [] }
  const names = new Map<string, number>()
  for (const { name, bytes } of chosen) {
    // Files of several folders can have the same name.
    const count = (names.get(name) ?? 0) + 1
    names.set(name, count)
    const file = `${name || 'the text'}${count === 1 ? '' : ` (${count})`}`
    try {
      const { inventory, decisions, faults } = await read({ file, name, bytes }, signal)
      if (inventory !== null) all.inventories.push(inventory)
      if (decisions !== null) all.decisions.push(decisions)
      all.unreadable.push(...faults)
    } catch (error) {
      signal.throwIfAborted()
      all.unreadable.push((error as Error).message)
    }
  }
  if (all.inventories.length + all.decisions.length === 0) throw new Error(all.unreadable.join(' '))
  return all
}

/**
 * Returns the advisories that affect the packages of the files.
 * @throws InventoryError, ApiFailure; SnapshotError, TransferError in mode `static`; DOMException `AbortError`
 */
export async function checkFiles(
  api: Api,
  inventories: readonly ReadInventory[],
  options: CheckOptions,
): Promise<Checked> {
  const lookUp = api.packages ? sourceLookUp(api.packages) : gatewayLookUp(api, options)
  const stoppable: typeof lookUp = async (component) => {
    options.signal.throwIfAborted()
    return lookUp(component)
  }
  const [{ id, created_at }, found] = await Promise.all([
    api.get<Snapshot>('/snapshot', {}, options.signal),
    findAdvisories(inventories, stoppable, api.packages ? AT_ONCE : LOOKUPS_AT_ONCE, options.onProgress),
  ])
  const files = inventories.map(({ file, format, components, skipped }) => ({
    ...{ file, format },
    packages: components.length + skipped.length,
  }))
  return { files, snapshot: { id, createdAt: created_at }, found }
}

/**
 * Returns the ids of ignore files that the snapshot does not know, among those that matched nothing.
 * @throws ApiFailure; DOMException `AbortError`
 */
export async function unknownIdsOf(
  api: Api,
  { found }: Checked,
  decisions: PageDecisions,
  wait: WaitOptions,
): Promise<ReadonlySet<string>> {
  const decide = decider(decisionFiles(decisions), today())
  applyDecisions(found, decide)
  return unknownIds(decide.unused(), ignoreFilesOf(decisions), (id) => isKnownId(id, api, wait))
}

async function isKnownId(id: string, api: Api, wait: WaitOptions): Promise<boolean> {
  const paths = [`/advisories/${encodeURIComponent(id)}`]
  if (/^CVE-/i.test(id)) paths.push(`/cves/${encodeURIComponent(id)}`)
  for (const path of paths) {
    try {
      await patiently(() => api.get(path, {}, wait.signal), wait)
      return true
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      // A known vulnerability can be above the tier of the account.
      if (error.status === 403) return true
      if (error.status !== 404 && error.status !== 400) throw error
    }
  }
  return false
}
