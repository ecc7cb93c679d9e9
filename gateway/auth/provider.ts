/** The identity provider: authorization code flow with PKCE (RFC 6749, RFC 7636, OpenID Connect Core 1.0). */
import type { Configuration, CustomFetch, TokenEndpointResponse } from 'openid-client'
import type { Fetch } from './key-url.ts'
import type { OidcOptions } from './oidc-options.ts'

/** A sign-in that a browser has begun. */
export interface Begun {
  state: string
  nonce: string
  /** The PKCE code verifier. */
  verifier: string
}

export interface Tokens {
  idToken: string
  /** Null if the provider issues none: the session then ends with the ID token. */
  refreshToken: string | null
}

export type ProviderErrorCode =
  /** It cannot be reached, or its answer is no answer of a provider. */
  | 'unreachable'
  /** It rejects this gateway: its client id, secret or redirect URI. */
  | 'client'
  /** It refuses the sign-in, or the code or refresh token is used or expired. */
  | 'refused'
  /** Its tokens do not belong to this sign-in or this gateway. */
  | 'tokens'

export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderErrorCode
  /** The error code of OAuth, or of the check that failed. */
  readonly detail: string

  constructor(code: ProviderErrorCode, detail: string, cause: unknown) {
    super(`identity provider: ${code} (${detail})`, { cause })
    this.code = code
    this.detail = detail
  }
}

/** Every method rejects with ProviderError. */
export interface Provider {
  /** For the sign-in page: the host of the issuer. */
  name: string
  /** Returns a new sign-in, and the address at the provider where it goes on. */
  begin(): Promise<{ begun: Begun; url: string }>
  /** Exchanges the code in the query of the callback. */
  finish(search: string, begun: Begun): Promise<Tokens>
  /** The result lacks an ID token if the provider does not renew it. */
  refresh(refreshToken: string): Promise<{ idToken: string | null; refreshToken: string }>
  /** Revokes the refresh token, if it can be. `url` ends the session there; null if the provider has no such address. */
  end(tokens: Tokens): Promise<{ url: string | null; revocationError: unknown }>
  /** Reads the metadata. */
  check(): Promise<void>
}

interface Discovered {
  client: typeof import('openid-client')
  config: Configuration
  /** In ms since 1970. */
  at: number
}

const TIMEOUT_SECONDS = 5
const RETRY_MS = 5000
/** Endpoints of a provider change rarely. */
const MAX_AGE_MS = 3_600_000
const MAX_ANSWER_BYTES = 1 << 20

export const CALLBACK = 'auth/callback'

