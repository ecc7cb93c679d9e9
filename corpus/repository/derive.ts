/**
 * Derives missing files of a snapshot from its other files. Only files with the digests in the manifest are used: another
 * version of vulnshelf, zlib or SQLite may write the same content with other bytes.
 */
import { join } from 'node:path'
import { type Effects, moveFile, replaceFile } from '../command/effects.ts'
import { digestOfFile, sha256 } from '../runtime/digest.ts'
import { type DerivedFile, rederive } from '../snapshot/derived.ts'
import { type FileEntry, type Manifest, objectPath, temporaryFolder } from '../snapshot/index.ts'

const keyOf = ({ role, name }: Pick<FileEntry, 'role' | 'name'>) => `${role}\t${name}`

export interface Deriving {
  dist: string
  effects: Effects
  /** Number of worker threads; 0 uses this thread. */
  jobs: number
  signal?: AbortSignal | undefined
}

export interface Derived {
  /** Digests of the files that now exist. */
  made: Set<string>
  /** Number of files that were derived with other bytes than the manifest states. They are not kept. */
  others: number
}

/**
 * Derives the files of `missing`, which the manifest states as derived. Files that are not derived must exist. The caller
 * must have the lock. `found` gets the files made before an error, too.
 * @throws SnapshotError if a file that is not derived is missing or damaged; errors of the system
 */
export async function deriveMissing(
  manifest: Manifest,
  missing: readonly FileEntry[],
  { dist, effects, jobs, signal }: Deriving,
  found: Derived = { made: new Set(), others: 0 },
): Promise<Derived> {
  if (missing.length === 0) return found
  const wanted = new Map(missing.map((file) => [keyOf(file), file]))
  const folder = join(temporaryFolder(dist), 'derived')
  await effects.remove(folder)
  await effects.mkdir(folder)
  try {
    for await (const derived of rederive(dist, manifest, jobs, (name) => join(folder, name))) {
      signal?.throwIfAborted()
      const file = wanted.get(keyOf(derived))
      if (!file) continue
      if (await putIfSame(derived, file, join(folder, 'made'), dist, effects)) found.made.add(file.sha256)
      else found.others++
    }
  } finally {
    await effects.remove(folder)
  }
  return found
}

async function putIfSame(
  { content, from }: DerivedFile,
  file: FileEntry,
  staged: string,
  dist: string,
  effects: Effects,
): Promise<boolean> {
  const isFile = 'path' in from
  const { sha256: digest } = isFile ? (from.known ?? (await digestOfFile(from.path))) : { sha256: sha256(from) }
  if (content !== file.content || digest !== file.sha256) return false
  const path = objectPath(dist, digest)
  if (isFile) await moveFile(from.path, path, effects)
  else await replaceFile(path, from, staged, effects)
  return true
}
