/**
 * Queue of parallel writes. A sync takes milliseconds without computing, and a build writes hundreds of files. The
 * entries keep the order in which they were added.
 */
import type { FileEntry } from '../../corpus/snapshot/manifest.ts'
import { heard } from '../../corpus/snapshot/pool.ts'

/** Enough to keep a disk busy; the contents of queued files are in memory. */
const AT_ONCE = 4

export interface Puts {
  /** Resolves when the queue has room. @throws the error of an earlier write */
  add(put: Promise<FileEntry>): Promise<void>
  /** Returns all entries, in order. @throws the error of the first write that failed */
  entries(): Promise<FileEntry[]>
  /** Waits until every write has ended, whether it succeeded or failed. */
  settled(): Promise<void>
}

export function openPuts(): Puts {
  const all: Promise<FileEntry>[] = []
  const underWay = new Set<Promise<FileEntry>>()
  return {
    async add(put) {
      all.push(heard(put))
      underWay.add(put)
      heard(put.finally(() => underWay.delete(put)))
      while (underWay.size >= AT_ONCE) await Promise.race(underWay)
    },
    entries: () => Promise.all(all),
    settled: async () => void (await Promise.allSettled(all)),
  }
}
