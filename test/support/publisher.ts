/** A publisher on this machine that misbehaves as a script says, and the world of a fetch without real time in it. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type NetworkEffects, realNetworkEffects, type Timeouts } from '../../corpus/transfer/network.ts'
import { quietEffects } from './dist.ts'
import { listeningWith } from './listening.ts'

export interface Asked {
  path: string
  headers: IncomingHttpHeaders
}

/** Answers one request; `send` counts the bytes. */
export type Manner = (asked: Asked, res: ServerResponse, send: (bytes: Buffer) => Promise<void>) => unknown

export interface Publisher {
  url: string
  asked: Asked[]
  /** Body bytes sent so far. */
  sent(): number
  /** Sets the behavior of `path`: the manners in turn, then the last one repeatedly. */
  on(path: string, ...manners: Manner[]): void
  close(): Promise<void>
}

export async function openPublisher(): Promise<Publisher> {
  const scripts = new Map<string, Manner[]>()
  const asked: Asked[] = []
  let sent = 0
  const { origin: url, close } = await listeningWith((req, res) => {
    const one = { path: req.url!, headers: req.headers }
    asked.push(one)
    const script = scripts.get(one.path)
    const manner = script && script.length > 1 ? script.shift()! : (script?.[0] ?? status(404))
    const send = (bytes: Buffer) =>
      new Promise<void>((resolve) => {
        // The client has closed the connection, which is not a fault.
        if (res.destroyed) return resolve()
        sent += bytes.length
        // Lets the event loop run in between, to detect a closed connection.
        res.write(bytes, () => setImmediate(resolve))
      })
    void manner(one, res, send)
  })
  return {
    url,
    asked,
    sent: () => sent,
    on: (path, ...manners) => void scripts.set(path, manners),
    close,
  }
}

/** Sends only a status and headers. */
export const status =
  (code: number, headers: Record<string, string> = {}): Manner =>
  (_asked, res) =>
    res.writeHead(code, { 'content-length': '0', ...headers }).end()

export interface Version {
  etag?: string
  lastModified?: string
}

const validators = ({ etag, lastModified }: Version) => ({
  ...(etag === undefined ? {} : { etag }),
  ...(lastModified === undefined ? {} : { 'last-modified': lastModified }),
})

/** Answers as a correct server: 304 for a known version, 206 for a range, else the whole file. */
export const serve =
  (bytes: Buffer, version: Version = {}): Manner =>
  async ({ headers }, res, send) => {
    const own = validators(version)
    if (version.etag !== undefined && headers['if-none-match'] === version.etag) return res.writeHead(304, own).end()
    const start = rangeStart(headers, version)
    if (start !== null && start >= bytes.length) {
      return res.writeHead(416, { ...own, 'content-range': `bytes */${bytes.length}` }).end()
    }
    const part = bytes.subarray(start ?? 0)
    const range = start === null ? {} : { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }
    res.writeHead(start === null ? 200 : 206, { ...own, ...range, 'content-length': String(part.length) })
    await send(part)
    return res.end()
  }

function rangeStart(headers: IncomingHttpHeaders, { etag, lastModified }: Version): number | null {
  const start = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1]
  return start !== undefined && headers['if-range'] === (etag ?? lastModified) ? Number(start) : null
}

/** Like `serve`, but closes the connection after `count` bytes of the body. */
export const cutAfter =
  (count: number, bytes: Buffer, version: Version = {}): Manner =>
  async ({ headers }, res, send) => {
    const start = rangeStart(headers, version)
    const part = bytes.subarray(start ?? 0)
    const range = start === null ? {} : { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }
    res.writeHead(start === null ? 200 : 206, {
      ...validators(version),
      ...range,
      'content-length': String(part.length),
    })
    await send(part.subarray(0, count))
    // The close comes after all written bytes, so that none is lost.
    res.socket!.end()
  }

/** Sends bytes unchanged, whatever the request. */
export const plain =
  (bytes: Buffer, headers: Record<string, string> = {}, code = 200): Manner =>
  async (_asked, res, send) => {
    res.writeHead(code, { 'content-length': String(bytes.length), ...headers })
    await send(bytes)
    res.end()
  }

/** Writes every 20 ms: forever from the client's view, and 10 s in a test that fails. */
const again = async (res: ServerResponse, write: () => void) => {
  for (let i = 0; i < 500 && !res.destroyed; i++) {
    write()
    await sleep(20)
  }
  res.destroy()
}

/** Sends interim answers (103) and never a final one. */
export const interim = (): Manner => (_asked, res) =>
  again(res, () => res.writeEarlyHints({ link: '</style.css>; rel=preload' }))

/** Sends a body byte by byte. */
export const trickle =
  (code: number, headers: Record<string, string> = {}): Manner =>
  (_asked, res, send) => {
    res.writeHead(code, headers)
    return again(res, () => void send(Buffer.from('x')))
  }

export const redirect = (location: string, code = 302): Manner => status(code, { location })

export interface World {
  effects: NetworkEffects
  /** Durations of the sleeps, in ms, in order. */
  slept: number[]
  log: string[]
  close(): Promise<void>
}

export const NOW = new Date('2026-11-21T06:30:00.000Z')

/**
 * Returns effects with a real disk and real connections. The clock advances only by `tickMs` per read, sleeps take no
 * time, and randomness is fixed.
 */
export function openWorld({ tickMs = 0, timeouts }: { tickMs?: number; timeouts?: Timeouts } = {}): World {
  const { effects, close } = realNetworkEffects(quietEffects(), timeouts)
  const slept: number[] = []
  const log: string[] = []
  let time = NOW.getTime()
  return {
    slept,
    log,
    close,
    effects: {
      ...effects,
      now: () => {
        time += tickMs
        return new Date(time)
      },
      log: (line) => void log.push(line),
      sleep: async (ms) => void slept.push(ms),
      random: () => 1,
    },
  }
}
