/** Entries in the OSV schema, in zips with their publishers' layout, and readers for them. */
import { writeFileSync } from 'node:fs'
import { zipSync } from 'fflate'
import type { FeedItem } from '../../../../corpus/feeds/feed.ts'
import type { TreeBatch } from '../../../../corpus/feeds/files/tree.ts'
import { openGhsa, readGhsaBatch } from '../../../../corpus/feeds/ghsa/ghsa.ts'
import { openOsv, readOsvBatch } from '../../../../corpus/feeds/osv/osv.ts'
import { feedFile, listOf, readOptions } from '../reading.ts'

export type Entry = { id: string } & Record<string, unknown>

const READERS = { ghsa: [openGhsa, readGhsaBatch], osv: [openOsv, readOsvBatch] } as const

export async function entryItems(feed: keyof typeof READERS, path: string, folder = false): Promise<FeedItem[]> {
  const [open, readBatch] = READERS[feed]
  const { batches } = await open(feedFile(path, folder), readOptions(path))
  return (await listOf(batches)).flatMap((batch) => readBatch(batch as TreeBatch))
}

/** Writes a zip with one file per entry, named by `nameOf`. */
export function writeEntries(path: string, entries: readonly Entry[], nameOf = ({ id }: Entry) => `${id}.json`) {
  const files = entries.map((entry) => [nameOf(entry), new TextEncoder().encode(JSON.stringify(entry))] as const)
  writeFileSync(path, zipSync(Object.fromEntries(files)))
  return path
}
