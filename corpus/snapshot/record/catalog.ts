/** Catalog shards: one member per catalog entry, as the feed states it, sorted by key. SPEC.md, "Catalog shard". */

import { SHORT_HASH_LENGTH, shortHash } from '../../runtime/digest.ts'
import { MAX_CATALOG_PLAIN } from '../bounds.ts'
import { plainBytes } from '../codec/segment-bytes.ts'
import { SnapshotError } from '../error.ts'
import { encodeMember } from './member.ts'
import { checkPlainLength, contentDigest, membersOf } from './shard.ts'

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

/**
 * Encodes entries, which must be sorted by key. `kept` returns the existing member of a key with the same source
 * digest.
 */
export function encodeCatalog(
  entries: readonly CatalogEntry[],
  kept: (key: string, source: Uint8Array) => Uint8Array | null = () => null,
): EncodedCatalog {
  const digest = contentDigest()
  const members: Uint8Array[] = []
  const located: LocatedEntry[] = []
  let at = 0
  for (const { key, text } of entries) {
    const plain = Buffer.from(text)
    const source = shortHash(plain)
    const segment = { kind: ENTRY_KIND, count: 1, plain }
    const member = kept(key, source) ?? encodeMember(key, [segment, Buffer.from('\n')], source).bytes
    members.push(member)
    located.push({ key, text, at, length: member.length })
    at += member.length
    digest.add({ key, segments: [{ kind: ENTRY_KIND, count: 1, plainLength: plain.length, hash: source }] })
  }
  return { bytes: new Uint8Array(Buffer.concat(members)), content: digest.hex(), entries: located }
}

/** Returns the `kept` function of `encodeCatalog` for an existing shard. */
export function keptEntries(shard: Buffer | null): (key: string, source: Uint8Array) => Uint8Array | null {
  const members = new Map<string, { source: Uint8Array; bytes: Uint8Array }>()
  for (const { key, source, at, length } of shard ? membersOf(shard) : []) {
    members.set(key, { source, bytes: shard!.subarray(at, at + length) })
  }
  return (key, source) => {
    const member = members.get(key)
    const isSame = member && source.length === SHORT_HASH_LENGTH && Buffer.compare(member.source, source) === 0
    return isSame ? member.bytes : null
  }
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
