/** Puts files into a `dist`: written under a temporary name, synced, renamed to the SHA-256 of what they hold. */

import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256 } from '../../corpus/snapshot/digest.ts'
import { objectPath } from '../../corpus/snapshot/layout.ts'
import type { FileEntry } from '../../corpus/snapshot/manifest.ts'
import type { Effects } from '../effects.ts'

export interface ObjectStore {
  /**
   * Puts bytes, or a temporary file, which is then gone; gives the entry for the manifest. `sha256` of the bytes may be
   * known already.
   */
  put(
    entry: Omit<FileEntry, 'sha256' | 'size'>,
    from: Uint8Array | { path: string },
    sha256?: string,
  ): Promise<FileEntry>
  /** Where a temporary file may be written. */
  temporary(name: string): string
  /** Objects and bytes that were written, and that were there already. */
  tally: { written: number; writtenBytes: number; reused: number; reusedBytes: number }
}

export function openObjectStore(dist: string, effects: Effects): ObjectStore {
  const temporary = (name: string) => join(temporaryFolder(dist), name)
  const tally = { written: 0, writtenBytes: 0, reused: 0, reusedBytes: 0 }
  let serial = 0
  return {
    tally,
    temporary,
    async put(entry, from, known) {
      const { digest, size } = known && !('path' in from) ? { digest: known, size: from.length } : await measure(from)
      const path = objectPath(dist, digest)
      if (await isThere(path, digest, size)) {
        tally.reused++
        tally.reusedBytes += size
        if ('path' in from) await effects.remove(from.path)
      } else {
        const staged = 'path' in from ? from.path : temporary(`${serial++}`)
        await effects.mkdir(dirname(path))
        if ('path' in from) await effects.sync(staged)
        else await effects.write(staged, from)
        await effects.rename(staged, path)
        tally.written++
        tally.writtenBytes += size
      }
      return { ...entry, sha256: digest, size }
    },
  }
}

/** Whether the object lies there unharmed: one that rotted is written anew. */
async function isThere(path: string, digest: string, size: number): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.size !== size) return false
  return (await measure({ path })).digest === digest
}

/** What a killed build leaves behind lies here, and is cleared by the next one. */
export const temporaryFolder = (dist: string) => join(dist, 'tmp')

async function measure(from: Uint8Array | { path: string }): Promise<{ digest: string; size: number }> {
  if (!('path' in from)) return { digest: sha256(from), size: from.length }
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(from.path)) {
    hash.update(chunk as Buffer)
    size += (chunk as Buffer).length
  }
  return { digest: hash.digest('hex'), size }
}
