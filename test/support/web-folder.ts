/** A folder on a local web server, as on any static host, with faults that tests set. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { listening } from './listening.ts'

export interface AskedFile {
  /** Path within the folder: `objects/ab/ab12…`. */
  path: string
  /** The requested range; null for the whole file. */
  range: string | null
  authorization: string | null
}

/** The fault to inject: a status without a body, or a close of the connection after `cutAfter` bytes. */
export interface WebFault {
  status?: number
  cutAfter?: number
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

/** Serves the current files of `folder`. Without `ranges`, always sends whole files. */
export async function serveFolder(folder: string, { ranges = true } = {}): Promise<WebFolder> {
  let sent = 0

  function answer(res: ServerResponse, { path, range }: AskedFile, fault: WebFault | null): void {
    const file = join(folder, path)
    if (fault?.status !== undefined || !existsSync(file)) {
      return void res.writeHead(fault?.status ?? 404, { 'content-length': '0' }).end()
    }
    const bytes = readFileSync(file)
    const [, first, last] = (ranges && /^bytes=(\d+)-(\d+)$/.exec(range ?? '')) || []
    const part = first === undefined ? bytes : bytes.subarray(Number(first), Number(last) + 1)
    const end = Number(first) + part.length - 1
    const about = first === undefined ? {} : { 'content-range': `bytes ${first}-${end}/${bytes.length}` }
    res.writeHead(first === undefined ? 200 : 206, { ...about, 'content-length': String(part.length) })
    const given = fault ? part.subarray(0, fault.cutAfter) : part
    sent += given.length
    if (fault) res.write(given, () => res.destroy())
    else res.end(given)
  }

  const server = createServer((req, res) => {
    const { range = null, authorization = null } = req.headers
    const one = { path: new URL(req.url!, 'http://localhost').pathname.slice(1), range, authorization }
    web.asked.push(one)
    answer(res, one, web.fault(one))
  })
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
