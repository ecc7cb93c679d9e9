/** Reads the file that `vulnshelf check` checks. */
import { basename } from 'node:path'
import { InventoryError } from '../../corpus/inventory/error.ts'
import { inventoryOf, type ReadInventory } from '../../corpus/inventory/read.ts'
import { FileError, readRegularFile } from '../../corpus/runtime/regular-file.ts'

/** SBOMs of large images have 50 MB. */
const MAX_BYTES = 256 << 20

/** Standard input as an operand. */
export const STDIN = '-'

/**
 * Returns the packages of a file. `-` is standard input.
 * @throws InventoryError
 */
export async function readInventory(file: string): Promise<ReadInventory> {
  const name = file === STDIN ? 'standard input' : file
  const bytes = file === STDIN ? await readStandardInput() : readFile(file)
  return inventoryOf(name, basename(file), bytes)
}

function readFile(path: string): Buffer {
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
