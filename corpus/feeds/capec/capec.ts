/** The CAPEC catalogue, from its XML or its STIX form. Categories and views are no attack patterns and not read. */
import { CAPEC_INVERSES, completeRelations } from '../catalogue-relations.ts'
import { withDocuments } from '../documents.ts'
import { FeedError } from '../error.ts'
import { type FeedFile, type FeedItem, isSameDigest, itemDigest, type ReadOptions, skipOf } from '../feed.ts'
import { isXmlDocument, isXmlFile } from './files.ts'
import type { ReadPattern } from './pattern.ts'
import { isStixDocument, readStixObjects } from './stix-objects.ts'
import { readStixPattern } from './stix-pattern.ts'
import { type ReadCatalogue, readXmlCatalogue } from './xml-catalogue.ts'

export { findCapec } from './files.ts'

export const CAPEC_ADAPTER = 1

/**
 * The attack patterns, as CAPEC's XML has them in its order, of STIX by number. They name each other, so an entry is
 * known by all that it says, names included.
 */
export async function* readCapec(file: FeedFile, options: ReadOptions): AsyncIterable<FeedItem> {
  const { patterns, skips } = await (isXmlFile(file) ? readXml(file) : readStix(file))
  const read = new Map<number, ReadPattern>()
  for (const pattern of patterns) {
    const { numeric_id, display } = pattern.entry
    if (read.has(numeric_id)) {
      skips.push(skipOf(display, new FeedError('item_invalid', 'it is in the catalogue twice')))
    } else read.set(numeric_id, pattern)
  }
  const stated = new Map([...read].map(([id, { relations }]) => [id, relations]))
  const relations = completeRelations(stated, CAPEC_INVERSES)
  for (const [id, { entry }] of read) {
    entry.related_attack_patterns = (relations.get(id) ?? []).map(({ to, nature }) => ({
      capec_id: `CAPEC-${to}`,
      slug: `capec-${to}`,
      name: read.get(to)?.entry.name ?? null,
      nature,
    }))
    const body = JSON.stringify(entry)
    const key = entry.display
    const digest = itemDigest(CAPEC_ADAPTER, body)
    if (isSameDigest(options.digestOf(key), digest)) yield { kind: 'known', key, digest }
    else yield { kind: 'claim', key, cveIds: [], digest, statedAt: entry.updated_at, body, notes: [] }
  }
  yield* skips
}

async function readXml(file: FeedFile): Promise<ReadCatalogue> {
  const text = await withDocuments(file, isXmlDocument, ([document, ...others]) => {
    if (!document || others.length > 0) throw new FeedError('file_invalid', 'it does not hold one XML file')
    return document.read().toString('utf8')
  })
  return readXmlCatalogue(text, file.name)
}

async function readStix(file: FeedFile): Promise<ReadCatalogue> {
  const catalogue = await withDocuments(file, isStixDocument, readStixObjects)
  const patterns: ReadPattern[] = []
  const skips = [...catalogue.skips]
  for (const [number, pattern] of catalogue.patterns) {
    try {
      patterns.push(readStixPattern(number, pattern, catalogue))
    } catch (cause) {
      skips.push(skipOf(`CAPEC-${number}`, cause))
    }
  }
  return { patterns, skips }
}
