/**
 * Memory for the body of one answer at a time. The system usually copies a body at once, so the next answer reuses the
 * memory while it is still in the processor's caches. test/bench/README.md, "Choices".
 */
import type { ServerResponse } from 'node:http'

/** Enough for most pages of 100 rows. An answer that waits for its client keeps as much. */
const BYTES = 65_536

let memory = Buffer.allocUnsafeSlow(BYTES)

/** Returns `length` bytes of any content. The next call returns the same memory, unless an answer in it still waits. */
export const sendBuffer = (length: number): Buffer =>
  length <= BYTES ? memory.subarray(0, length) : Buffer.allocUnsafe(length)

/** Must follow `end`. If the system did not take the whole body, it keeps its memory, and the next one gets other memory. */
export function afterSend(response: ServerResponse): void {
  if (response.writableLength > 0) memory = Buffer.allocUnsafeSlow(BYTES)
}
