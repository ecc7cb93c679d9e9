/** Writes files to a `dist`, several at once: under a temporary name, synced, then renamed to their SHA-256. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Effects, moveFile, replaceFile } from '../../corpus/command/effects.ts'
import { digestOfFile, sha256 } from '../../corpus/runtime/digest.ts'
import { handleLater } from '../../corpus/runtime/pool.ts'
import type { TemporaryFile } from '../../corpus/snapshot/derived.ts'
import { type FileEntry, objectPath, type Stored, temporaryFolder } from '../../corpus/snapshot/index.ts'

export interface ObjectStore {
  /**
   * Writes bytes, or moves a temporary file, and returns the manifest entry. `sha256` is the digest of the bytes if it
   * is known already.
   */
  put<Entry extends object>(entry: Entry, from: Uint8Array | TemporaryFile, sha256?: string): Promise<Entry & Stored>
  temporary(name: string): string
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
          ? (from.known ?? (await digestOfFile(from.path)))
          : { sha256: known ?? sha256(from), size: from.length }
      const path = objectPath(dist, digest)
      if (await isThere(path, digest, size)) {
        tally.reused++
        tally.reusedBytes += size
        if ('path' in from) await effects.remove(from.path)
      } else {
        if ('path' in from) await moveFile(from.path, path, effects)
        else await replaceFile(path, from, temporary(`${serial++}`), effects)
        tally.written++
        tally.writtenBytes += size
      }
      return { ...entry, sha256: digest, size }
    },
  }
}

/** A damaged object is written again. */
async function isThere(path: string, digest: string, size: number): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.size !== size) return false
  return (await digestOfFile(path)).sha256 === digest
}

/** Enough to keep a disk busy; queued contents use memory. */
const AT_ONCE = 4

/** Writes several files at once. A build writes hundreds, and each sync waits milliseconds while the CPU is idle. */
export interface WriteQueue {
  /** Waits until the queue has room. @throws the error of an earlier write */
  add(put: Promise<FileEntry>): Promise<void>
  /** Returns the entries in the order of `add`. @throws the first write's error */
  entries(): Promise<FileEntry[]>
  /** Waits for all writes; never rejects. */
  settled(): Promise<void>
}

export function openWriteQueue(): WriteQueue {
  const all: Promise<FileEntry>[] = []
  const underWay = new Set<Promise<FileEntry>>()
  return {
    async add(put) {
      all.push(handleLater(put))
      underWay.add(put)
      handleLater(put.finally(() => underWay.delete(put)))
      while (underWay.size >= AT_ONCE) await Promise.race(underWay)
    },
    entries: () => Promise.all(all),
    settled: async () => void (await Promise.allSettled(all)),
  }
}
