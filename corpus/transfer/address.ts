/** Parses the addresses of repositories: paths, `file://`, `s3://`, `oci://` and other URLs. Does not load the SDK of S3. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TransferError } from './error.ts'

export interface S3Location {
  bucket: string
  /** The prefix of every key: empty, or path segments that each end in `/`. */
  prefix: string
}

/** A snapshot in an OCI registry. */
export interface RegistryLocation {
  /** The address in messages. It contains no password. */
  name: string
  /** `https://registry.example.com`; http for `oci+http://`. */
  origin: string
  /** The repository's name, such as `security/vulnshelf`. */
  repository: string
  tag: string
  /** The pinned digest, `sha256:` and 64 hex digits; null to read the tag. */
  digest: string | null
}

export type Address =
  | { kind: 'path'; path: string }
  | { kind: 's3'; location: S3Location }
  | { kind: 'oci'; location: RegistryLocation }
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
  if (/^oci(?:\+http)?:\/\//i.test(text)) return { kind: 'oci', location: registryLocation(text) }
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

const REGISTRY_ADDRESS = /^(oci|oci\+http):\/\/([^/]+)\/([^:@]+)(?::([^:@]+))?(?:@(.+))?$/i
/** Name or IP address, and a port. `URL` checks the rest. */
const HOST = /^[\w.:[\]-]+$/
/** The grammar of the OCI distribution specification 1.1, "Pulling manifests". */
const REPOSITORY_STEP = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/
const MAX_REPOSITORY_LENGTH = 255
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/
const DEFAULT_TAG = 'latest'

/** @throws TransferError `usage` */
function registryLocation(text: string): RegistryLocation {
  const [, scheme = '', host = '', repository = '', tag = DEFAULT_TAG, digest] = REGISTRY_ADDRESS.exec(text) ?? []
  if (host.includes('@')) {
    throw new TransferError(
      'usage',
      'the address of a registry cannot have a name and a password; log in with skopeo login, and leave them out',
    )
  }
  const plain = scheme.length > 'oci'.length
  const url = URL.parse(`${plain ? 'http' : 'https'}://${host}`)
  const isRepository =
    repository.length <= MAX_REPOSITORY_LENGTH && repository.split('/').every((step) => REPOSITORY_STEP.test(step))
  const isHost = HOST.test(host) && url !== null
  if (!isHost || !isRepository || !TAG.test(tag) || !(digest === undefined || DIGEST.test(digest))) {
    throw new TransferError(
      'usage',
      'invalid address of a registry; use oci://registry.example.com/security/vulnshelf:latest, or @sha256: and 64 hex digits instead of the tag',
    )
  }
  const reference = digest === undefined ? `:${tag}` : `@${digest}`
  return {
    name: `${scheme.toLowerCase()}://${url.host}/${repository}${reference}`,
    origin: url.origin,
    repository,
    tag,
    digest: digest ?? null,
  }
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
