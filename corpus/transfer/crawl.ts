/** A server that gives a byte now and then keeps a connection open for ever, and whoever waits for it without news. */
import { TransferError } from './error.ts'

/** Less than this in that time is no transfer. */
const CRAWL_MS = 60_000
const CRAWL_BYTES = 16 << 10

/** Gives what is told of each piece that arrives: it throws a TransferError `stalled` where too little did. */
export function watchCrawl(now: () => Date): (bytes: number) => void {
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
