/** Converts parsed catalog entries to feed items, with completed relations. */
import { FeedError } from '../error.ts'
import { facetBits } from '../facets.ts'
import {
  assertNameLength,
  claimText,
  type FeedItem,
  type FeedSkip,
  isSameDigest,
  itemDigest,
  MAX_ENTRY_LENGTH,
  type ReadOptions,
  skipOf,
} from '../feed.ts'
import { completeRelations, type Inverses, type Relation } from './relations.ts'

interface Entry {
  numeric_id: number
  name: string | null
  description: string | null
  updated_at: string
}

/** An entry before its relations and the names of related entries are completed. */
export interface ReadEntry<E extends Entry> {
  entry: E
  relations: readonly Relation[]
}

export interface ReadCatalog<E extends Entry> {
  entries: ReadEntry<E>[]
  skips: FeedSkip[]
}

/** A relation with the name of the other entry; null when the catalog does not contain it. */
export interface NamedRelation extends Relation {
  name: string | null
}

export interface CatalogKind<E extends Entry> {
  adapter: number
  inverses: Inverses
  keyOf(entry: E): string
  related(entry: E, relations: readonly NamedRelation[]): E
}

/**
 * Yields the items in entry order, then the skips, including duplicate numbers. Digests cover the names of related
 * entries.
 */
export function* catalogItems<E extends Entry>(
  { entries, skips }: ReadCatalog<E>,
  { adapter, inverses, keyOf, related }: CatalogKind<E>,
  { digestOf }: Pick<ReadOptions, 'digestOf'>,
): Iterable<FeedItem> {
  const byNumber = new Map<number, ReadEntry<E>>()
  const twice: FeedSkip[] = []
  for (const read of entries) {
    const { numeric_id } = read.entry
    if (!byNumber.has(numeric_id)) byNumber.set(numeric_id, read)
    else twice.push(skipOf(keyOf(read.entry), new FeedError('item_invalid', 'it is in the catalog twice')))
  }
  const stated = new Map([...byNumber].map(([number, { relations }]) => [number, relations]))
  for (const [number, relations] of completeRelations(stated, inverses)) {
    const { entry } = byNumber.get(number)!
    const named = relations.map((relation) => ({ ...relation, name: byNumber.get(relation.to)?.entry.name ?? null }))
    const key = keyOf(entry)
    try {
      assertNameLength('its name', entry.name)
      const body = claimText(related(entry, named), MAX_ENTRY_LENGTH)
      const digest = itemDigest(adapter, body)
      if (isSameDigest(digestOf(key), digest)) yield { kind: 'known', key, digest }
      else {
        const facets = facetBits({
          name: entry.name !== null && entry.name !== '',
          description: entry.description !== null && entry.description !== '',
          relations: relations.length > 0,
        })
        yield { kind: 'claim', key, cveIds: [], digest, statedAt: entry.updated_at, body, notes: [], facets }
      }
    } catch (cause) {
      yield skipOf(key, cause)
    }
  }
  yield* skips
  yield* twice
}
