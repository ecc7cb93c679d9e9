/** Finds CAPEC's STIX files: one JSON file, or a zip of it or of one file per object, as `mitre/cti` lays them out. */
import { FeedError } from '../error.ts'
import type { FeedFile } from '../feed.ts'
import { dateInName, type FoundFile, findFiles } from '../files/choice.ts'
import { withDocuments } from '../files/documents.ts'
import { isStixDocument, readStixObjects } from './stix-objects.ts'

const STIX_NAME = /^(?=.*stix).*\.(json|zip)$/is

export async function findCapec(feedsFolder: string): Promise<FeedFile[]> {
  const files: FeedFile[] = []
  for (const file of findFiles(feedsFolder, 'capec', (entry) => entry.isFile() && STIX_NAME.test(entry.name)))
    files.push(await datedFile(file))
  return files
}

async function datedFile({ path, name }: FoundFile): Promise<FeedFile> {
  const file = { path, name, role: 'baseline', part: '', folder: false } as const
  const named = dateInName(name)
  try {
    const { modified, version } = await withDocuments(file, isPatternDocument, readStixObjects)
    return { ...file, date: modified ?? named, version: version ?? versionInName(name) }
  } catch (cause) {
    // Use the date in the name. Reading reports the error if this file is chosen.
    if (cause instanceof FeedError && named !== null) return { ...file, date: named, version: versionInName(name) }
    throw cause
  }
}

const isPatternDocument = (name: string) =>
  isStixDocument(name) && !/(course-of-action|relationship)\/[^/]+$/.test(name)

/** Returns `3.9` for `capec-3.9-stix-2.1-objects.zip`. */
function versionInName(name: string): string | null {
  return /capec[-_ ]?v?(\d+\.\d+)/i.exec(name.slice(name.lastIndexOf('/') + 1))?.[1] ?? null
}
