/** The CAPEC catalog in its XML or STIX form. Categories and views are no attack patterns and are ignored. */
import type { CapecEntry } from '../../model/catalog.ts'
import { type CatalogKind, catalogItems, type ReadCatalog, type ReadEntry } from '../catalog/entries.ts'
import { CAPEC_INVERSES } from '../catalog/relations.ts'
import { FeedError } from '../error.ts'
import { type FeedFile, type FeedItem, type ReadOptions, skipOf } from '../feed.ts'
import { textOfDocument, withDocuments } from '../files/documents.ts'
import { isXmlDocument, isXmlFile } from './files.ts'
import { isStixDocument, readStixObjects } from './stix-objects.ts'
import { readStixPattern } from './stix-pattern.ts'
import { readXmlCatalog } from './xml-catalog.ts'

export { findCapec } from './files.ts'

export const CAPEC_ADAPTER = 1

/** Yields the attack patterns: XML in file order, STIX by number. */
export async function* readCapec(file: FeedFile, options: ReadOptions): AsyncIterable<FeedItem> {
  const read = await (isXmlFile(file) ? readXml(file) : readStix(file))
  yield* catalogItems(read, PATTERNS, options)
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

async function readXml(file: FeedFile): Promise<ReadCatalog<CapecEntry>> {
  const text = await withDocuments(file, isXmlDocument, ([document, ...others]) => {
    if (!document || others.length > 0) throw new FeedError('file_invalid', 'it does not contain exactly one XML file')
    return textOfDocument(document)
  })
  return readXmlCatalog(text, file.name)
}

async function readStix(file: FeedFile): Promise<ReadCatalog<CapecEntry>> {
  const catalog = await withDocuments(file, isStixDocument, readStixObjects)
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
