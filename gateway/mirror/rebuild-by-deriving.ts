/**
 * Derives files locally instead of fetching them. Only files with the digests in the manifest are used. Another
 * version of zlib or SQLite may write the same content with other bytes; such files are fetched.
 */
import { join } from 'node:path'
import { type Effects, moveFile, replaceFile } from '../../corpus/command/effects.ts'
import { isDiskError, isSystemError } from '../../corpus/command/system-error.ts'
import { digestOfFile, sha256 } from '../../corpus/runtime/digest.ts'
import { type DerivedFile, rederive } from '../../corpus/snapshot/derived.ts'
import { type FileEntry, type Manifest, objectPath, temporaryFolder } from '../../corpus/snapshot/index.ts'
import type { Transfers } from './missing.ts'

const keyOf = ({ role, name }: Pick<FileEntry, 'role' | 'name'>) => `${role}\t${name}`

/**
 * Keeps missing files with the expected digests and returns these. Non-derived files must be local. After an error,
 * other files are left to be fetched.
 */
export async function rebuiltByDeriving(
  manifest: Manifest,
  missing: readonly FileEntry[],
  jobs: number,
  { dist, effects, signal }: Pick<Transfers, 'dist' | 'effects' | 'signal'>,
): Promise<Set<string>> {
  const made = new Set<string>()
  if (missing.length === 0) return made
  const wanted = new Map(missing.map((file) => [keyOf(file), file]))
  const folder = join(temporaryFolder(dist), 'derived')
  await effects.remove(folder)
  await effects.mkdir(folder)
  let others = 0
  try {
    for await (const derived of rederive(dist, manifest, jobs, (name) => join(folder, name))) {
      signal?.throwIfAborted()
      const file = wanted.get(keyOf(derived))
      if (!file) continue
      if (await putIfSame(derived, file, join(folder, 'made'), dist, effects)) made.add(file.sha256)
      else others++
    }
  } catch (error) {
    // Fetching does not help against errors of this machine.
    if (signal?.aborted || isSystemError(error) || isDiskError(error) || !(error instanceof Error)) throw error
    effects.log(`cannot derive files locally, downloading them: ${error.message}`)
  } finally {
    await effects.remove(folder)
  }
  if (others > 0) effects.log(`${others} locally derived files differ from the published ones, downloading them`)
  return made
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