export function createProvider(options: OidcOptions, { fetch, now }: { fetch: Fetch; now: () => number }): Provider {
  const { issuer, clientId, clientSecret, scope, publicUrl } = options
  const redirectUri = `${publicUrl}${CALLBACK}`
  let known: Discovered | null = null
  let loading: Promise<Discovered> | null = null
  let failed: { error: unknown; at: number } | null = null

  async function discover(): Promise<Discovered> {
    const client = await import('openid-client')
    const authentication =
      clientSecret === null
        ? client.None()
        : (...[server, ...rest]: Parameters<ReturnType<typeof client.None>>) => {
            const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
            const method = supported.includes('client_secret_basic')
              ? client.ClientSecretBasic
              : client.ClientSecretPost
            return method(clientSecret)(server, ...rest)
          }
    const config = await client.discovery(new URL(issuer), clientId, undefined, authentication, {
      timeout: TIMEOUT_SECONDS,
      // A provider on this machine. `readOidcOptions` rejects other issuers without TLS.
      execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
      [client.customFetch]: boundedFetch(fetch),
    })
    const { authorization_endpoint, token_endpoint } = config.serverMetadata()
    if (authorization_endpoint === undefined || token_endpoint === undefined) {
      throw new Error('the metadata of the issuer have no authorization_endpoint or token_endpoint')
    }
    failed = null
    known = { client, config, at: now() }
    return known
  }

  /** Concurrent requests share one discovery. While it fails, the last metadata remain in use. */
  async function opened(): Promise<Discovered> {
    if (known !== null && now() - known.at <= MAX_AGE_MS) return known
    if (failed !== null && now() - failed.at < RETRY_MS) {
      if (known !== null) return known
      throw new ProviderError('unreachable', 'discovery', failed.error)
    }
    loading ??= discover().finally(() => {
      loading = null
    })
    try {
      return await loading
    } catch (error) {
      failed = { error, at: now() }
      if (known !== null) return known
      throw new ProviderError('unreachable', 'discovery', error)
    }
  }

  async function ask<T>(work: (parts: Discovered) => Promise<T>): Promise<T> {
    const parts = await opened()
    try {
      return await work(parts)
    } catch (error) {
      throw asProviderError(error)
    }
  }

  return {
    name: new URL(issuer).host,
    begin: () =>
      ask(async ({ client, config }) => {
        const begun = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
        }
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope,
          state: begun.state,
          nonce: begun.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
          code_challenge_method: 'S256',
        })
        return { begun, url: url.href }
      }),
    finish: (search, { state, nonce, verifier }) =>
      ask(async ({ client, config }) => {
        const tokens = await client.authorizationCodeGrant(config, new URL(`${redirectUri}${search}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        return { idToken: tokens.id_token!, refreshToken: tokens.refresh_token ?? null }
      }),
    refresh: (refreshToken) =>
      ask(async ({ client, config }) => {
        const tokens: TokenEndpointResponse = await client.refreshTokenGrant(config, refreshToken)
        return { idToken: tokens.id_token ?? null, refreshToken: tokens.refresh_token ?? refreshToken }
      }),
    end: ({ idToken, refreshToken }) =>
      ask(async ({ client, config }) => {
        const { revocation_endpoint, end_session_endpoint } = config.serverMetadata()
        let revocationError: unknown = null
        if (refreshToken !== null && revocation_endpoint !== undefined) {
          await client.tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' }).catch((error) => {
            revocationError = asProviderError(error)
          })
        }
        if (end_session_endpoint === undefined) return { url: null, revocationError }
        const parameters = { id_token_hint: idToken, post_logout_redirect_uri: publicUrl }
        return { url: client.buildEndSessionUrl(config, parameters).href, revocationError }
      }),
    check: async () => void (await opened()),
  }
}

/** Providers answer with a few kilobytes. */
const boundedFetch =
  (fetch: Fetch): CustomFetch =>
  async (url, { body, method, headers, signal }) => {
    const init = { method, headers, redirect: 'manual' as const, body: body as string | URLSearchParams | undefined }
    const answer = await fetch(url, { ...init, signal: signal ?? AbortSignal.timeout(TIMEOUT_SECONDS * 1000) } as never)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) throw new Error(`${url} returned more than ${MAX_ANSWER_BYTES} bytes`)
      chunks.push(chunk)
    }
    const { status } = answer
    const hasBody = status !== 204 && status !== 205 && status !== 304
    return new Response(hasBody ? Buffer.concat(chunks) : null, {
      status,
      headers: Object.fromEntries((answer as unknown as Response).headers),
    })
  }

/** Codes of OAuth (RFC 6749, 4.1.2.1, 5.2) that mean a fault of the configuration. */
const CLIENT_FAULTS = new Set(['invalid_client', 'unauthorized_client', 'invalid_scope', 'unsupported_grant_type'])

function asProviderError(thrown: unknown): ProviderError {
  if (thrown instanceof ProviderError) return thrown
  const { code = '', error = '', cause } = thrown as { code?: string; error?: unknown; cause?: { code?: string } }
  const detail = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : code || 'network'
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' || code === 'OAUTH_RESPONSE_BODY_ERROR') {
    if (detail === 'server_error' || detail === 'temporarily_unavailable') {
      return new ProviderError('unreachable', detail, thrown)
    }
    return new ProviderError(CLIENT_FAULTS.has(detail) ? 'client' : 'refused', detail, thrown)
  }
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return new ProviderError('client', 'invalid_client', thrown)
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || code === 'OAUTH_PARSE_ERROR') {
    return new ProviderError('unreachable', code, thrown)
  }
  if (code.startsWith('OAUTH_')) return new ProviderError('tokens', code, thrown)
  return new ProviderError('unreachable', cause?.code ?? 'network', thrown)
}
