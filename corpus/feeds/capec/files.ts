/** Finds CAPEC files: its XML, or its STIX form as one file, a zip, or a checkout of `mitre/cti`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { utcTimestamp } from '../../model/values/date.ts'
import { rootAttributes } from '../catalog/xml.ts'
import { FeedError } from '../error.ts'
import type { FeedFile } from '../feed.ts'
import { dateInName, type FoundFile, findFiles } from '../files/choice.ts'
import { type Document, textOfDocument, withDocuments } from '../files/documents.ts'
import { isStixDocument, readStixObjects } from './stix-objects.ts'

const XML_NAME = /^capec.*\.xml(\.zip)?$/i
const STIX_NAME = /stix.*\.(json|zip)$/i
/** `capec/2.1`, or the `capec` folder of a checkout, which contains `2.1`. */
const FOLDER_NAME = /^(2\.1|capec)$/

export function isXmlFile({ name }: Pick<FeedFile, 'name'>): boolean {
  return /\.xml(\.zip)?$/i.test(name)
}

export const isXmlDocument = (name: string) => name.toLowerCase().endsWith('.xml')

export async function findCapec(feedsFolder: string): Promise<FeedFile[]> {
  const found = findFiles(feedsFolder, 'capec', (entry) =>
    entry.isDirectory() ? FOLDER_NAME.test(entry.name) : XML_NAME.test(entry.name) || STIX_NAME.test(entry.name),
  )
  const own = found.flatMap((file) => (file.directory ? checkoutFile(file) : [file]))
  const files: FeedFile[] = []
  for (const file of own) files.push(await datedFile(file))
  // The XML of an edition contains more than its STIX form: attack indicators, consequences, and their order.
  const xmlVersions = new Set(files.filter(isXmlFile).map(({ version }) => version))
  return files.filter((file) => isXmlFile(file) || file.version === null || !xmlVersions.has(file.version))
}

/** Returns the object folder, otherwise the single file next to it; empty when the folder has neither. */
function checkoutFile({ path, name }: FoundFile): FoundFile[] {
  const folders = [
    { path: join(path, '2.1'), name: `${name}/2.1` },
    { path, name },
  ]
  const objects = folders.find((folder) => existsSync(join(folder.path, 'attack-pattern')))
  if (objects) return [{ ...objects, directory: true }]
  const files = folders.map((folder) => ({
    path: join(folder.path, 'stix-capec.json'),
    name: `${folder.name}/stix-capec.json`,
    directory: false,
  }))
  return files.filter((file) => existsSync(file.path)).slice(0, 1)
}

async function datedFile({ path, name, directory }: FoundFile): Promise<FeedFile> {
  const file = { path, name, role: 'baseline', part: '', folder: directory } as const
  const named = dateInName(name)
  try {
    const { date, version } = isXmlFile(file)
      ? await withDocuments(file, isXmlDocument, xmlHead)
      : await withDocuments(file, isPatternDocument, stixHead)
    return { ...file, date: date ?? named, version: version ?? versionInName(name) }
  } catch (cause) {
    // Use the date in the name. Reading reports the error if this file is chosen.
    if (cause instanceof FeedError && named !== null) return { ...file, date: named, version: versionInName(name) }
    throw cause
  }
}

type Head = Pick<FeedFile, 'date' | 'version'>

function xmlHead(documents: readonly Document[]): Head {
  const head = rootAttributes(documents[0] ? textOfDocument(documents[0]) : '')
  return { date: utcTimestamp(head?.get('Date') ?? ''), version: head?.get('Version') ?? null }
}

const isPatternDocument = (name: string) =>
  isStixDocument(name) && !/(course-of-action|relationship)\/[^/]+$/.test(name)

function stixHead(documents: readonly Document[]): Head {
  const { modified, version } = readStixObjects(documents)
  return { date: modified, version }
}

/** Returns `3.9` for `capec-3.9-stix-2.1-objects.zip` or `capec_v3.9.xml`. */
function versionInName(name: string): string | null {
  return /capec[-_ ]?v?(\d+\.\d+)/i.exec(name.slice(name.lastIndexOf('/') + 1))?.[1] ?? null
}
