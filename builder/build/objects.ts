/** Puts files into a `dist`: written under a temporary name, synced, renamed to the SHA-256 of what they hold. */

import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Effects } from '../../corpus/command/effects.ts'
import type { TemporaryFile } from '../../corpus/snapshot/derive/derive.ts'
import { sha256 } from '../../corpus/snapshot/digest.ts'
import { objectPath, temporaryFolder } from '../../corpus/snapshot/layout.ts'
import type { FileEntry } from '../../corpus/snapshot/manifest.ts'

/** What an entry of a manifest says of the object. */
export type Stored = Pick<FileEntry, 'sha256' | 'size'>

export interface ObjectStore {
  /**
   * Puts bytes, or a temporary file, which is then gone; gives the entry for the manifest. `sha256` of the bytes may be
   * known already.
   */
  put<Entry extends object>(entry: Entry, from: Uint8Array | TemporaryFile, sha256?: string): Promise<Entry & Stored>
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
      const { sha256: digest, size } =
        'path' in from
          ? (from.known ?? (await measure(from.path)))
          : { sha256: known ?? sha256(from), size: from.length }
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
  return (await measure(path)).sha256 === digest
}

async function measure(path: string): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer)
    size += (chunk as Buffer).length
  }
  return { sha256: hash.digest('hex'), size }
}
