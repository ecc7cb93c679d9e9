/**
 * Queue of parallel writes. A sync takes milliseconds without computing, and a build writes hundreds of files. The
 * entries keep the order in which they were added.
 */

import { handleLater } from '../../corpus/runtime/pool.ts'
import type { FileEntry } from '../../corpus/snapshot/files/manifest.ts'

/** Enough to keep a disk busy; queued contents use memory. */
const AT_ONCE = 4

export interface WriteQueue {
  /** Waits until the queue has room. @throws the error of an earlier write */
  add(put: Promise<FileEntry>): Promise<void>
  /** @throws the first write's error */
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
