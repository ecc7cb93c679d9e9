/** An object store on this machine: s3rver, which speaks S3, behind a door that misbehaves as a test says. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import { listeningWith } from './listening.ts'

export const BUCKET = 'shelf'

/** One request. */
export interface StoreAsked {
  method: string
  /** Within the bucket; empty for a listing. */
  key: string
  headers: IncomingHttpHeaders
  /** How often the same was asked for before. */
  before: number
}

/** What to do instead of answering well. */
export type StoreFault =
  /** An error in the words of S3. */
  | { kind: 'error'; status: number; code: string; headers?: Record<string, string> }
  /** Hangs up after so many bytes of what is sent. */
  | { kind: 'cut-upload'; after: number }
  /** Hangs up after so many bytes of the answer. */
  | { kind: 'cut'; after: number }

export interface ObjectStore {
  url: string
  /** The environment of somebody who may use it. */
  env: Record<string, string>
  asked: StoreAsked[]
  /** What is wrong with the next requests. */
  fault: (asked: StoreAsked) => StoreFault | null
  /** The bytes of an object as they are kept, and putting others there behind everybody's back. */
  kept(key: string): Buffer
  keep(key: string, bytes: Uint8Array): void
  close(): Promise<void>
}

export async function openObjectStore(directory: string): Promise<ObjectStore> {
  const [s3, lists] = [openS3rver(directory, false), openS3rver(directory, true)]
  await s3.configureBuckets()
  const [answer, answerList] = [s3.callback(), lists.callback()]
  const counts = new Map<string, number>()

  function enter(req: IncomingMessage, res: ServerResponse): void {
    const { pathname } = new URL(req.url!, 'http://store')
    const key = decodeURIComponent(pathname.replace(/^\/[^/]+\/?/, ''))
    const name = `${req.method} ${req.url}`
    const before = counts.get(name) ?? 0
    counts.set(name, before + 1)
    const asked: StoreAsked = { method: req.method!, key, headers: req.headers, before }
    store.asked.push(asked)
    const fault = store.fault(asked)
    if (fault?.kind === 'error') refuse(req, res, fault)
    else if (fault?.kind === 'cut-upload') hangUp(req, fault.after)
    else {
      if (fault) cutAfter(res, fault.after)
      void (key === '' ? answerList : answer)(req, res)
    }
  }

  const { origin: url, close } = await listeningWith(enter)
  const pathOf = (key: string) => join(directory, BUCKET, `${key}._S3rver_object`)
  const store: ObjectStore = {
    url,
    env: {
      AWS_ENDPOINT_URL: url,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      // Nothing of the machine's own settings.
      AWS_CONFIG_FILE: join(directory, 'none'),
      AWS_SHARED_CREDENTIALS_FILE: join(directory, 'none'),
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    asked: [],
    fault: () => null,
    kept: (key) => readFileSync(pathOf(key)),
    keep: (key, bytes) => writeFileSync(pathOf(key), bytes),
    close: () => {
      for (const { logger } of [s3, lists]) logger.close()
      return close()
    },
  }
  return store
}

/** Of a listing it reckons another signature than S3 does, without the slash at the end: that one it must let pass. */
function openS3rver(directory: string, allowMismatchedSignatures: boolean): S3rver {
  const s3 = new S3rver({
    directory,
    silent: true,
    vhostBuckets: false,
    allowMismatchedSignatures,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  })
  // They are answers as well.
  s3.on('error', () => {})
  return s3
}

function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  { status, code, headers }: Extract<StoreFault, { kind: 'error' }>,
): void {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>as the test says</Message></Error>`
  req.resume()
  req.on('end', () => res.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body))
}

function hangUp(req: IncomingMessage, after: number): void {
  let length = 0
  req.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > after) req.socket.destroy()
  })
  req.on('end', () => req.socket.destroy())
}

/** The end of the connection comes after all that was written: nothing of it is lost. */
function cutAfter(res: ServerResponse, after: number): void {
  let left = after
  const write = res.write.bind(res)
  Object.assign(res, {
    write(chunk: Buffer) {
      const part = chunk.subarray(0, left)
      left -= part.length
      write(part)
      if (left === 0) res.socket?.end()
      return left > 0
    },
  })
}
