/**
 * Reads and writes blobs and manifests of one repository in an OCI registry (OCI distribution specification 1.1), each
 * with one attempt.
 */
import { parseUntrustedJson } from '../model/values/json-text.ts'
import { sha256 } from '../runtime/digest.ts'
import type { RegistryLocation } from '../transfer/address.ts'
import { TransferError, type TransferErrorCode } from '../transfer/error.ts'
import type { Answer, NetworkEffects, Outgoing } from '../transfer/network.ts'
import { readWhole } from '../transfer/receive.ts'
import { type Credentials, get, type LocatedAnswer, nextUrl, send } from '../transfer/request.ts'
import { statusError } from '../transfer/retry.ts'
import { type Access, loginRemedy, registryLogin } from './registry-login.ts'

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json'
/** All types, so that the registry does not answer 404 for a tag of an image, which `publish` would replace. */
const ACCEPTED = [
  MANIFEST_TYPE,
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ')
/** Registries reject larger manifests (OCI distribution specification, "Pushing manifests"). */
export const MAX_MANIFEST_BYTES = 4 << 20
const MAX_ERROR_BYTES = 64 << 10

export interface BlobUpload {
  /** SHA-256 in hex. */
  sha256: string
  size: number
  read(): AsyncIterable<Uint8Array>
}

export interface RegistryManifest {
  bytes: Buffer
  /** `sha256:` and 64 hex digits, checked. */
  digest: string
}

export interface Registry {
  /**
   * Returns the manifest that the tag or the pinned digest names.
   * @throws TransferError `missing`; `digest` if its bytes have another digest; `too_large`
   */
  manifest(): Promise<RegistryManifest>
  /** Requests a blob by its digest in hex. Follows redirects, without credentials for other origins. */
  blob(sha256: string, headers: Record<string, string>): Promise<Answer>
  hasBlob(blob: Pick<BlobUpload, 'sha256' | 'size'>): Promise<boolean>
  /** @throws TransferError, or the error of `read`; then the registry has no such blob */
  putBlob(blob: BlobUpload): Promise<void>
  /** Writes a manifest, and sets the tag to it. */
  putManifest(bytes: Buffer): Promise<void>
}

export const digestOf = (bytes: Uint8Array): string => `sha256:${sha256(bytes)}`

export function openRegistry(
  location: RegistryLocation,
  access: Access,
  effects: Pick<NetworkEffects, 'request' | 'now'>,
): Registry {
  const { name, origin, repository, tag, digest: pinned } = location
  const login = registryLogin(location, access, effects)
  const urlOf = (path: string) => new URL(`/v2/${repository}/${path}`, origin)

  /**
   * Sends a request, and once again with new credentials if the registry asks for them. Another origin, where a redirect
   * leads, must not choose the token server.
   */
  async function asked(work: (credentials: Credentials) => Promise<LocatedAnswer>): Promise<LocatedAnswer> {
    const used = login.credentials()
    const answer = await work(used).catch(explained)
    if (!isUnauthorized(answer)) return answer
    await answer.discard()
    await login.renew(answer.headers['www-authenticate'], used)
    return work(login.credentials()).catch(explained)
  }
  const explained = (error: unknown): never => {
    throw tlsError(error, location) ?? error
  }
  const sent = (url: URL, headers: Record<string, string>, outgoing: () => Outgoing) =>
    asked(async (credentials) => ({ ...(await send(effects, url, headers, credentials, outgoing())), url }))
  const isUnauthorized = ({ status, url }: LocatedAnswer) => status === 401 && url.origin === origin
  const failure = (answer: Answer) => answerError(answer, location, access, effects.now)

  return {
    async manifest() {
      const url = urlOf(`manifests/${pinned ?? tag}`)
      const answer = await asked((credentials) => get(effects, url, { accept: ACCEPTED }, credentials))
      if (answer.status !== 200) throw await failure(answer)
      const bytes = await readWhole(answer.body, MAX_MANIFEST_BYTES, effects.now)
      const digest = digestOf(bytes)
      // Other algorithms are possible, but no tag is announced with them.
      const announced = answer.headers['docker-content-digest']
      const wanted = pinned ?? (announced?.startsWith('sha256:') ? announced : digest)
      if (digest === wanted) return { bytes, digest }
      const what = pinned === null ? 'the digest that the registry announced' : 'the pinned digest'
      throw new TransferError('digest', `${name}: the manifest has the digest ${digest}; ${what} is ${wanted}`)
    },
    async blob(sha256, headers) {
      const url = urlOf(`blobs/sha256:${sha256}`)
      const answer = await asked((credentials) => get(effects, url, headers, credentials))
      if (isUnauthorized(answer) || (answer.status === 403 && answer.url.origin === origin)) throw await failure(answer)
      return answer
    },
    async hasBlob({ sha256, size }) {
      const url = urlOf(`blobs/sha256:${sha256}`)
      const answer = await asked((credentials) => get(effects, url, {}, credentials, { method: 'HEAD' }))
      if (answer.status === 404) {
        await answer.discard()
        return false
      }
      if (answer.status !== 200) throw await failure(answer)
      await answer.discard()
      const length = answer.headers['content-length']
      return length === undefined || Number(length) === size
    },
    async putBlob({ sha256, size, read }) {
      const uploads = urlOf('blobs/uploads/')
      const started = await sent(uploads, {}, () => ({ method: 'POST', body: '' }))
      if (started.status !== 202) throw await failure(started)
      await started.discard()
      const url = nextUrl(uploads, started.headers.location)
      // Registries keep their state in the query, which must stay as it is.
      url.search += `${url.search === '' ? '?' : '&'}digest=${encodeURIComponent(`sha256:${sha256}`)}`
      const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) }
      let unreadable: { error: unknown } | undefined
      const body = async function* () {
        try {
          yield* read()
        } catch (error) {
          unreadable = { error }
          throw error
        }
      }
      const answer = await sent(url, headers, () => ({ method: 'PUT', body: body() })).catch((error: unknown) => {
        throw unreadable ? unreadable.error : error
      })
      if (answer.status !== 201) throw await failure(answer)
      await answer.discard()
    },
    async putManifest(bytes) {
      const outgoing = (): Outgoing => ({ method: 'PUT', body: bytes })
      const answer = await sent(urlOf(`manifests/${tag}`), { 'content-type': MANIFEST_TYPE }, outgoing)
      if (answer.status !== 201) throw await failure(answer)
      await answer.discard()
    },
  }
}

