/** What transfers do to the world beyond other effects: requests, waiting, files that grow. */
import { open } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { EnvHttpProxyAgent, request } from 'undici'
import { type Effects, realEffects } from '../command/effects.ts'
import { withDeadline } from './deadline.ts'
import { incoming } from './incoming.ts'

export interface Answer {
  status: number
  /** By lower-case name; of a repeated header the first. */
  headers: Readonly<Record<string, string>>
  /** The bytes as they come over the wire. Whoever does not read them to their end calls `discard`. */
  body: AsyncIterable<Uint8Array>
  discard(): Promise<void>
}

/** A file that is written from some offset on. */
export interface GrowingFile {
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

export interface NetworkEffects extends Effects {
  /** One GET. Redirects are an answer like others; only failing to get any throws. */
  request(url: URL, headers: Record<string, string>): Promise<Answer>
  /** Opens a file, made where there is none, and cuts off what lies beyond `offset`. */
  grow(path: string, offset: number): Promise<GrowingFile>
  /** Resolves after so long, or when the signal says to stop. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 to 1, for jitter. */
  random(): number
}

export interface Timeouts {
  connectMs: number
  /** Until the headers are there: GitHub packs an archive before it answers. */
  headersMs: number
  /** Between two pieces of a body. */
  bodyMs: number
  /** To read the rest of a body that nobody wants, so that its connection can be used again. */
  discardMs: number
}

const TIMEOUTS: Timeouts = { connectMs: 20_000, headersMs: 120_000, bodyMs: 60_000, discardMs: 2000 }
/** Of a body nobody wants, as much is read as it costs to open another connection. */
const DISCARD_BYTES = 64 << 10

/** The real world, through the proxy that `https_proxy`, `http_proxy` and `no_proxy` name. `close` ends the connections. */
export function realNetworkEffects(
  base: Effects = realEffects(),
  { connectMs, headersMs, bodyMs, discardMs }: Timeouts = TIMEOUTS,
): { effects: NetworkEffects; close(): Promise<void> } {
  // `incoming` bounds the silence of a body.
  const dispatcher = new EnvHttpProxyAgent({
    headersTimeout: headersMs,
    bodyTimeout: 0,
    connect: { timeout: connectMs },
  })
  const effects: NetworkEffects = {
    ...base,
    async request(url, headers) {
      // undici starts its timeout for headers again at each interim answer.
      const asked = (signal: AbortSignal) => request(url, { dispatcher, headers, signal })
      const { statusCode, headers: received, body } = await withDeadline(connectMs + headersMs, asked)
      const bytes = incoming(body, bodyMs)
      return {
        status: statusCode,
        headers: firstValues(received),
        body: bytes,
        async discard() {
          bytes.letGo()
          // What is thrown away may just as well break off.
          await body.dump({ limit: DISCARD_BYTES, signal: AbortSignal.timeout(discardMs) }).catch(() => undefined)
        },
      }
    },
    async grow(path, offset) {
      const file = await open(path, offset === 0 ? 'w' : 'r+')
      await file.truncate(offset)
      let position = offset
      return {
        async write(bytes) {
          for (let done = 0; done < bytes.length; ) {
            const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position)
            done += bytesWritten
            position += bytesWritten
          }
        },
        close: () => file.close(),
      }
    },
    sleep: (ms, signal) => setTimeout(ms, undefined, signal && { signal }).catch(() => undefined),
    random: Math.random,
  }
  return { effects, close: () => dispatcher.destroy() }
}

function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const first = Array.isArray(value) ? value[0] : value
    return first === undefined ? [] : [[name.toLowerCase(), first]]
  })
  return Object.fromEntries(entries)
}
