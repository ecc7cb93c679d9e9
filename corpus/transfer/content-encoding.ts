/** Decodes bodies that a server compresses although the request asks for none (RFC 9110, 8.4). */
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { TransferError } from './error.ts'
import type { Answer } from './network.ts'

/** Headers about the compressed bytes. */
const OF_ENCODED = ['content-length', 'repr-digest', 'x-goog-hash']

/**
 * Returns the answer with the plain body of `name`. A `.gz` file with `Content-Encoding: gzip` stays as it is, because
 * servers derive the header from its name. A decoded body cannot resume, so its ETag becomes weak.
 * @throws TransferError `wrong_body` for another encoding, `restart` for a part of a compressed body
 */
export async function decodedAnswer<Located extends Answer>(answer: Located, name: string): Promise<Located> {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() || 'identity'
  const isGzip = /^(?:x-)?gzip$/.test(encoding)
  const hasBody = answer.status === 200 || answer.status === 206
  if (!hasBody || encoding === 'identity' || (isGzip && name.endsWith('.gz'))) return answer
  if (!isGzip || answer.status === 206) {
    await answer.discard()
    throw isGzip
      ? new TransferError('restart', 'the server compresses ranges; starting again')
      : new TransferError('wrong_body', `its Content-Encoding is '${encoding}', which was not requested`)
  }
  const { etag, 'last-modified': modified, ...others } = answer.headers
  for (const header of OF_ENCODED) delete (others as Record<string, string>)[header]
  const validator =
    etag !== undefined ? { etag: `W/${etag.replace(/^W\//, '')}` } : modified ? { 'last-modified': modified } : {}
  return { ...answer, headers: { ...others, ...validator }, body: inflated(answer.body) }
}

/** Starts with the iteration, so that an error always has a receiver. */
async function* inflated(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* pipeline(Readable.from(body), createGunzip(), () => undefined)
}
