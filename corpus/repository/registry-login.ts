/**
 * Credentials of an OCI registry: anonymous, Basic, or tokens of a token server. Reads the files that `skopeo login`,
 * `podman login`, `docker login` and `oras login` write, when the registry asks for credentials.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseUntrustedJson } from '../model/values/json-text.ts'
import { FileError, readRegularFile } from '../runtime/regular-file.ts'
import type { RegistryLocation } from '../transfer/address.ts'
import { about, TransferError } from '../transfer/error.ts'
import type { NetworkEffects } from '../transfer/network.ts'
import { readWhole } from '../transfer/receive.ts'
import { type Credentials, get, send } from '../transfer/request.ts'
import { statusError } from '../transfer/retry.ts'

export type Access = 'pull' | 'pull,push'

export interface RegistryLogin {
  /** The header for the registry's own origin; empty before the registry asks for credentials. */
  credentials(): Credentials
  /**
   * Gets credentials after an answer with status 401. `used` was sent with the request.
   * @throws TransferError `refused` if there are none, or the token server rejects them
   */
  renew(challenge: string | undefined, used: Credentials): Promise<void>
}

/** How to log in, for messages. */
export const loginRemedy = ({ origin }: RegistryLocation): string => `log in with skopeo login ${new URL(origin).host}`

export function registryLogin(
  location: RegistryLocation,
  access: Access,
  effects: Pick<NetworkEffects, 'request' | 'now'>,
  env: NodeJS.ProcessEnv = process.env,
): RegistryLogin {
  let current: Credentials = new Map()
  let pending: Promise<void> | null = null
  const renewed = async (challenge: string | undefined) => {
    const account = accountOf(location, env)
    const authorization = await authorizationOf(challenge, account, location, access, effects)
    current = new Map([[location.origin, authorization]])
  }
  return {
    credentials: () => current,
    async renew(challenge, used) {
      // A parallel request has renewed them.
      if (used !== current) return
      pending ??= renewed(challenge).finally(() => {
        pending = null
      })
      await pending
    },
  }
}

/** One of the two is set. */
interface Account {
  /** Value of a Basic `Authorization` header. */
  basic?: string
  /** An OAuth 2 refresh token, for the token server. */
  identityToken?: string
}

async function authorizationOf(
  challenge: string | undefined,
  account: Account | null,
  location: RegistryLocation,
  access: Access,
  effects: Pick<NetworkEffects, 'request' | 'now'>,
): Promise<string> {
  const { scheme, parameters } = parseChallenge(challenge ?? '')
  if (scheme === 'bearer') return `Bearer ${await tokenOf(parameters, account, location, access, effects)}`
  if (scheme !== 'basic') {
    throw new TransferError('refused', `${location.name} answers 401 and supports neither Basic nor Bearer credentials`)
  }
  if (account?.basic !== undefined) return account.basic
  throw new TransferError('refused', `${location.name} needs credentials; ${loginRemedy(location)}`)
}

/** Returns scheme and parameters of a `WWW-Authenticate` header (RFC 9110, 11.6.1). */
function parseChallenge(text: string): { scheme: string; parameters: Map<string, string> } {
  const scheme = /^\s*([a-z]{1,20})(?:\s|$)/i.exec(text)?.[1]?.toLowerCase() ?? ''
  const found = Array.from(text.matchAll(/\b([a-z_]{1,40})="([^"]{0,2000})"/gi))
  return { scheme, parameters: new Map(found.map(([, name, value]) => [name!.toLowerCase(), value!])) }
}

const MAX_TOKEN_BYTES = 1 << 20
/** Characters of a header's value. */
const TOKEN = /^[\x21-\x7e]+$/
const CLIENT_ID = 'vulnshelf'

/** Requests only the access to this repository, whatever scope the registry asks for. */
async function tokenOf(
  parameters: ReadonlyMap<string, string>,
  account: Account | null,
  location: RegistryLocation,
  access: Access,
  effects: Pick<NetworkEffects, 'request' | 'now'>,
): Promise<string> {
  const realm = realmOf(parameters.get('realm'), location)
  const query = new URLSearchParams({ scope: `repository:${location.repository}:${access}` })
  const service = parameters.get('service')
  if (service !== undefined) query.set('service', service)
  const server = `the token server ${realm.origin} of ${location.name}`
  // Otherwise the message names only the file that needs the token.
  const named = (error: unknown): never => {
    throw about(server, error)
  }
  const answer = await (account?.identityToken === undefined
    ? get(effects, withQuery(realm, query), {}, credentialsFor(realm, account))
    : send(effects, realm, { 'content-type': 'application/x-www-form-urlencoded' }, new Map(), {
        method: 'POST',
        body: `${query}&${new URLSearchParams({ grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token: account.identityToken })}`,
      })
  ).catch(named)
  if (answer.status !== 200) {
    await answer.discard()
    const { code, message, retryAfterMs } = statusError(answer, effects.now())
    const isRefused = code === 'refused'
    const wayOut = isRefused ? `; ${loginRemedy(location)}, as an account with access to it` : ''
    throw new TransferError(code, `${server}: ${message}${wayOut}`, { retryAfterMs })
  }
  const text = (await readWhole(answer.body, MAX_TOKEN_BYTES, effects.now).catch(named)).toString()
  const token = tokenIn(text)
  if (token !== null) return token
  throw new TransferError('wrong_body', `${server} sent no token`)
}

