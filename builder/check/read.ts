/** Reads the packages that a lock file or SBOM names. */
import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { shortened } from '../../corpus/command/format.ts'
import { foldName } from '../../corpus/model/packages/name.ts'
import { CheckError, FormatError } from './error.ts'
import { FORMATS, formatOf } from './formats/table.ts'
import { lineAt } from './formats/text.ts'
import type { Component, Inventory } from './inventory.ts'

/** SBOMs of large images have 50 MB. */
const MAX_BYTES = 256 << 20

export interface ReadInventory extends Inventory {
  format: string
}

/** Standard input as an operand. */
export const STDIN = '-'

/**
 * Returns the packages of a file, each version once, with the line where it occurs first. `-` is standard input.
 * @throws CheckError
 */
export async function readInventory(file: string): Promise<ReadInventory> {
  const name = file === STDIN ? 'standard input' : file
  const bytes = file === STDIN ? await readStandardInput() : await readRegularFile(file)
  return inventoryOf(name, basename(file), bytes)
}

/** As `readInventory`, of bytes. `shown` is what messages call the file, `name` its name without folders. */
export function inventoryOf(shown: string, name: string, bytes: Buffer): ReadInventory {
  const text = textOf(shown, bytes)
  const format = formatOf(name, text)
  if (format === null) {
    const known = FORMATS.map((one) => one.name).join('; ')
    throw new CheckError('unknown-format', `${shown} is in no format that this command reads. It reads: ${known}`)
  }
  try {
    const { components, skipped } = format.parse(text)
    return { format: format.name, components: unique(components), skipped }
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    const position = cause.line === null ? shown : `${shown}:${cause.line}`
    const remedy = 'Write the file again with its tool, or rename it if it has another format'
    throw new CheckError('malformed', `${position}: not a valid ${format.name}: ${cause.message}. ${remedy}`, { cause })
  }
}

async function readRegularFile(path: string): Promise<Buffer> {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw tooLarge(path)
    return await readFile(path)
  } catch (cause) {
    if (cause instanceof CheckError) throw cause
    throw new CheckError('unreadable', `cannot read ${path}: ${(cause as Error).message}`, { cause })
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
  new CheckError('too-large', `${what} is larger than ${MAX_BYTES >> 20} MiB, the limit`)

/** Files of PowerShell are in UTF-16. */
function textOf(shown: string, bytes: Buffer): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return decoded('utf-16le', bytes)
  if (first === 0xfe && second === 0xff) return decoded('utf-16be', bytes)
  if (!isUtf8(bytes)) throw new CheckError('unreadable', `${shown} is not a text in UTF-8. Check the path`)
  const text = decoded('utf-8', bytes)
  const nul = text.indexOf('\0')
  if (nul === -1) return text
  throw new CheckError(
    'unreadable',
    `${shown}:${lineAt(text, nul)}: it has a NUL byte, so it is no text. Check the path`,
  )
}

/** Removes a byte order mark. */
const decoded = (encoding: string, bytes: Buffer) => new TextDecoder(encoding).decode(bytes)

/** A package is for development if all its occurrences are. */
function unique(components: readonly Component[]): Component[] {
  const found = new Map<string, Component>()
  for (const component of components) {
    const { ecosystem, name, version, purl, dev } = component
    const key = JSON.stringify(ecosystem === null ? [purl] : [ecosystem, foldName(ecosystem, name), version])
    const first = found.get(key)
    if (first === undefined) found.set(key, { ...component })
    else if (first.dev !== dev) first.dev = first.dev === null || dev === null ? null : false
  }
  return [...found.values()]
}

/** What reports call a package: `npm/lodash`; the purl where no ecosystem has its type. */
export const packageName = ({ ecosystem, name, purl }: Component): string =>
  shortened(ecosystem === null ? (purl ?? name) : `${ecosystem}/${name}`, 200)
