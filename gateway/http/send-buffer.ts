/**
 * Memory for the body of one answer at a time. The system usually copies a body at once, so the next answer reuses the
 * memory while it is still in the processor's caches. test/bench/README.md, "Choices".
 */
import type { ServerResponse } from 'node:http'

/** A page of 100 rows from all over the snapshot. Each answer that waits for its client keeps as much. */
const BYTES = 65_536

let memory = Buffer.allocUnsafeSlow(BYTES)

/** Returns `length` bytes of any content, valid until the next call. To keep them, call `afterSend` in between. */
export const sendBuffer = (length: number): Buffer =>
  length <= BYTES ? memory.subarray(0, length) : Buffer.allocUnsafe(length)

/** Must be called after `end`: a body that the system did not take whole keeps its memory. */
export function afterSend(response: ServerResponse): void {
  if (response.writableLength > 0) memory = Buffer.allocUnsafeSlow(BYTES)
}