/** Codes of the OCI distribution specification that are more precise than the status. */
const CODES: Readonly<Record<string, TransferErrorCode>> = {
  BLOB_UPLOAD_INVALID: 'restart',
  BLOB_UPLOAD_UNKNOWN: 'restart',
  DIGEST_INVALID: 'digest',
  TOOMANYREQUESTS: 'busy_server',
}

async function answerError(
  answer: Answer,
  location: RegistryLocation,
  access: Access,
  now: () => Date,
): Promise<TransferError> {
  const known = errorCodeIn(await readWhole(answer.body, MAX_ERROR_BYTES, now).catch(() => Buffer.alloc(0)))
  await answer.discard()
  const { code, retryAfterMs } = statusError(answer, now())
  const isRefused = answer.status === 401 || answer.status === 403
  const wayOut = isRefused
    ? `; ${loginRemedy(location)}, as an account that may ${access === 'pull' ? 'pull from' : 'pull from and push to'} it`
    : ''
  const message = `${location.name} answers ${`${answer.status} ${known}`.trim()}${wayOut}`
  return new TransferError(CODES[known] ?? code, message, { retryAfterMs })
}

/** Returns the first error code, which the server chooses, if it is plain text. */
function errorCodeIn(body: Buffer): string {
  try {
    const { errors } = (parseUntrustedJson(body.toString()) ?? {}) as { errors?: { code?: unknown }[] }
    const code = errors?.[0]?.code
    return typeof code === 'string' && /^[A-Z_]{1,64}$/.test(code) ? code : ''
  } catch {
    return ''
  }
}

/** Returns the error for a registry that answers https without TLS. Null for other errors. */
function tlsError(error: unknown, { name, origin }: RegistryLocation): TransferError | null {
  const { code } = ((error as Error | null)?.cause ?? {}) as { code?: unknown }
  const isPlain = code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG'
  if (!isPlain || !origin.startsWith('https:')) return null
  return new TransferError('refused', `${name} does not use TLS; for plain http, write oci+http://`, { cause: error })
}
