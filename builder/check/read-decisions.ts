/** Reads the files with decisions: `vulnshelf.ignore.json` beside the files and in the working folder, and VEX documents. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { DecisionFile } from '../../corpus/inventory/decisions/decide.ts'
import { IGNORE_FILE_NAME } from '../../corpus/inventory/decisions/ignore-file.ts'
import { readIgnoreFile, readVex } from '../../corpus/inventory/decisions/read.ts'
import type { Reader } from '../../corpus/reader/reader.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { readFile, STDIN } from './read.ts'

/** How a file with decisions was given. `beside`: found in the folder of a file that is checked, and only for its files. */
export type DecisionRole = 'ignore' | 'beside' | 'vex'

export interface NamedDecisions {
  role: DecisionRole
  file: string
}

export interface ReadDecisionFile extends DecisionFile, NamedDecisions {
  sha256: string
}

/**
 * Returns the files with decisions about `files`, in the order in which they are read.
 * @param ignore instead of the files that are found
 */
export function decisionsFor(
  files: readonly string[],
  ignore: string | undefined,
  vex: readonly string[],
): NamedDecisions[] {
  const documents = vex.map((file): NamedDecisions => ({ role: 'vex', file }))
  if (ignore !== undefined) return [{ role: 'ignore', file: ignore }, ...documents]
  const found: NamedDecisions[] = existsSync(IGNORE_FILE_NAME) ? [{ role: 'ignore', file: IGNORE_FILE_NAME }] : []
  const seen = new Set([resolve(IGNORE_FILE_NAME)])
  for (const file of files) {
    if (file === STDIN) continue
    const beside = join(dirname(file), IGNORE_FILE_NAME)
    if (seen.has(resolve(beside))) continue
    seen.add(resolve(beside))
    if (existsSync(beside)) found.push({ role: 'beside', file: beside })
  }
  return [...found, ...documents]
}

/** @throws InventoryError */
export function readDecisions({ role, file }: NamedDecisions): ReadDecisionFile {
  const bytes = readFile(file)
  const folder = resolve(dirname(file))
  return {
    ...(role === 'vex' ? readVex(file, bytes) : readIgnoreFile(file, bytes)),
    role,
    sha256: sha256(bytes),
    isFor: (checked) => role !== 'beside' || (checked !== STDIN && resolve(dirname(checked)) === folder),
  }
}

/** Whether a snapshot has an advisory or a CVE with the id. */
export async function isKnownId(id: string, reader: Pick<Reader, 'advisory' | 'get'>): Promise<boolean> {
  try {
    return (await reader.advisory(id)) !== null || (/^CVE-/i.test(id) && (await reader.get(id)) !== null)
  } catch (error) {
    // The reader refuses a text that has not the form of an id.
    if (error instanceof TypeError) return false
    throw error
  }
}
