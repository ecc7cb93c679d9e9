/** Digests of the input files. An ingest uses them to detect unchanged feeds. */
import { statSync } from 'node:fs'
import type { FeedFile, FileDigest } from '../../corpus/feeds/feed.ts'
import { handleLater, type Pool } from '../../corpus/runtime/pool.ts'

export type DigestOfFile = (file: FeedFile) => Promise<FileDigest>

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
