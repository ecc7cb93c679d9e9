/**
 * The sources of a mirror: folder, web server, object store, bundle. They only open files; others check the contents.
 */
import { createReadStream, existsSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { TransferError } from '../../corpus/transfer/error.ts'
import { noPathHere, pathOfFileUrl } from '../../corpus/transfer/file-url.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { firstByteOf, get, networkError, withoutPassword } from '../../corpus/transfer/request.ts'
import { statusError } from '../../corpus/transfer/retry.ts'
import type { Bucket } from '../../corpus/transfer/s3.ts'
import { isS3, type S3Location, s3Location } from '../../corpus/transfer/s3-location.ts'
import { bundleSource } from './bundle-source.ts'
import { MirrorError } from './error.ts'

/** Call `discard` unless you read to the end. */
export interface Body {
  body: AsyncIterable<Uint8Array>
  offset: number
  discard(): Promise<void>
}

export interface Source {
  /** For messages, without passwords. */
  name: string
  /** Contains only a difference, so packs are always used. */
  isPart?: boolean
  /** Local, so waiting before a retry is useless. */
  isLocal?: boolean
  /**
   * Opens a file at `offset`, or earlier if the server cannot start there.
   * @throws TransferError
   */
  open(path: string, offset: number): Promise<Body>
  /** Closes open connections. */
  close?(): Promise<void>
}

/** Opens `https://…`, `s3://bucket/prefix`, `file://…`, or the path of a folder or bundle. */
export function openSource(text: string, effects: NetworkEffects): Source {
  if (isS3(text)) {
    const location = s3Location(text)
    if (location) return storeSource(location, effects)
    throw new MirrorError('usage', 'the source names no bucket of an object store: it is s3://bucket/prefix')
  }
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return localSource(resolve(text))
  const url = URL.parse(text)
  // The text may contain a password, so no message repeats it.
  if (url === null)
    throw new MirrorError(
      'usage',
      'the source is no address: in names and passwords, # / ? @ are written as %23 %2F %3F %40',
    )
  if (url.protocol === 'file:') {
    const path = pathOfFileUrl(url)
    if (path !== null) return localSource(path)
    throw new MirrorError('usage', noPathHere(url))
  }
  if (url.protocol === 'http:' || url.protocol === 'https:') return webSource(url, effects)
  throw new MirrorError(
    'usage',
    `a mirror copies from a folder, a bundle, or from http://, https:// or s3://, not from ${url.protocol}//`,
  )
}

export function shownSource(text: string): string {
  const url = URL.parse(text)
  return url?.username || url?.password ? withoutPassword(url).base.href : text
}

const localSource = (path: string): Source =>
  statSync(path, { throwIfNoEntry: false })?.isFile() ? bundleSource(path) : folderSource(path)

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

/** The SDK is loaded at the first request. */
function storeSource(location: S3Location, effects: NetworkEffects): Source {
  let bucket: Promise<Bucket> | undefined
  const openBucket = async () => (await import('../../corpus/transfer/s3.ts')).openBucket(location, effects)
  return {
    name: `s3://${location.bucket}/${location.prefix}`,
    async open(path, offset) {
      bucket ??= openBucket()
      return (await bucket).open(path, offset)
    },
    async close() {
      // Already reported.
      const opened = await bucket?.catch(() => null)
      opened?.close()
    },
  }
}

function folderSource(folder: string): Source {
  return {
    name: folder,
    isLocal: true,
    async open(path, offset) {
      const file = folder + sep + path.split('/').join(sep)
      try {
        const { size } = statSync(file)
        if (offset > size) throw new TransferError('restart', `${path} has ${size} bytes`)
      } catch (cause) {
        if (cause instanceof TransferError) throw cause
        const { code } = cause as NodeJS.ErrnoException
        if (code !== 'ENOENT' && code !== 'ENOTDIR') throw networkError(cause)
        throw new TransferError('missing', `${existsSync(folder) ? file : folder} is missing`, { cause })
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
