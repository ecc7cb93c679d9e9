/**
 * Buffers a response body without loss. A stream discards its buffer when the connection breaks, and those bytes would
 * be downloaded twice.
 */
import type { Readable } from 'node:stream'

/** Maximum buffer while the disk is busy. Then the connection is paused. */
const HELD_BYTES = 1 << 20

export interface Incoming extends AsyncIterable<Uint8Array> {
  /** Stops buffering: other code reads or drops the body. */
  letGo(): void
}

/** Collects the bytes of `body` from now on. The iteration yields all of them before it throws the stream's error. */
export function incoming(body: Readable): Incoming {
  const held: Uint8Array[] = []
  let bytes = 0
  let isOver = false
  let isLetGo = false
  let failure: Error | null = null
  let wake = () => {}
  body.on('data', (chunk: Uint8Array) => {
    if (isLetGo) return
    held.push(chunk)
    bytes += chunk.length
    if (bytes >= HELD_BYTES) body.pause()
    wake()
  })
  body.on('error', (error: Error) => {
    failure = error
  })
  // `close` follows the end, an error, and the last data.
  body.on('close', () => {
    isOver = true
    wake()
  })
  return {
    letGo() {
      isLetGo = true
      held.length = 0
      body.resume()
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const chunk = held.shift()
          if (chunk) {
            bytes -= chunk.length
            if (bytes < HELD_BYTES && body.isPaused()) body.resume()
            yield chunk
          } else if (isOver) {
            if (failure) throw failure
            return
          } else {
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
        }
      } finally {
        body.destroy()
      }
    },
  }
}
