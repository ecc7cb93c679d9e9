/** A folder on a web server of this machine, as any static host would have it, which misbehaves as a test says. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listening } from './listening.ts'

export interface AskedFile {
  /** Path within the folder: `objects/ab/ab12…`. */
  path: string
  range: string | null
  /** First byte of the range; null without one. */
  from: number | null
  authorization: string | null
  /** Number of earlier requests for this path. */
  before: number
}

/** What to do instead of answering well. */
export type WebFault =
  | { kind: 'status'; code: number; headers?: Record<string, string>; afterMs?: number }
  /** Hangs up after so many bytes of the body. */
  | { kind: 'cut'; after: number }
  /** Ends the body early, as if it were whole. */
  | { kind: 'truncate'; by: number }
  /** Changes a bit of the file. */
  | { kind: 'corrupt'; at: number }
  /** Sends bytes until somebody hangs up. */
  | { kind: 'endless' }
  /** Sends interim answers (103) until somebody hangs up; for 10 s in a test that fails. */
  | { kind: 'interim' }
  | { kind: 'ignore-range' }
  | { kind: 'delay'; ms: number }
  /** Sends other bytes. */
  | { kind: 'instead'; bytes: Buffer }

const STEP_BYTES = 8 * 1024
const BOUNDARY = '00000000000000000042'

/** Returns the ranges of a header with several; none for one. */
function spansOf(range: string | null, size: number): { start: number; end: number }[] {
  const spans = range?.replace('bytes=', '').split(',') ?? []
  if (spans.length < 2) return []
  return spans.map((span) => {
    const [first, last] = span.split('-')
    return { start: Number(first), end: Math.min(Number(last) + 1, size) }
  })
}

export interface WebFolder {
  url: string
  asked: AskedFile[]
  /** Body bytes sent so far. */
  sent(): number
  /** Returns the fault of a request. */
  fault: (asked: AskedFile) => WebFault | null
  close(): Promise<void>
}

/** How a server answers several ranges: with all of them in any order, with the first, with the whole file, or 416. */
export type ManyRanges = 'all' | 'reversed' | 'first' | 'whole' | 'refused'

/** Serves the current files of `folder`: without `ranges` always whole, and at most at `bytesPerMs` in total. */
export async function serveFolder(
  folder: string,
  { ranges = true, manyRanges = 'all' as ManyRanges, bytesPerMs = 0 } = {},
): Promise<WebFolder> {
  const counts = new Map<string, number>()
  let sent = 0
  /** When what was sent so far is paid for. */
  let paidAt = 0
  const write = async (res: ServerResponse, bytes: Uint8Array) => {
    const step = bytesPerMs === 0 ? bytes.length : STEP_BYTES
    for (let at = 0; at < bytes.length && !res.destroyed; at += step) {
      const piece = bytes.subarray(at, at + step)
      sent += piece.length
      // Events in between: that somebody hung up must be heard.
      await new Promise<void>((resolve) => res.write(piece, () => setImmediate(resolve)))
      if (bytesPerMs === 0) continue
      paidAt = Math.max(paidAt, performance.now()) + piece.length / bytesPerMs
      await sleep(Math.max(0, paidAt - performance.now()))
    }
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url!, 'http://localhost').pathname.slice(1)
    const { range = null, authorization = null } = req.headers
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
    const before = counts.get(path) ?? 0
    counts.set(path, before + 1)
    const asked = { path, range, from: first === undefined ? null : Number(first), authorization, before }
    web.asked.push(asked)
    const fault = web.fault(asked)
    const refuse = (code: number, headers?: Record<string, string>) =>
      void res.writeHead(code, { 'content-length': '0', ...headers }).end()
    if (fault?.kind === 'status') {
      if (fault.afterMs) await sleep(fault.afterMs)
      return refuse(fault.code, fault.headers)
    }
    if (fault?.kind === 'delay') await sleep(fault.ms)
    if (fault?.kind === 'endless') {
      res.writeHead(200)
      const block = Buffer.alloc(64 * 1024, 'x')
      while (!res.destroyed) await write(res, block)
      return
    }
    if (fault?.kind === 'interim') {
      for (let i = 0; i < 500 && !res.destroyed; i++) {
        res.writeEarlyHints({ link: '</style.css>; rel=preload' })
        await sleep(20)
      }
      return void res.destroy()
    }
    let bytes: Buffer
    try {
      bytes = fault?.kind === 'instead' ? fault.bytes : readFileSync(join(folder, path))
    } catch {
      return refuse(404)
    }
    if (fault?.kind === 'corrupt') {
      bytes = Buffer.from(bytes)
      bytes[fault.at % bytes.length]! ^= 0x10
    }
    const spans = ranges && manyRanges !== 'whole' && fault?.kind !== 'ignore-range' ? spansOf(range, bytes.length) : []
    if (spans.length > 0 && manyRanges === 'refused') return refuse(416)
    if (spans.length > 0) {
      const few = manyRanges === 'first' ? spans.slice(0, 1) : manyRanges === 'reversed' ? spans.reverse() : spans
      const body = Buffer.concat([
        ...few.flatMap(({ start, end }) => [
          Buffer.from(`\r\n--${BOUNDARY}\r\nContent-Range: bytes ${start}-${end - 1}/${bytes.length}\r\n\r\n`),
          bytes.subarray(start, end),
        ]),
        Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
      ])
      const sent = fault?.kind === 'truncate' ? body.subarray(0, -fault.by) : body
      res.writeHead(206, {
        'content-type': `multipart/byteranges; boundary=${BOUNDARY}`,
        'content-length': String(sent.length),
      })
      await write(res, fault?.kind === 'cut' ? sent.subarray(0, fault.after) : sent)
      if (fault?.kind === 'cut') return void res.socket?.end()
      return void res.end()
    }
    const isPart = asked.from !== null && ranges && fault?.kind !== 'ignore-range'
    const start = isPart ? asked.from! : 0
    if (isPart && start >= bytes.length) return refuse(416)
    const end = isPart && last ? Math.min(Number(last) + 1, bytes.length) : bytes.length
    const body = bytes.subarray(start, fault?.kind === 'truncate' ? Math.max(start, end - fault.by) : end)
    const about = isPart ? { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` } : {}
    res.writeHead(isPart ? 206 : 200, { ...about, 'content-length': String(body.length) })
    await write(res, fault?.kind === 'cut' ? body.subarray(0, fault.after) : body)
    // The end of the connection comes after all that was written: nothing of it is lost.
    if (fault?.kind === 'cut') res.socket?.end()
    else res.end()
  }

  const server = createServer((req, res) => void answer(req, res))
  const { origin, close } = await listening(server)
  const web: WebFolder = {
    url: `${origin}/`,
    asked: [],
    sent: () => sent,
    fault: () => null,
    close,
  }
  return web
}
