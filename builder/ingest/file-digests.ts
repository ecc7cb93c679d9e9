/** The digests of the files that an ingest reads, by which it knows a feed that is as it was. */
import { statSync } from 'node:fs'
import type { FeedFile, FileDigest } from '../../corpus/feeds/feed.ts'
import { heard, type Pool } from '../../corpus/snapshot/pool.ts'

export type DigestOfFile = (file: FeedFile) => Promise<FileDigest>

/** How many bytes there are to read; a folder has none of its own. */
export function bytesOf(files: readonly FeedFile[]): number {
  return files.reduce((sum, { folder, path }) => sum + (folder ? 0 : statSync(path).size), 0)
}

/** Has all of them taken at once, so that threads are at it while feeds are read. The digest of a file that fails throws. */
export function takeDigests(files: readonly FeedFile[], pool: Pool): DigestOfFile {
  const digests = new Map<string, Promise<FileDigest>>()
  for (const { folder, path } of files) if (!folder) digests.set(path, heard(pool.run<FileDigest>('digest', path)))
  return ({ path }) => digests.get(path)!
}
