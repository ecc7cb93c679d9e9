/** Network effects of transfers: requests, timers, and files that grow. */
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { EnvHttpProxyAgent, request } from 'undici'
import { type Effects, realEffects } from '../command/effects.ts'
import { withDeadline } from './deadline.ts'
import { incoming } from './incoming.ts'

export interface Answer {
  status: number
  /** Headers by lower-case name. The first one of a repeated header counts. */
  headers: Readonly<Record<string, string>>
  /** The raw bytes of the body. Call `discard` if it is not read to its end. */
  body: AsyncIterable<Uint8Array>
  discard(): Promise<void>
}

/** A file that is written from an offset on. */
export interface GrowingFile {
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** A request other than GET. A body that is a stream is read once; its headers must state its length. */
export interface Outgoing {
  method: 'HEAD' | 'POST' | 'PUT'
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
}

export interface NetworkEffects extends Effects {
  /**
   * Sends one GET, or what `outgoing` states. Returns redirects like other answers. Throws only if there is no answer, or
   * the error of a body that cannot be read.
   */
  request(url: URL, headers: Record<string, string>, outgoing?: Outgoing): Promise<Answer>
  /** Opens or creates a file and truncates it at `offset`. */
  grow(path: string, offset: number): Promise<GrowingFile>
  /** Resolves after `ms`, or when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Returns 0 to 1, for jitter. */
  random(): number
}

export interface Timeouts {
  connectMs: number
  /** Until the headers arrive. GitHub builds an archive before it answers. */
  headersMs: number
  /** Between two chunks of a body. */
  bodyMs: number
  /** To read the rest of a body that nobody wants, so that its connection can be used again. */
  discardMs: number
}

const TIMEOUTS: Timeouts = { connectMs: 20_000, headersMs: 120_000, bodyMs: 60_000, discardMs: 2000 }
/** For web servers with files, which build nothing before they answer. */
const FILE_TIMEOUTS: Timeouts = { ...TIMEOUTS, connectMs: 10_000, headersMs: 30_000 }
/** After this time without an answer, the log states that a server is waited for. */
export const NOTICE_MS = 10_000
/** Bytes to read of an unwanted body. More would cost more than another connection. */
const DISCARD_BYTES = 64 << 10

/** Returns the real effects, with the proxy from `https_proxy`, `http_proxy` and `no_proxy`. */
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
    async request(url, headers, outgoing) {
      const { method, body: sent }: { method: 'GET' | Outgoing['method'] } & Pick<Outgoing, 'body'> = outgoing ?? {
        method: 'GET',
      }
      // undici starts its timeout for headers again at each interim answer, and counts it while a body is sent.
      const asked = (signal: AbortSignal, moved: () => void) =>
        isStream(sent)
          ? request(url, { dispatcher, headers, signal, method, headersTimeout: 0, body: watched(sent, moved) })
          : request(url, { dispatcher, headers, signal, method, body: sent ?? null })
      const answer = withDeadline(connectMs + headersMs, asked)
      const { statusCode, headers: received, body } = await noticed(url, connectMs + headersMs, base.log, answer)
      const bytes = incoming(body, bodyMs)
      return {
        status: statusCode,
        headers: firstValues(received),
        body: bytes,
        async discard() {
          bytes.letGo()
          // The body is not needed, so an error in it does not matter.
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
    sleep: (ms, signal) => wait(ms, undefined, signal && { signal }).catch(() => undefined),
    random: Math.random,
  }
  return { effects, close: () => dispatcher.destroy() }
}

const isStream = (body: Outgoing['body']): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && Symbol.asyncIterator in body

/** Calls `onPiece` when a piece of an upload is requested: the connection took the one before. */
function watched(bytes: AsyncIterable<Uint8Array>, onPiece: () => void): Readable {
  const pieces = async function* () {
    for await (const piece of bytes) {
      onPiece()
      yield piece
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

/** Returns the real effects for a web server with files. */
export const fileServerEffects = (log: Effects['log']) => realNetworkEffects(realEffects(log), FILE_TIMEOUTS)

/** Logs that a server is silent, so that nobody waits in front of an empty screen. */
async function noticed<T>(url: URL, limitMs: number, log: Effects['log'], answer: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    log(`${url.host} has not answered for ${NOTICE_MS / 1000} s; waiting up to ${limitMs / 1000} s`)
  }, NOTICE_MS)
  try {
    return await answer
  } finally {
    clearTimeout(timer)
  }
}

function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const first = Array.isArray(value) ? value[0] : value
    return first === undefined ? [] : [[name.toLowerCase(), first]]
  })
  return Object.fromEntries(entries)
}
