/** Checks a downloaded file, names it, and replaces the previous one with a single rename. Keeps the `.meta` of NVD's. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from '../../corpus/command/effects.ts'
import { headOf } from '../../corpus/feeds/files/plain-file.ts'
import type { PublishedFeed } from '../../corpus/feeds/table.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import { readText } from '../../corpus/transfer/receive.ts'
import type { LocatedAnswer } from '../../corpus/transfer/request.ts'
import { checkBody } from './body.ts'
import { compareDigests, digestsOf, META_HEAD, readMeta, statedDigests } from './digest.ts'
import { type DownloadContext, partialName } from './download.ts'
import type { FetchState } from './state.ts'
import { metaPath, type WantedFile } from './wanted.ts'

export interface ArrivedFile extends DownloadContext {
  feed: PublishedFeed
  wanted: WantedFile
}

const META_BYTES = 4096

/**
 * Moves the partial file to its final path and records it in the state.
 * @throws TransferError `wrong_body`, `digest`, or the error of requesting the `.meta`
 */
export async function installFile(arrival: ArrivedFile, partial: string, answer: LocatedAnswer): Promise<void> {
  const { feeds, feed, effects, state, wanted } = arrival
  const body = await checkBody(partial, wanted.path, wanted.head)
  const found = await digestsOf(partial)
  compareDigests(found, statedDigests(answer.headers), 'its server')
  compareDigests(found, wanted, 'the list')
  const meta = wanted.meta ? await comparedMeta(arrival, wanted.meta, found.bytes, body.plain?.sha256) : null
  const path = wanted.rename ? renamed(wanted, body.head, answer.url) : wanted.path
  const { etag, lastModified } = state.state.partials[wanted.path]!
  assertNewer(arrival, path, body.head, lastModified)
  await effects.sync(partial)
  await effects.rename(partial, join(feeds, path))
  // After the feed: a reader of both then sees an old `.meta` at worst, and asks again later.
  const kept = await keepMeta(arrival, meta)
  await state.update(({ files, partials }) => {
    const { bytes, sha256 } = found
    const fetchedAt = effects.now().toISOString()
    files[wanted.path] = { feed, path, url: wanted.url.href, etag, lastModified, bytes, sha256, fetchedAt }
    if (kept) files[kept.path] = kept
    delete partials[wanted.path]
  })
}

/**
 * Compares the date inside the files, else `Last-Modified`: the copy of a mirror may be behind the file here.
 * @throws TransferError `older`
 */
function assertNewer(
  { feeds, state, wanted }: ArrivedFile,
  path: string,
  head: string,
  lastModified: string | null,
): void {
  const file = join(feeds, path)
  if (!existsSync(file)) return
  const [own, given] = wanted.dated ? [wanted.dated(headOf({ path: file })), wanted.dated(head)] : [null, null]
  const isDated = own != null && given != null
  const kept = state.state.files[wanted.path]
  const httpDate = (text: string | null | undefined) => new Date(text ?? Number.NaN)
  const [before, now] = isDated
    ? [new Date(own), new Date(given)]
    : [httpDate(kept?.path === path ? kept.lastModified : null), httpDate(lastModified)]
  if (!(now < before)) return
  const [older, newer] = [now, before].map((date) => date.toISOString())
  throw new TransferError('older', `it is of ${older}, older than the file here, which is of ${newer} and stays`)
}

/**
 * Requests the `.meta` of a file that is here already, for a folder that an earlier version filled.
 * @throws TransferError `digest` if it describes a newer file, or the error of the request
 */
export async function addMeta(arrival: ArrivedFile, url: URL): Promise<void> {
  const { feeds, state, wanted } = arrival
  const file = join(feeds, wanted.path)
  const { plain } = await checkBody(file, wanted.path, wanted.head)
  const { bytes } = await digestsOf(file)
  const kept = await keepMeta(arrival, await comparedMeta(arrival, url, bytes, plain?.sha256))
  if (!kept) return
  await state.update(({ files }) => {
    files[kept.path] = kept
  })
}

/** Writes the `.meta`. Null removes one of an earlier edition; in a copy, the new one is a file of its own. */
async function keepMeta(
  { feeds, feed, effects, wanted }: ArrivedFile,
  text: string | null,
): Promise<FetchState['files'][string] | null> {
  const path = metaPath(wanted.path)
  if (path === wanted.path) return null
  const file = join(feeds, path)
  if (text === null) {
    await effects.remove(file)
    return null
  }
  const bytes = Buffer.from(text)
  await replaceFile(file, bytes, join(feeds, partialName(path)), effects)
  return {
    feed,
    path,
    url: wanted.meta!.href,
    etag: null,
    lastModified: null,
    bytes: bytes.length,
    sha256: sha256(bytes),
    fetchedAt: effects.now().toISOString(),
  }
}

function renamed({ path, rename }: WantedFile, head: string, from: URL): string {
  const name = rename!(head, from)
  if (name === null)
    throw new TransferError('wrong_body', 'its date is unknown: neither its first line nor its URL states one')
  return `${dirname(path)}/${name}`
}

/**
 * Returns the `.meta` that describes the file. A missing one, and another page, are null: the gzip's own CRC has been
 * checked.
 */
async function comparedMeta(
  { effects, credentials }: ArrivedFile,
  url: URL,
  bytes: number,
  plainSha256: string | undefined,
): Promise<string | null> {
  let text: string
  try {
    text = await readText(effects, url, META_BYTES, credentials)
  } catch (error) {
    if (error instanceof TransferError && error.code === 'missing') return null
    throw error
  }
  const { gzipBytes = bytes, plainSha256: stated = plainSha256 } = readMeta(text)
  // NVD renews both files every two hours; a retry resolves a mismatch.
  if (gzipBytes !== bytes)
    throw new TransferError('digest', `it has ${bytes} bytes, but its .meta file states ${gzipBytes}`)
  if (stated !== plainSha256) {
    throw new TransferError('digest', `the SHA-256 of its text is ${plainSha256}, but its .meta file states ${stated}`)
  }
  return META_HEAD.test(text) ? text : null
}
