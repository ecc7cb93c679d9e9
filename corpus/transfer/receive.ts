/** A body into a file, piece by piece: no more than agreed, no less than announced, and not at a crawl. */

import { watchCrawl } from './crawl.ts'
import { TransferError } from './error.ts'
import type { GrowingFile } from './network.ts'
import { networkError } from './request.ts'

export interface Receiving {
  /** Where the body's first byte goes. */
  offset: number
  /** Bytes that the file is to have in the end; null where the server does not say. */
  total: number | null
  /** No file is longer. */
  most: number
  now(): Date
  /** Told of each piece: the file's length with it, and its own. */
  onBytes(position: number, bytes: number): void
}

/** @throws TransferError `network`, `cut`, `stalled` (worth another attempt, what arrived stays), `too_large` */
export async function receive(
  body: AsyncIterable<Uint8Array>,
  file: GrowingFile,
  { offset, total, most, now, onBytes }: Receiving,
): Promise<void> {
  let position = offset
  const arrived = watchCrawl(now)
  for await (const chunk of failing(body)) {
    position += chunk.length
    if (position > (total ?? most)) {
      // What is beyond the announced end is the server's fault, and what is before it may be too.
      if (total !== null) throw new TransferError('restart', `more bytes than the ${total} announced`)
      throw new TransferError('too_large', `more than ${most} bytes`)
    }
    await file.write(chunk)
    onBytes(position, chunk.length)
    arrived(chunk.length)
  }
  if (total !== null && position !== total) throw new TransferError('cut', `${position} of ${total} bytes`)
}

/** A body whose failure is a `TransferError`; failing to write stays what it is. */
async function* failing(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw networkError(cause)
  }
}