/** @throws TransferError `refused`, because credentials must not leave in plain text */
function realmOf(text: string | undefined, { name, origin }: RegistryLocation): URL {
  const realm = URL.parse(text ?? '')
  const isAllowed = realm?.protocol === 'https:' || (realm?.protocol === 'http:' && origin.startsWith('http:'))
  if (!realm || !isAllowed) {
    throw new TransferError('refused', `${name} names a token server without https, which gets no credentials`)
  }
  realm.username = ''
  realm.password = ''
  return realm
}

function withQuery(url: URL, query: URLSearchParams): URL {
  const all = new URL(url)
  for (const [name, value] of query) all.searchParams.set(name, value)
  return all
}

const credentialsFor = ({ origin }: URL, account: Account | null): Credentials =>
  new Map(account?.basic === undefined ? [] : [[origin, account.basic]])

function tokenIn(text: string): string | null {
  try {
    const { token, access_token: other } = (parseUntrustedJson(text) ?? {}) as {
      token?: unknown
      access_token?: unknown
    }
    const found = token ?? other
    return typeof found === 'string' && TOKEN.test(found) ? found : null
  } catch {
    return null
  }
}

/** The used fields of a credentials file. */
interface AuthFile {
  auths?: Record<string, { auth?: unknown; identitytoken?: unknown } | null>
  credHelpers?: Record<string, unknown>
  credsStore?: unknown
}

/** Where the programs store credentials, in the order of their precedence. */
function authFilesOf(env: NodeJS.ProcessEnv): string[] {
  const { REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR, DOCKER_CONFIG } = env
  if (REGISTRY_AUTH_FILE) return [REGISTRY_AUTH_FILE]
  return [
    ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, 'containers/auth.json')] : []),
    join(homedir(), '.config/containers/auth.json'),
    join(DOCKER_CONFIG || join(homedir(), '.docker'), 'config.json'),
  ]
}

/**
 * Returns the account with the most specific key: `host/path`, else `host`. Null without one.
 * @throws TransferError `usage` if a file is malformed, or only a credential helper has the account
 */
function accountOf(location: RegistryLocation, env: NodeJS.ProcessEnv): Account | null {
  const keys = keysOf(location)
  for (const path of authFilesOf(env)) {
    const file = readAuthFile(path)
    if (file === null) continue
    const entries = new Map(Object.entries(file.auths ?? {}).map(([key, entry]) => [normalKey(key), entry]))
    for (const key of keys) {
      const account = accountIn(entries.get(key))
      if (account === 'malformed') {
        throw new TransferError('usage', `${path} has malformed credentials of ${key}; ${loginRemedy(location)}`)
      }
      if (account !== null) return account
    }
    const host = keys.at(-1)!
    const helper = file.credHelpers?.[host] ?? (entries.has(host) ? file.credsStore : undefined)
    if (helper !== undefined) {
      throw new TransferError(
        'usage',
        `${path} keeps the credentials of ${host} in the credential helper '${helper}', which vulnshelf does not run; set REGISTRY_AUTH_FILE to a new file, and ${loginRemedy(location)}`,
      )
    }
  }
  return null
}

/** `host/a/b`, `host/a`, `host`. */
function keysOf({ origin, repository }: RegistryLocation): string[] {
  const steps = [new URL(origin).host, ...repository.split('/')]
  return steps.map((_, i) => steps.slice(0, steps.length - i).join('/'))
}

/** Docker also writes keys such as `https://registry.example.com/v1/`. */
const normalKey = (key: string): string => key.replace(/^https?:\/\//, '').replace(/(?:\/v[12])?\/?$/, '')

function accountIn(
  entry: { auth?: unknown; identitytoken?: unknown } | null | undefined,
): Account | 'malformed' | null {
  const { auth, identitytoken } = entry ?? {}
  if (typeof identitytoken === 'string' && identitytoken !== '') return { identityToken: identitytoken }
  if (auth === undefined || auth === '') return null
  if (typeof auth !== 'string') return 'malformed'
  const pair = Buffer.from(auth, 'base64').toString()
  return pair.includes(':') ? { basic: `Basic ${Buffer.from(pair).toString('base64')}` } : 'malformed'
}

const MAX_AUTH_FILE_BYTES = 1 << 20

/** Returns null if it does not exist. Messages never repeat the content. */
function readAuthFile(path: string): AuthFile | null {
  let text: string
  try {
    text = readRegularFile(path, MAX_AUTH_FILE_BYTES).toString()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    const reason = cause instanceof FileError ? cause.message : code
    throw new TransferError('usage', `cannot read the credentials in ${path}: ${reason}`, { cause })
  }
  try {
    const file = parseUntrustedJson(text)
    if (typeof file === 'object' && file !== null && !Array.isArray(file)) return file
  } catch {
    // Same error as for another value.
  }
  throw new TransferError('usage', `the credentials file ${path} is not a JSON object; repair it, or log in again`)
}
