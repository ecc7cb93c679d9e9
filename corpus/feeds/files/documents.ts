/** Reads the documents of a catalog, a few megabytes: a file, or the files of a zip. */
import { FeedError } from '../error.ts'
import type { FeedFile } from '../feed.ts'
import { utf8Text } from '../json.ts'
import { readItemFile } from './plain-file.ts'
import { openZip, readEntry, withZip, type ZipDirectory } from './zip.ts'

const MAX_DOCUMENT_BYTES = 64 << 20
const MAX_TOTAL_BYTES = 256 << 20
const MAX_DOCUMENTS = 20_000

export interface Document {
  name: string
  /** @throws FeedError when an entry is damaged or too large */
  read(): Buffer
}

/**
 * Returns the result of `work` for the documents that `wanted` accepts by name, sorted by name. A file that is no zip
 * is one document. `work` must read synchronously: the file is closed afterwards.
 * @throws FeedError when a file cannot be read, and those of `work`; messages begin with the file's name
 */
export async function withDocuments<T>(
  file: Pick<FeedFile, 'path' | 'name'>,
  wanted: (name: string) => boolean,
  work: (documents: Document[]) => T,
): Promise<T> {
  try {
    if (!file.name.endsWith('.zip')) return work([fileDocument(file.path, file.name)])
    const directory = await openCatalog(file.path)
    const entries = directory.entries.filter(({ name }) => wanted(name))
    if (entries.reduce((sum, { size }) => sum + size, 0) > MAX_TOTAL_BYTES) {
      throw new FeedError('file_invalid', `it has more than ${MAX_TOTAL_BYTES} bytes`)
    }
    return withZip(directory.position, (window) => {
      const documents = entries.map((entry) => ({
        name: entry.name,
        read: () => readEntry(window, entry, MAX_DOCUMENT_BYTES),
      }))
      return work(bounded(documents))
    })
  } catch (cause) {
    if (cause instanceof FeedError) throw new FeedError(cause.code, `${file.name}: ${cause.message}`, { cause })
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new FeedError('file_unreadable', `${file.name} cannot be read: ${cause.message}`, { cause })
  }
}

/** Opens a zip. Rejects a zip in a zip, which only the CVE list has, without extracting it. */
async function openCatalog(path: string): Promise<ZipDirectory> {
  const refusal = new FeedError('file_invalid', 'it contains only another zip; extract that one')
  const directory = await openZip(path, () => Promise.reject(refusal))
  if (directory.position.part) throw refusal
  return directory
}

/** @throws FeedError when a document is damaged, too large, or not UTF-8 */
export const textOfDocument = (document: Document): string => utf8Text(document.read())

function bounded(documents: Document[]): Document[] {
  if (documents.length > MAX_DOCUMENTS) throw new FeedError('file_invalid', `it has more than ${MAX_DOCUMENTS} files`)
  return documents.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function fileDocument(path: string, name: string): Document {
  return { name, read: () => readItemFile(path, MAX_DOCUMENT_BYTES) }
}
