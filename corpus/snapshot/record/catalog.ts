/** Catalog shards: one member per catalog entry, as the feed states it, sorted by key. SPEC.md, "Catalog shard". */

import { shortHash } from '../../runtime/digest.ts'
import { MAX_CATALOG_PLAIN } from '../bounds.ts'
import { plainBytes } from '../codec/segment-bytes.ts'
import { SnapshotError } from '../error.ts'
import { encodeEntries } from './entry-shard.ts'
import { checkPlainLength, membersOf } from './shard.ts'

/** The catalogs of a snapshot: weaknesses, attack patterns, CNAs, exploit modules, report types. */
export const CATALOGS = ['cwes', 'capecs', 'cnas', 'exploits', 'report-types'] as const
export type CatalogName = (typeof CATALOGS)[number]

export const ENTRY_KIND = 65

/** Maximum bytes of an entry with a list row. 25 rows share a segment, which has at most 64 MiB (derive/pages.ts). */
export const MAX_ENTRY_BYTES = 2 * 1024 * 1024

export interface CatalogEntry {
  key: string
  text: string
}

/** Returns the key of an entry: its id, percent-encoded except for ASCII without blanks. */
export const catalogKey = (id: string): string => encodeURI(id.toWellFormed())

/** An entry and the position of its member in the shard. */
export interface LocatedEntry extends CatalogEntry {
  at: number
  length: number
}

export interface EncodedCatalog {
  bytes: Uint8Array
  content: string
  entries: LocatedEntry[]
}

/** Encodes entries, which must be sorted by key. Equal entries of `previous`, an existing shard, are copied. */
export function encodeCatalog(entries: readonly CatalogEntry[], previous: Buffer | null = null): EncodedCatalog {
  const stated = entries.map(({ key, text }) => ({ key, source: shortHash(text), text: () => text }))
  const { bytes, content, members } = encodeEntries(ENTRY_KIND, stated, previous)
  return { bytes, content, entries: members.map(({ at, length }, i) => ({ ...entries[i]!, at, length })) }
}

/**
 * Returns all entries of a catalog shard.
 * @throws SnapshotError when it is damaged, its keys do not ascend, or it inflates to more than `MAX_CATALOG_PLAIN`
 */
export function decodeCatalog(name: CatalogName, shard: Buffer): LocatedEntry[] {
  try {
    checkPlainLength(shard, MAX_CATALOG_PLAIN[name])
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    throw new SnapshotError(error.code, `catalog ${name}: ${error.message}`, { cause: error })
  }
  let last: string | null = null
  return Array.from(membersOf(shard), ({ key, at, length, segments }) => {
    const [segment] = segments
    if (segments.length !== 1 || segment?.kind !== ENTRY_KIND) {
      throw new SnapshotError('malformed', `${key} is not a catalog entry`)
    }
    if (last !== null && last >= key) throw new SnapshotError('malformed', `${key} is out of order, after ${last}`)
    last = key
    return { key, at, length, text: plainBytes(shard.subarray(at, at + length), segment).toString() }
  })
}
