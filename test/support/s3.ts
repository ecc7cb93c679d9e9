/** An object store on this machine: s3rver, which implements S3, behind a proxy with faults that tests set. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import { listeningWith } from './listening.ts'

export const BUCKET = 'shelf'

export interface StoreAsked {
  method: string
  /** Key in the bucket; empty for a listing. */
  key: string
  headers: IncomingHttpHeaders
  /** Number of earlier requests of the same kind. */
  before: number
}

/** The fault to inject instead of a correct answer. */
export type StoreFault =
  | { kind: 'error'; status: number; code: string; headers?: Record<string, string> }
  /** Closes the connection after this number of request body bytes. */
  | { kind: 'cut-upload'; after: number }
  /** Closes the connection after this number of answer bytes. */
  | { kind: 'cut'; after: number }

export interface ObjectStore {
  url: string
  /** The environment of an authorized client. */
  env: Record<string, string>
  asked: StoreAsked[]
  /** Returns the fault of a request. */
  fault: (asked: StoreAsked) => StoreFault | null
  /** Reads the stored bytes of an object, and replaces them without a request. */
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
      // Ignores the machine's own settings.
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

/**
 * Opens an s3rver. For a listing it computes another signature than S3, without the slash at the end, so it must accept
 * mismatches there.
 */
function openS3rver(directory: string, allowMismatchedSignatures: boolean): S3rver {
  const s3 = new S3rver({
    directory,
    silent: true,
    vhostBuckets: false,
    allowMismatchedSignatures,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  })
  // Errors are answers too.
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

/** Ends the connection after all written bytes, so that none is lost. */
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
