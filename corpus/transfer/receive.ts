/** Receives a body into a file or into memory. Checks its maximum and announced length and its minimum rate. */

import { decodedAnswer } from './content-encoding.ts'
import { TransferError } from './error.ts'
import { watchMinimumRate } from './minimum-rate.ts'
import type { GrowingFile, NetworkEffects } from './network.ts'
import { type Credentials, get, networkError } from './request.ts'
import { statusError } from './retry.ts'

export interface Receiving {
  /** File offset of the body's first byte. */
  offset?: number
  /** Final length of the file in bytes. Null if the server does not announce it. */
  total?: number | null
  /** Maximum length of the file in bytes. */
  most: number
  now(): Date
  /** Called for each chunk with the file's new length and the chunk's length. */
  onBytes?: ((position: number, bytes: number) => void) | undefined
}

/**
 * Writes the body into `file`.
 * @throws TransferError `network`, `cut`, `stalled` (retry; the received bytes stay), `restart` or `too_large`
 */
export async function receive(
  body: AsyncIterable<Uint8Array>,
  file: Pick<GrowingFile, 'write'>,
  { offset = 0, total = null, most, now, onBytes }: Receiving,
): Promise<void> {
  let position = offset
  const arrived = watchMinimumRate(now)
  for await (const chunk of failing(body)) {
    position += chunk.length
    if (position > (total ?? most)) {
      // Bytes after the announced end are the server's fault, so the bytes before it may be wrong too.
      if (total !== null) throw new TransferError('restart', `more bytes than the ${total} announced`)
      throw new TransferError('too_large', `more than ${most} bytes`)
    }
    await file.write(chunk)
    onBytes?.(position, chunk.length)
    arrived(chunk.length)
  }
  if (total !== null && position !== total) throw new TransferError('cut', `${position} of ${total} bytes`)
}

/** Passes a body through. Its failures become TransferErrors; errors of writing do not. */
async function* failing(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw networkError(cause)
  }
}

/**
 * Returns a small body. `onBytes` is called with the number of bytes received so far.
 * @throws TransferError `network`, `stalled`, or `too_large` above `most` bytes
 */
export async function readWhole(
  body: AsyncIterable<Uint8Array>,
  most: number,
  now: () => Date,
  onBytes?: (received: number) => void,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  await receive(body, { write: async (chunk) => void chunks.push(chunk) }, { most, now, onBytes })
  return Buffer.concat(chunks)
}

/**
 * Returns a small text: a listing or a `.meta` file.
 * @throws TransferError, `too_large` above `most` bytes
 */
export async function readText(
  effects: NetworkEffects,
  url: URL,
  most: number,
  credentials: Credentials,
): Promise<string> {
  const answer = await decodedAnswer(await get(effects, url, {}, credentials), url.pathname)
  if (answer.status === 200) return (await readWhole(answer.body, most, effects.now)).toString('utf8')
  await answer.discard()
  throw statusError(answer, effects.now())
}
