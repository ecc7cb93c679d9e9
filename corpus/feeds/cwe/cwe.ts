/**
 * Reads the CWE catalog: one XML file, optionally zipped. Categories and views are no weaknesses and are ignored (rule
 * 27).
 */

import type { CweEntry } from '../../model/catalog.ts'
import { utcTimestamp } from '../../model/values/date.ts'
import { type CatalogKind, catalogItems, type ReadCatalog, type ReadEntry } from '../catalog/entries.ts'
import { readHead } from '../catalog/head.ts'
import { CWE_INVERSES } from '../catalog/relations.ts'
import { attributeOf, itemsOf, parseXml, rootAttributes } from '../catalog/xml.ts'
import { FeedError } from '../error.ts'
import { type FeedFile, type FeedItem, type FeedSkip, type ReadOptions, skipOf } from '../feed.ts'
import { dateInName, type FoundFile, findFiles } from '../files/choice.ts'
import { type Document, textOfDocument, withDocuments } from '../files/documents.ts'
import { readWeakness } from './weakness.ts'

export const CWE_ADAPTER = 2

const FILE_NAME = /^cwec.*\.xml(\.zip)?$/i

export async function findCwe(feedsFolder: string): Promise<FeedFile[]> {
  const found = findFiles(feedsFolder, 'cwe', (entry) => entry.isFile() && FILE_NAME.test(entry.name))
  const files: FeedFile[] = []
  for (const file of found) files.push(await datedFile(file))
  return files
}

async function datedFile({ path, name }: FoundFile): Promise<FeedFile> {
  const file = { path, name, role: 'baseline', part: '', folder: false } as const
  try {
    const head = rootAttributes(await withDocuments(file, isXml, onlyText))
    const date = utcTimestamp(head?.get('Date') ?? '')
    return { ...file, date: date ?? dateInName(name), version: head?.get('Version') ?? null }
  } catch (cause) {
    const date = dateInName(name)
    // Use the date in the name. Reading reports the error if this file is chosen.
    if (cause instanceof FeedError && date !== null) return { ...file, date, version: null }
    throw cause
  }
}

export async function* readCwe(file: FeedFile, options: ReadOptions): AsyncIterable<FeedItem> {
  const text = await withDocuments(file, isXml, onlyText)
  yield* catalogItems(readWeaknesses(text, file.name), WEAKNESSES, options)
}

const WEAKNESSES: CatalogKind<CweEntry> = {
  adapter: CWE_ADAPTER,
  inverses: CWE_INVERSES,
  keyOf: (entry) => entry.cwe_id,
  related: (entry, relations) => ({
    ...entry,
    relationships: relations.map(({ to, name, nature }) => ({ cwe_id: `CWE-${to}`, slug: `cwe-${to}`, name, nature })),
  }),
}

function readWeaknesses(text: string, fileName: string): ReadCatalog<CweEntry> {
  const root = parseXml(text, fileName)
  if (root.name !== 'Weakness_Catalog') {
    throw new FeedError('file_invalid', `${fileName} is not a CWE catalog: its root element is ${root.name}`)
  }
  const head = readHead(root, fileName)
  const entries: ReadEntry<CweEntry>[] = []
  const skips: FeedSkip[] = []
  for (const [index, element] of itemsOf(root, 'Weaknesses', 'Weakness').entries()) {
    const id = attributeOf(element, 'ID')
    try {
      entries.push(readWeakness(element, head))
    } catch (cause) {
      skips.push(skipOf(id === null ? `weakness ${index + 1}` : `CWE-${id}`, cause))
    }
  }
  return { entries, skips }
}

const isXml = (name: string) => name.toLowerCase().endsWith('.xml')

/** Returns the text of the catalog, which must be the only XML file in its zip. */
function onlyText(documents: readonly Document[]): string {
  const [document, ...others] = documents
  if (!document || others.length > 0) {
    throw new FeedError('file_invalid', `it contains ${documents.length} XML files, not one`)
  }
  return textOfDocument(document)
}
