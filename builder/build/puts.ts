/**
 * Files on their way to disk, a few at a time: syncing one takes milliseconds in which nobody computes, and a build puts
 * hundreds. Their entries come in the order in which they were added.
 */
import type { FileEntry } from '../../corpus/snapshot/manifest.ts'
import { heard } from '../../corpus/snapshot/pool.ts'

/** Enough to keep a disk busy; what they hold is in memory meanwhile. */
const AT_ONCE = 4

export interface Puts {
  /** Returns when there is room for another one; throws where one before has failed. */
  add(put: Promise<FileEntry>): Promise<void>
  /** All entries, in order. @throws what the first that failed has thrown */
  entries(): Promise<FileEntry[]>
  /** Waits until nothing is under way any more, whatever comes of it. */
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
