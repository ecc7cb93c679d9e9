/**
 * The documents that a catalogue comes in: a file, the files of a zip, or those of a checkout. Catalogues are a few
 * megabytes, and what they say of themselves is asked while files are looked for, so all of this is synchronous.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FeedError } from './error.ts'
import type { FeedFile } from './feed.ts'
import type { FileWindow } from './file-window.ts'
import { readEntry, withZip, type ZipEntry } from './zip.ts'

const MAX_DOCUMENT_BYTES = 64 << 20
const MAX_TOTAL_BYTES = 256 << 20
const MAX_DOCUMENTS = 20_000

/** Folders lie in folders: `capec/2.1/attack-pattern/<id>.json`. */
const FOLDER_DEPTH = 3

export interface Document {
  name: string
  /** Throws `FeedError` for an entry that is damaged or too large. */
  read(): Buffer
}

/**
 * What `work` makes of the documents of a file whose names `wanted` says yes to, by name. A file that is no zip is one
 * document, whatever its name.
 * @throws FeedError for a file that cannot be read at all, and those that `work` throws; the file's name goes before each
 */
export function withDocuments<T>(
  file: Pick<FeedFile, 'path' | 'name' | 'folder'>,
  wanted: (name: string) => boolean,
  work: (documents: Document[]) => T,
): T {
  try {
    if (file.folder) return work(bounded(folderDocuments(file.path, '', wanted, FOLDER_DEPTH)))
    if (!file.name.endsWith('.zip')) return work([fileDocument(file.path, file.name)])
    return withZip({ path: file.path }, (window) => {
      const entries = listEntries(window).filter(({ name }) => wanted(name))
      if (entries.reduce((sum, { size }) => sum + size, 0) > MAX_TOTAL_BYTES) {
        throw new FeedError('file_invalid', `holds more than ${MAX_TOTAL_BYTES} bytes`)
      }
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

function bounded(documents: Document[]): Document[] {
  if (documents.length > MAX_DOCUMENTS) throw new FeedError('file_invalid', `holds more than ${MAX_DOCUMENTS} files`)
  return documents.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function fileDocument(path: string, name: string): Document {
  const { size } = statSync(path)
  return {
    name,
    read() {
      if (size > MAX_DOCUMENT_BYTES) {
        throw new FeedError('entry_too_large', `${size} bytes, the limit is ${MAX_DOCUMENT_BYTES}`)
      }
      return readFileSync(path)
    },
  }
}

function folderDocuments(root: string, folder: string, wanted: (name: string) => boolean, depth: number): Document[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return depth > 0 ? folderDocuments(root, name, wanted, depth - 1) : []
    return entry.isFile() && wanted(name) ? [fileDocument(join(root, name), name)] : []
  })
}

/** APPNOTE 4.3.16: signature and fixed length of the end of the central directory; a comment may follow. */
const END = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff
/** APPNOTE 4.3.12: signature and fixed length of a file header in the central directory. */
const HEADER = 0x02014b50
const HEADER_BYTES = 46

/**
 * The files of a zip, from its central directory. Not zip64, which starts at 4 GB and 65,535 files. (The other reader
 * of directories is asynchronous, because yauzl is.)
 */
function listEntries(window: FileWindow): ZipEntry[] {
  const tailBytes = Math.min(window.size, END_BYTES + MAX_COMMENT_BYTES)
  const tail = Buffer.from(window.at(window.size - tailBytes, tailBytes))
  let end = tail.length - END_BYTES
  while (end >= 0 && tail.readUInt32LE(end) !== END) end--
  if (end < 0) throw new FeedError('file_damaged', 'it is no zip, or its end is missing')
  const count = tail.readUInt16LE(end + 10)
  const directory = Buffer.from(window.at(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12)))
  const entries: ZipEntry[] = []
  let at = 0
  for (let index = 0; index < count; index++) {
    if (at + HEADER_BYTES > directory.length || directory.readUInt32LE(at) !== HEADER) {
      throw new FeedError('file_damaged', `entry ${index + 1} of its directory is damaged`)
    }
    const nameEnd = at + HEADER_BYTES + directory.readUInt16LE(at + 28)
    const name = directory.toString('utf8', at + HEADER_BYTES, nameEnd)
    if (!name.endsWith('/')) {
      entries.push({
        name,
        offset: directory.readUInt32LE(at + 42),
        compressedSize: directory.readUInt32LE(at + 20),
        size: directory.readUInt32LE(at + 24),
        crc32: directory.readUInt32LE(at + 16),
        method: directory.readUInt16LE(at + 10),
        encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      })
    }
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return entries
}
