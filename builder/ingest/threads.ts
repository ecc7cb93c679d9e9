/** Worker threads of an ingest. They start with the first large task, and also compute digests of the input files. */

import { statSync } from 'node:fs'
import type { FeedFile, FileDigest } from '../../corpus/feeds/feed.ts'
import { moduleUrl } from '../../corpus/runtime/module-url.ts'
import { handleLater, openPool, type Pool } from '../../corpus/runtime/pool.ts'

export interface Threads {
  /** Returns the workers if they run already or the task is worth starting them, else the caller's thread. */
  pool(isWorthIt: boolean): Pool
  close(): Promise<void>
}

/** With 0 jobs, everything runs in the caller's thread. */
export function openThreads(jobs: number): Threads {
  const tasks = moduleUrl('./tasks.ts', import.meta.url)
  const inline = openPool(tasks, 0)
  let threads: Pool | null = null
  return {
    pool(isWorthIt) {
      if (jobs === 0 || (threads === null && !isWorthIt)) return inline
      threads ??= openPool(tasks, jobs)
      return threads
    },
    close: async () => threads?.close(),
  }
}

export type DigestOfFile = (file: Pick<FeedFile, 'path'>) => Promise<FileDigest>

/** Folders count as 0 bytes. */
export function bytesOf(files: readonly FeedFile[]): number {
  return files.reduce((sum, { folder, path }) => sum + (folder ? 0 : statSync(path).size), 0)
}

/** Starts all digests at once, while feeds are read. A digest of an unreadable file rejects. */
export function takeDigests(files: readonly FeedFile[], pool: Pool): DigestOfFile {
  const digests = new Map<string, Promise<FileDigest>>()
  for (const { folder, path } of files)
    if (!folder) digests.set(path, handleLater(pool.run<FileDigest>('digest', path)))
  return ({ path }) => digests.get(path)!
}
