/** A small OCI registry in memory, with a token server and an object store that blobs are redirected to. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { listeningWith } from './listening.ts'

export interface RegistryAsked {
  /** `registry`, `tokens` or `store`. */
  server: 'registry' | 'tokens' | 'store'
  method: string
  /** With the query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface TestRegistry {
  /** Host and port. */
  host: string
  /** An address of a repository. */
  address: string
  /** Origin of the token server. */
  tokens: string
  asked: RegistryAsked[]
  blobs: Map<string, Buffer>
  /** By tag and by digest. */
  manifests: Map<string, Buffer>
  /** Who may read: everybody, the account, or who has a token. Tokens need the account if `account` is set. */
  auth: 'none' | 'basic' | 'token'
  account: string | null
  /** Redirects blobs to the store. */
  redirects: boolean
  /** The challenge of an answer with status 401. */
  challenge: () => string
  /** Answers a request instead of the registry, or null. */
  instead: (asked: RegistryAsked) => { status: number; headers?: Record<string, string>; body?: Buffer | string } | null
  close(): Promise<void>
}

/** Signs the state of an upload. Its escapes must come back unchanged. */
const STATE = '_state=a%2Bb%3D%3D'
const TOKEN = 'the-token'

export async function openTestRegistry(): Promise<TestRegistry> {
  let uploads = 0
  const basic = () => `Basic ${Buffer.from(registry.account ?? '').toString('base64')}`
  const serve =
    (server: RegistryAsked['server'], answer: (asked: RegistryAsked, body: Buffer, res: ServerResponse) => void) =>
    async (req: IncomingMessage, res: ServerResponse) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of req) chunks.push(chunk as Buffer)
      } catch {
        // The client has ended an upload.
        return
      }
      const body = Buffer.concat(chunks)
      const { method, url: path, headers } = req
      const one = { server, method: method!, path: path!, headers, body: body.toString('latin1') }
      registry.asked.push(one)
      const instead = registry.instead(one)
      if (instead) res.writeHead(instead.status, instead.headers).end(instead.body)
      else answer(one, body, res)
    }

  function sendBlob(bytes: Buffer | undefined, { method, headers }: RegistryAsked, res: ServerResponse): void {
    if (!bytes) {
      refuse(res, 404, 'BLOB_UNKNOWN')
      return
    }
    const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
    const part = start === undefined ? bytes : bytes.subarray(Number(start), end ? Number(end) + 1 : undefined)
    res.writeHead(start === undefined ? 200 : 206, {
      'content-length': String(part.length),
      ...(start === undefined
        ? {}
        : { 'content-range': `bytes ${start}-${Number(start) + part.length - 1}/${bytes.length}` }),
    })
    res.end(method === 'HEAD' ? undefined : part)
  }

  function answer(asked: RegistryAsked, body: Buffer, res: ServerResponse): void {
    const { method, path, headers } = asked
    const wanted = { none: undefined, basic: basic(), token: `Bearer ${TOKEN}` }[registry.auth]
    if (wanted !== undefined && headers.authorization !== wanted) {
      res.setHeader('www-authenticate', registry.challenge())
      refuse(res, 401, 'UNAUTHORIZED')
      return
    }
    const [, kind, reference = ''] = /^\/v2\/team\/shelf\/(blobs\/uploads|blobs|manifests)\/(.*)$/.exec(path) ?? []
    if (kind === 'blobs/uploads' && method === 'POST') {
      res.writeHead(202, { location: `/v2/team/shelf/blobs/uploads/${uploads++}?${STATE}` }).end()
    } else if (kind === 'blobs/uploads') {
      const digest = decodeURIComponent(/^\d+\?_state=a%2Bb%3D%3D&digest=(.*)$/.exec(reference)?.[1] ?? '')
      if (digest === `sha256:${sha256(body)}`) {
        registry.blobs.set(digest, body)
        res.writeHead(201).end()
      } else refuse(res, 400, 'DIGEST_INVALID')
    } else if (kind === 'blobs') {
      if (registry.redirects && method !== 'HEAD') {
        res.writeHead(307, { location: `${store.origin}/${reference}` }).end()
      } else sendBlob(registry.blobs.get(reference), asked, res)
    } else if (kind === 'manifests' && method === 'PUT') {
      for (const name of [reference, `sha256:${sha256(body)}`]) registry.manifests.set(name, body)
      res.writeHead(201).end()
    } else {
      const bytes = registry.manifests.get(reference)
      if (bytes) res.writeHead(200, { 'docker-content-digest': `sha256:${sha256(bytes)}` }).end(bytes)
      else refuse(res, 404, 'MANIFEST_UNKNOWN')
    }
  }

  const tokens = await listeningWith(
    serve('tokens', ({ headers }, _body, res) => {
      if (registry.account !== null && headers.authorization !== basic()) refuse(res, 401, 'UNAUTHORIZED')
      else res.writeHead(200).end(JSON.stringify({ token: TOKEN }))
    }),
  )
  const store = await listeningWith(
    serve('store', (asked, _body, res) => sendBlob(registry.blobs.get(asked.path.slice(1)), asked, res)),
  )
  const { origin, close } = await listeningWith(serve('registry', answer))
  const host = new URL(origin).host
  const registry: TestRegistry = {
    host,
    address: `oci+http://${host}/team/shelf:latest`,
    tokens: tokens.origin,
    asked: [],
    blobs: new Map(),
    manifests: new Map(),
    auth: 'none',
    account: null,
    redirects: false,
    challenge: () =>
      registry.auth === 'basic'
        ? 'Basic realm="test"'
        : `Bearer realm="${tokens.origin}/token",service="a registry",scope="repository:team/shelf:pull"`,
    instead: () => null,
    close: async () => {
      await Promise.all([tokens.close(), store.close(), close()])
    },
  }
  return registry
}

function refuse(res: ServerResponse, status: number, code: string): void {
  res.writeHead(status).end(JSON.stringify({ errors: [{ code, message: 'as the test says' }] }))
}
