/** The CAPEC catalog in STIX 2.1. Categories and views are no attack patterns and are ignored. */
import type { CapecEntry } from '../../model/catalog.ts'
import { type CatalogKind, catalogItems, type ReadCatalog, type ReadEntry } from '../catalog/entries.ts'
import { CAPEC_INVERSES } from '../catalog/relations.ts'
import { type FeedFile, type FeedItem, type ReadOptions, skipOf } from '../feed.ts'
import { withDocuments } from '../files/documents.ts'
import { isStixDocument, readStixObjects, type StixCatalog } from './stix-objects.ts'
import { readStixPattern } from './stix-pattern.ts'

export { findCapec } from './files.ts'

export const CAPEC_ADAPTER = 2

/** Yields the attack patterns by number. */
export async function* readCapec(file: FeedFile, options: ReadOptions): AsyncIterable<FeedItem> {
  const catalog = await withDocuments(file, isStixDocument, readStixObjects)
  yield* catalogItems(readPatterns(catalog), PATTERNS, options)
}

const PATTERNS: CatalogKind<CapecEntry> = {
  adapter: CAPEC_ADAPTER,
  inverses: CAPEC_INVERSES,
  keyOf: (entry) => entry.display,
  related: (entry, relations) => ({
    ...entry,
    related_attack_patterns: relations.map(({ to, name, nature }) => ({
      capec_id: `CAPEC-${to}`,
      slug: `capec-${to}`,
      name,
      nature,
    })),
  }),
}

function readPatterns(catalog: StixCatalog): ReadCatalog<CapecEntry> {
  const entries: ReadEntry<CapecEntry>[] = []
  const skips = [...catalog.skips]
  for (const [number, pattern] of catalog.patterns) {
    try {
      entries.push(readStixPattern(number, pattern, catalog))
    } catch (cause) {
      skips.push(skipOf(`CAPEC-${number}`, cause))
    }
  }
  return { entries, skips }
}
