/** Parses the addresses of repositories: paths, `file://`, `s3://` and other URLs. Does not load the SDK of S3. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TransferError } from './error.ts'

export interface S3Location {
  bucket: string
  /** The prefix of every key: empty, or path segments that each end in `/`. */
  prefix: string
}

export type Address =
  | { kind: 'path'; path: string }
  | { kind: 's3'; location: S3Location }
  /** Any other protocol; the caller decides which ones it supports. */
  | { kind: 'url'; url: URL }

/**
 * Parses the address of a repository. Relative paths become absolute.
 * @throws TransferError `usage`. An invalid address may contain a password, so the message does not repeat it.
 */
export function parseAddress(text: string): Address {
  if (/^s3:\/\//i.test(text)) {
    const location = s3Location(text)
    if (location) return { kind: 's3', location }
    throw new TransferError('usage', 'the address has no bucket; use s3://bucket/prefix')
  }
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return { kind: 'path', path: resolve(text) }
  const url = URL.parse(text)
  if (url === null) {
    throw new TransferError('usage', 'invalid address: in names and passwords, write # / ? @ as %23 %2F %3F %40')
  }
  return url.protocol === 'file:' ? { kind: 'path', path: pathOf(url) } : { kind: 'url', url }
}

/** Bucket names, in the widest form that stores accept. */
const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/(.*))?$/i

/** Returns null if it is invalid: no bucket, or a prefix with empty segments, `.` or `..`. */
function s3Location(text: string): S3Location | null {
  const [, bucket, path = ''] = S3_ADDRESS.exec(text) ?? []
  if (bucket === undefined) return null
  if (path === '') return { bucket, prefix: '' }
  const steps = path.replace(/\/$/, '').split('/')
  if (steps.some((step) => ['', '.', '..'].includes(step))) return null
  return { bucket, prefix: `${steps.join('/')}/` }
}

/** A `file:` URL contains no password, so the message repeats it. */
function pathOf(url: URL): string {
  try {
    return fileURLToPath(url)
  } catch (cause) {
    // Another host, or an encoded `/`.
    const message = `${url} is not a path on this machine; use a path, or file:///path`
    throw new TransferError('usage', message, { cause })
  }
}
