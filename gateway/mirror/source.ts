/** Where a mirror copies from: a folder, or its like on any web server. Files are opened; nothing is judged here. */
import { createReadStream, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TransferError } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { type Credentials, get, networkError } from '../../corpus/transfer/request.ts'
import { statusError } from '../../corpus/transfer/retry.ts'
import { MirrorError } from './error.ts'

/** The bytes of a file from `offset` on. Whoever does not read them to their end calls `discard`. */
export interface Body {
  body: AsyncIterable<Uint8Array>
  offset: number
  discard(): Promise<void>
}

export interface Source {
  /** What messages call it: without passwords. */
  name: string
  /**
   * Opens the file at `path`, with `/`, at `offset`, or before it where the server cannot begin there.
   * @throws TransferError
   */
  open(path: string, offset: number): Promise<Body>
}

/** `https://…`, `file://…`, or a path. */
export function openSource(text: string, effects: NetworkEffects): Source {
  const url = /^[a-z][a-z0-9+.-]+:\/\//i.test(text) ? URL.parse(text) : null
  if (url === null) return folderSource(resolve(text))
  if (url.protocol === 'file:') return folderSource(fileURLToPath(url))
  if (url.protocol === 'http:' || url.protocol === 'https:') return webSource(url, effects)
  throw new MirrorError(
    'usage',
    `a mirror copies from a folder, or from http:// or https://, not from ${url.protocol}//`,
  )
}

function webSource(url: URL, effects: NetworkEffects): Source {
  const { credentials, base } = withoutPassword(url)
  return {
    name: base.href,
    async open(path, offset) {
      const range: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {}
      const answer = await get(effects, new URL(path, base), range, credentials)
      const { body, discard } = answer
      if (answer.status === 200) return { body, offset: 0, discard }
      const from = answer.status === 206 ? firstByteOf(answer.headers['content-range']) : null
      if (from !== null && from <= offset) return { body, offset: from, discard }
      await discard()
      if (answer.status === 206 || answer.status === 416) {
        throw new TransferError('restart', `the server cannot go on from byte ${offset}`)
      }
      throw statusError(answer, effects.now())
    },
  }
}

/** Name and password of an address go to its own origin, in a header, and into no message. */
function withoutPassword(url: URL): { base: URL; credentials: Credentials } {
  const base = new URL(url)
  const { username, password } = base
  base.username = ''
  base.password = ''
  base.search = ''
  base.hash = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  if (username === '' && password === '') return { base, credentials: new Map() }
  const pair = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return { base, credentials: new Map([[base.origin, `Basic ${pair}`]]) }
}

/** `bytes 500-999/1000` begins at 500 (RFC 9110, 14.4); null for anything else. */
function firstByteOf(header: string | undefined): number | null {
  const first = /^bytes (\d{1,15})-/.exec(header ?? '')?.[1]
  return first === undefined ? null : Number(first)
}

function folderSource(folder: string): Source {
  return {
    name: folder,
    async open(path, offset) {
      const file = folder + sep + path.split('/').join(sep)
      try {
        const { size } = statSync(file)
        if (offset > size) throw new TransferError('restart', `${path} has ${size} bytes`)
      } catch (cause) {
        if (cause instanceof TransferError) throw cause
        const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
        throw isMissing ? new TransferError('missing', `${file} is missing`, { cause }) : networkError(cause)
      }
      const body = createReadStream(file, { start: offset })
      return {
        body,
        offset,
        discard: async () => void body.destroy(),
      }
    },
  }
}

/**
 * All of a small file.
 * @throws TransferError, `too_large` where it is longer than `maxBytes`
 */
export async function readWhole(source: Source, path: string, maxBytes: number): Promise<Buffer> {
  const { body } = await source.open(path, 0)
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new TransferError('too_large', `${path} has more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof TransferError ? cause : networkError(cause)
  }
  return Buffer.concat(chunks)
}
