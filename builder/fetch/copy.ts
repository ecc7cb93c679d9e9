/**
 * In-house copies: a feeds folder of `fetch` on any static host, with files at `<base>/<path in the feeds folder>`.
 * The file list comes from the copy's `fetch.json`, else from the index page of the feed's folder. Without both, the
 * names are the publisher's.
 */
import { TransferError } from '../../corpus/transfer/error.ts'
import type { Publisher, PublisherContext } from './publishers.ts'
import { parseState, STATE_FILE } from './state.ts'
import type { FileAt } from './wanted.ts'

/** @throws TransferError */
export type ReadListing = (url: URL, maxBytes: number) => Promise<string>

const LISTING_BYTES = 16 << 20

/** `base` ends in `/`. */
export async function copiedFiles(
  publisher: Publisher,
  base: URL,
  at: PublisherContext,
  read: ReadListing,
): Promise<FileAt[]> {
  const { folder, copied, choose } = publisher
  const chosen = (files: FileAt[]) => {
    const wanted = files.filter(({ name }) => copied.test(name))
    if (!choose) return wanted
    const names = choose(
      wanted.map(({ name }) => name),
      at,
    )
    return wanted.filter(({ name }) => names.includes(name))
  }
  const listed = listedFiles(publisher, base, await ifThere(read(new URL(STATE_FILE, base), LISTING_BYTES)))
  if (listed) {
    const files = chosen(listed)
    if (files.length === 0) throw new TransferError('listing', `${STATE_FILE} of the copy lists no file of this feed`)
    return files
  }
  const index = new URL(`${folder}/`, base)
  const found = chosen(indexedFiles(index, await ifThere(read(index, LISTING_BYTES))))
  return found.length > 0 ? found : namedFiles(publisher, base, at)
}

/** Object stores answer 403 for missing files. */
async function ifThere(listing: Promise<string>): Promise<string | null> {
  try {
    return await listing
  } catch (error) {
    if (error instanceof TransferError && (error.code === 'missing' || error.code === 'refused')) return null
    throw error
  }
}

/** Returns null without a valid `fetch.json`. */
function listedFiles({ feed, folder }: Publisher, base: URL, text: string | null): FileAt[] | null {
  const state = text === null ? null : parseState(text)
  if (!state) return null
  return Object.values(state.files)
    .filter((file) => file.feed === feed && file.path.startsWith(`${folder}/`))
    .map(({ path, bytes, sha256 }) => ({
      name: path.slice(folder.length + 1),
      url: addressOf(base, path),
      bytes,
      sha256,
    }))
}

/** OSV's files are one folder deeper. Index pages do not show them, so a copy may lack `modified_id.csv`. */
function indexedFiles(index: URL, page: string | null): FileAt[] {
  const files = new Map<string, FileAt>()
  for (const [, double, single] of (page ?? '').matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)) {
    const url = URL.parse((double ?? single!).replaceAll('&amp;', '&'), index)
    if (!url?.href.startsWith(index.href)) continue
    const entry = decoded(url.pathname.slice(index.pathname.length))
    const names = entry?.endsWith('/') ? [`${entry}modified_id.csv`, `${entry}all.zip`] : entry ? [entry] : []
    for (const name of names) files.set(name, { name, url: addressOf(index, name) })
  }
  return [...files.values()]
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

/** @throws TransferError `listing` if the feed's names change every day */
function namedFiles({ folder, files }: Publisher, base: URL, at: PublisherContext): FileAt[] {
  const own = files(at)
  if (Array.isArray(own)) {
    // A publisher's `.meta` does not describe a copy.
    return own.map(({ meta: _, ...file }) => ({ ...file, url: addressOf(base, `${folder}/${file.name}`) }))
  }
  throw new TransferError(
    'listing',
    `cannot list the files of ${folder}/: ${base.href} has neither ${STATE_FILE} nor a folder index`,
  )
}

const addressOf = (base: URL, path: string) => new URL(path.split('/').map(encodeURIComponent).join('/'), base).href
