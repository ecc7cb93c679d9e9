/** Checks a downloaded file, names it, and replaces the previous one with a single rename. */
import { dirname, join } from 'node:path'
import type { PublishedFeed } from '../../corpus/feeds/table.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import { readText } from '../../corpus/transfer/receive.ts'
import type { LocatedAnswer } from '../../corpus/transfer/request.ts'
import { checkBody } from './body.ts'
import { compareDigests, digestsOf, readMeta, statedDigests } from './digest.ts'
import type { DownloadContext } from './download.ts'
import type { WantedFile } from './wanted.ts'

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
  if (wanted.meta) await compareMeta(arrival, wanted.meta, found.bytes, body.plain?.sha256)
  const path = wanted.rename ? renamed(wanted, body.head, answer.url) : wanted.path
  const { etag, lastModified } = state.state.partials[wanted.path]!
  await effects.sync(partial)
  await effects.rename(partial, join(feeds, path))
  await state.update(({ files, partials }) => {
    const { bytes, sha256 } = found
    const fetchedAt = effects.now().toISOString()
    files[wanted.path] = { feed, path, url: wanted.url.href, etag, lastModified, bytes, sha256, fetchedAt }
    delete partials[wanted.path]
  })
}

function renamed({ path, rename }: WantedFile, head: string, from: URL): string {
  const name = rename!(head, from)
  if (name === null)
    throw new TransferError('wrong_body', 'its date is unknown: neither its first line nor its URL states one')
  return `${dirname(path)}/${name}`
}

/** A missing `.meta` is accepted: the gzip's own CRC has been checked. */
async function compareMeta(
  { effects, credentials }: ArrivedFile,
  url: URL,
  bytes: number,
  plainSha256: string | undefined,
): Promise<void> {
  let text: string
  try {
    text = await readText(effects, url, META_BYTES, credentials)
  } catch (error) {
    if (error instanceof TransferError && error.code === 'missing') return
    throw error
  }
  const { gzipBytes = bytes, plainSha256: stated = plainSha256 } = readMeta(text)
  // NVD renews both files every two hours; a retry resolves a mismatch.
  if (gzipBytes !== bytes)
    throw new TransferError('digest', `it has ${bytes} bytes, but its .meta file states ${gzipBytes}`)
  if (stated !== plainSha256) {
    throw new TransferError('digest', `the SHA-256 of its text is ${plainSha256}, but its .meta file states ${stated}`)
  }
}
