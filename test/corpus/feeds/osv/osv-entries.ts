/** Entries in the OSV schema, in zips with their publishers' layout, and readers for them. */
import { writeFileSync } from 'node:fs'
import { zipSync } from 'fflate'
import type { FeedItem } from '../../../../corpus/feeds/feed.ts'
import { ghsa } from '../../../../corpus/feeds/ghsa/ghsa.ts'
import { osv } from '../../../../corpus/feeds/osv/osv.ts'
import { batchItems, feedFile } from '../reading.ts'

export type Entry = { id: string } & Record<string, unknown>

const READERS = { ghsa, osv } as const

export function entryItems(feed: keyof typeof READERS, path: string, folder = false): Promise<FeedItem[]> {
  return batchItems(READERS[feed], feedFile(path, folder))
}

/** Writes a zip with one file per entry, named by `nameOf`. */
export function writeEntries(path: string, entries: readonly Entry[], nameOf = ({ id }: Entry) => `${id}.json`) {
  const files = entries.map((entry) => [nameOf(entry), new TextEncoder().encode(JSON.stringify(entry))] as const)
  writeFileSync(path, zipSync(Object.fromEntries(files)))
  return path
}
