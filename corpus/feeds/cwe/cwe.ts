/** The CWE catalogue: one XML file, also zipped. Categories and views are not weaknesses and not read (decisions 27). */
import { utcTimestamp } from '../../model/date.ts'
import { CWE_INVERSES, completeRelations } from '../catalogue-relations.ts'
import { readHead } from '../catalogue-xml.ts'
import { dateInName, type FoundFile, findFiles } from '../choice.ts'
import { type Document, withDocuments } from '../documents.ts'
import { FeedError } from '../error.ts'
import {
  type FeedFile,
  type FeedItem,
  type FeedSkip,
  isSameDigest,
  itemDigest,
  type ReadOptions,
  skipOf,
} from '../feed.ts'
import { attributeOf, itemsOf, parseXml, rootAttributes } from '../xml.ts'
import { type ReadWeakness, readWeakness } from './weakness.ts'

export const CWE_ADAPTER = 1

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
    // Its name dates it, and reading it will tell what is wrong, should it be the one that is chosen.
    if (cause instanceof FeedError && date !== null) return { ...file, date, version: null }
    throw cause
  }
}

/** The weaknesses in the file's order. They name each other, so an entry is known by all that it says, names included. */
export async function* readCwe(file: FeedFile, options: ReadOptions): AsyncIterable<FeedItem> {
  const root = parseXml(await withDocuments(file, isXml, onlyText), file.name)
  if (root.name !== 'Weakness_Catalog') {
    throw new FeedError('file_invalid', `${file.name} is no CWE catalogue: its root is ${root.name}`)
  }
  const head = readHead(root, file.name)
  const read = new Map<number, ReadWeakness>()
  const skips: FeedSkip[] = []
  for (const [index, element] of itemsOf(root, 'Weaknesses', 'Weakness').entries()) {
    const id = attributeOf(element, 'ID')
    try {
      const weakness = readWeakness(element, head)
      if (read.has(weakness.entry.numeric_id)) throw new FeedError('item_invalid', 'it is in the catalogue twice')
      read.set(weakness.entry.numeric_id, weakness)
    } catch (cause) {
      skips.push(skipOf(id === null ? `weakness ${index + 1}` : `CWE-${id}`, cause))
    }
  }

  const relations = completeRelations(
    new Map([...read].map(([id, weakness]) => [id, weakness.relations])),
    CWE_INVERSES,
  )
  for (const [id, { entry }] of read) {
    entry.relationships = (relations.get(id) ?? []).map(({ to, nature }) => ({
      cwe_id: `CWE-${to}`,
      slug: `cwe-${to}`,
      name: read.get(to)?.entry.name ?? null,
      nature,
    }))
    const body = JSON.stringify(entry)
    const key = entry.cwe_id
    const digest = itemDigest(CWE_ADAPTER, body)
    if (isSameDigest(options.digestOf(key), digest)) yield { kind: 'known', key, digest }
    else yield { kind: 'claim', key, cveIds: [], digest, statedAt: entry.updated_at, body, notes: [] }
  }
  yield* skips
}

const isXml = (name: string) => name.toLowerCase().endsWith('.xml')

/** The catalogue is the only XML file in its zip. */
function onlyText(documents: readonly Document[]): string {
  const [document, ...others] = documents
  if (!document || others.length > 0) {
    throw new FeedError('file_invalid', `it holds ${documents.length} XML files instead of one`)
  }
  return document.read().toString('utf8')
}
