/** Reads the files and folders that `vulnshelf check` checks. */
import { statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { grouped } from '../../corpus/command/format.ts'
import { MAX_ENTRIES } from '../../corpus/inventory/bounds.ts'
import { InventoryError } from '../../corpus/inventory/error.ts'
import type { NotChecked } from '../../corpus/inventory/findings.ts'
import { inventoryOf, type ReadInventory } from '../../corpus/inventory/read.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { FileError, readRegularFile } from '../../corpus/runtime/regular-file.ts'
import { searchFolder } from './search.ts'

/** SBOMs of large images have 50 MB. */
const MAX_BYTES = 256 << 20

/** Standard input as an operand. */
export const STDIN = '-'

export interface UnreadableFile {
  /** A file or folder. */
  file: string
  /** With the line if it is known. */
  message: string
}

export interface CheckedInventory extends ReadInventory {
  /** SHA-256 of the bytes of the file, in hexadecimal. */
  sha256: string
}

export interface ReadInventories {
  /** By operand, then by path. Each file once. */
  inventories: CheckedInventory[]
  /** Files that are not read. */
  notChecked: NotChecked[]
  unreadable: UnreadableFile[]
}

/**
 * Returns the packages of files, and of the files in folders. `-` is standard input.
 * @throws InventoryError `too-large` if all files together have too many entries
 */
export async function readInventories(
  operands: readonly string[],
  exclude: readonly string[],
): Promise<ReadInventories> {
  const read: ReadInventories = { inventories: [], notChecked: [], unreadable: [] }
  const seen = new Set<string>()
  /** Folders with a `go.mod` that names all modules of the build. */
  const completeGoMods = new Set<string>()
  let entries = 0
  for (const operand of operands) {
    const found = isFolder(operand) ? searchFolder(operand, exclude) : null
    read.notChecked.push(...(found?.notChecked ?? []))
    read.unreadable.push(...(found?.unreadable ?? []))
    for (const file of found?.files ?? [operand]) {
      const path = file === STDIN ? STDIN : resolve(file)
      // `go.sum` also has versions that the build does not use.
      if (seen.has(path) || (found && basename(file) === 'go.sum' && completeGoMods.has(dirname(path)))) continue
      seen.add(path)
      try {
        const inventory = await readInventory(file)
        entries += inventory.components.length + inventory.skipped.length
        read.inventories.push(inventory)
        if (isCompleteGoMod(inventory)) completeGoMods.add(dirname(path))
      } catch (error) {
        if (!(error instanceof InventoryError)) throw error
        read.unreadable.push({ file, message: error.message })
      }
      if (entries > MAX_ENTRIES) {
        const message = `the files have more than ${grouped(MAX_ENTRIES)} packages and other entries, the limit. Check them in parts`
        throw new InventoryError('too-large', message)
      }
    }
  }
  return read
}

/** From Go 1.17 on. `go.mod` precedes `go.sum`. */
const isCompleteGoMod = ({ format, skipped }: ReadInventory) =>
  format === 'go.mod' && skipped.every(({ reason }) => reason !== 'not-listed')

const isFolder = (path: string) => path !== STDIN && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** @throws InventoryError */
export async function readInventory(file: string): Promise<CheckedInventory> {
  const bytes = file === STDIN ? await readStandardInput() : readFile(file)
  const inventory = inventoryOf(file, basename(file), bytes, file === STDIN ? 'standard input' : file)
  return { ...inventory, sha256: sha256(bytes) }
}

/** @throws InventoryError */
export function readFile(path: string): Buffer {
  try {
    return readRegularFile(path, MAX_BYTES)
  } catch (cause) {
    if (cause instanceof FileError && cause.code === 'too_large') throw tooLarge(path)
    throw new InventoryError('unreadable', `cannot read ${path}: ${(cause as Error).message}`, { cause })
  }
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > MAX_BYTES) throw tooLarge('standard input')
  }
  return Buffer.concat(chunks)
}

const tooLarge = (what: string) =>
  new InventoryError('too-large', `${what} is larger than ${MAX_BYTES >> 20} MiB, the limit`)
