/**
 * Memory for the bodies of answers. The system usually copies a body at once, so the next answer reuses the memory while
 * it is still in the processor's caches. test/bench/README.md, "Choices".
 */
import type { ServerResponse } from 'node:http'

/** Enough for most pages of 100 rows. */
const BYTES = 65_536

let memory = Buffer.allocUnsafeSlow(BYTES)

/** Returns `length` bytes of any content. The next call returns the same bytes, unless `afterSend` keeps them. */
export function sendBuffer(length: number): Buffer {
  if (length > BYTES) return Buffer.allocUnsafe(length)
  if (length > memory.length) memory = Buffer.allocUnsafeSlow(BYTES)
  return memory.subarray(0, length)
}

/**
 * Must follow `end`. Keeps the body if the system has not taken all of it. `createRequestSerializer` limits such bodies to
 * one for each connection.
 */
export function afterSend(response: ServerResponse, body: Buffer): void {
  if (body.buffer === memory.buffer && response.writableLength > 0) memory = memory.subarray(body.length)
}
