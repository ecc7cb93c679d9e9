/** Detects slow transfers. A server that sends a byte now and then would keep a connection open forever. */
import { TransferError } from './error.ts'

/** Time window and minimum bytes in it. Fewer bytes are an error. */
const CRAWL_MS = 60_000
const CRAWL_BYTES = 16 << 10

/** Returns a function for the size of each chunk. It throws `stalled` if a window has too few bytes. */
export function watchMinimumRate(now: () => Date): (bytes: number) => void {
  let since = now().getTime()
  let arrived = 0
  return (bytes) => {
    arrived += bytes
    const time = now().getTime()
    if (time - since < CRAWL_MS) return
    if (arrived < CRAWL_BYTES) throw new TransferError('stalled', `only ${arrived} bytes in ${(time - since) / 1000} s`)
    since = time
    arrived = 0
  }
}
