/** `/auth/…`: signs browsers in and out, at an identity provider or with a token. */
import { decodeJwt } from 'jose'
import { invalidParameter, unavailable } from '../../corpus/answers/errors.ts'
import { crossSite, methodNotAllowed, rateLimited, sessionExpired, unauthenticated } from '../http/errors.ts'
import { type OpenAnswer, type OpenRequest, type OpenRoute, uncachedJson } from '../http/open-route.ts'
import type { RequestHeaders } from '../http/request-headers.ts'
import type { Limits } from '../limits/limits.ts'
import type { Log } from '../process/log.ts'
import type { Verifier } from './authenticator.ts'
import type { BearerTokens } from './bearer-token.ts'
import { cookieName, cookieNames, findCookie, setCookie } from './cookies.ts'
import { findCredential, isForeign } from './credential.ts'
import { type Begun, type Provider, ProviderError, type Tokens } from './provider.ts'
import { returnUrl } from './return-path.ts'
import { isSealed, type Seal } from './seal.ts'
import type { SessionCookie, Sessions } from './session.ts'
import { failurePage } from './sign-in-page.ts'
import type { Subject } from './subject.ts'

export interface SignInParts {
  cookie: SessionCookie
  /** Access tokens. */
  tokens: BearerTokens
  /** Null without an identity provider. */
  oidc: OidcParts | null
  limits: Pick<Limits, 'failedTokens'>
  log: Log
  /** In ms since 1970. */
  now: () => number
}

export interface OidcParts {
  provider: Provider
  /** Verifies ID tokens. */
  verify: Verifier
  sessions: Sessions
  seal: Seal
  publicUrl: string
}

/** Time to sign in at the provider. */
const LOGIN_SECONDS = 600
/** Sign-ins that a browser can have begun at a time. Each has a cookie, because several tabs can begin at once. */
const MOST_LOGINS = 4
/** A session is renewed when it ends within this time. */
const RENEWAL_MS = 30_000
/** Wait for an identity provider that does not answer. */
const RETRY_SECONDS = 5

/** A sign-in, sealed in a cookie: only the browser that has begun it can finish it. */
interface Login extends Begun {
  returnTo: string
  /** In ms since 1970. */
  endsAt: number
}

const LOGIN_COOKIE = 'vulnshelf-login.'
/** Each sign-in has an own cookie, named by its state. */
const loginCookie = (state: string, isSecure: boolean) => cookieName(`${LOGIN_COOKIE}${state.slice(0, 12)}`, isSecure)

const NO_STORE = ['Cache-Control', 'no-store', 'Referrer-Policy', 'no-referrer']

const redirect = (location: string, headers: readonly string[]): OpenAnswer => ({
  status: 303,
  type: 'text/plain; charset=utf-8',
  body: Buffer.from('continue\n'),
  headers: ['Location', location, ...NO_STORE, ...headers],
})

const answer = (value: object, headers: readonly string[]): OpenAnswer => {
  const open = uncachedJson(value)
  return { ...open, headers: [...open.headers, ...headers] }
}

/** A form of another page could post without this header, and sign a user in or out. */
function assertOwnPage(headers: RequestHeaders): void {
  if (headers.requestedWith === undefined || isForeign(headers)) throw crossSite()
}

/** Returns the token of the session cookie; undefined without one. */
const sessionOf = ({ cookie: header }: RequestHeaders, cookie: SessionCookie): string | undefined =>
  header === undefined ? undefined : cookie.find(header)

export function signInRoutes(parts: SignInParts): OpenRoute[] {
  const { cookie, tokens, oidc, log, now } = parts
  const routes: OpenRoute[] = [
    { path: '/auth/methods', answer: () => uncachedJson({ provider: oidc === null ? null : oidc.provider.name }) },
    {
      path: '/auth/token',
      method: 'POST',
      async answer({ headers }) {
        assertOwnPage(headers)
        // Without a header, nothing signs in: the cookie is no new token.
        const { token } = findCredential({ ...headers, cookie: undefined }, cookie)
        const subject = await tokens.verify(token)
        const expiresAt = tokens.expiryOf(token)
        const seconds = expiresAt === null ? null : Math.max(1, Math.ceil((expiresAt - now()) / 1000))
        const set = cookie.set(headers, token, seconds)
        if (set === null) throw invalidParameter(undefined, 'the token is too long for a cookie; this tab can keep it')
        log.info({ subject: subject.logName }, 'signed in with a token')
        return answer({ signed_in: true }, set)
      },
    },
    {
      path: '/auth/logout',
      method: 'POST',
      async answer({ headers }) {
        assertOwnPage(headers)
        const session = sessionOf(headers, cookie)
        const opened = oidc !== null && session !== undefined ? await oidc.sessions.open(session) : null
        const end = opened === null ? null : await endAtProvider(oidc!, opened, log)
        return answer({ signed_in: false, provider_logout: end }, cookie.remove(headers))
      },
    },
  ]
  return oidc === null ? routes : [...routes, ...oidcRoutes(parts, oidc)]
}

/** The session here ends in any case. */
async function endAtProvider({ provider }: OidcParts, tokens: Tokens, log: Log): Promise<string | null> {
  try {
    const { url, revocationError } = await provider.end(tokens)
    if (revocationError !== null) log.warn({ reason: reasonOf(revocationError) }, 'refresh token not revoked')
    return url
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'session not ended at the identity provider')
    return null
  }
}

/** Returns the messages of an error and its causes. Other properties can contain tokens, so the error is not logged. */
function reasonOf(error: unknown): string {
  const messages: string[] = []
  for (let cause = error; cause instanceof Error && messages.length < 4; cause = cause.cause) {
    messages.push(cause.message || String((cause as NodeJS.ErrnoException).code))
  }
  return messages.join(': ')
}

function oidcRoutes({ cookie, limits, log, now }: SignInParts, oidc: OidcParts): OpenRoute[] {
  const { provider, sessions, seal, publicUrl } = oidc
  const isSecure = publicUrl.startsWith('https:')
  const login = (seconds: number) => ({ isSecure, sameSite: 'Lax' as const, seconds })
  const prefix = cookieName(LOGIN_COOKIE, isSecure)

  /** Without a refresh token, the cookie ends with the ID token. */
  async function sessionCookies(headers: RequestHeaders, tokens: Tokens): Promise<string[] | null> {
    const seconds = tokens.refreshToken === null ? Math.ceil(decodeJwt(tokens.idToken).exp! - now() / 1000) : null
    return cookie.set(headers, await sessions.seal(tokens), seconds)
  }

  const failed = (code: number, text: string, reason: string, headers: readonly string[] = []): OpenAnswer => {
    log.warn({ reason }, 'sign-in failed')
    return failurePage(code, text, headers)
  }

  const failedAtProvider = (error: unknown, headers: readonly string[] = []): OpenAnswer => {
    if (!(error instanceof ProviderError)) throw error
    return failed(...PROVIDER_FAILURES[error.code](provider.name, error.detail), reasonOf(error), headers)
  }

  async function begin({ search, isHead, headers }: OpenRequest): Promise<OpenAnswer> {
    if (isHead) throw methodNotAllowed('GET')
    const returnTo = returnUrl(new URLSearchParams(search).get('return') ?? '/', publicUrl)
    if (returnTo === null) {
      throw invalidParameter('return', 'the parameter return must be a path of this site, such as /#/cves')
    }
    try {
      const { begun, url } = await provider.begin()
      const sealed = await seal.seal('login', {
        ...begun,
        returnTo,
        endsAt: now() + LOGIN_SECONDS * 1000,
      } satisfies Login)
      const old = cookieNames(headers.cookie ?? '', prefix).slice(MOST_LOGINS - 1)
      return redirect(url, [
        ...setCookie(loginCookie(begun.state, isSecure), sealed, login(LOGIN_SECONDS)),
        ...old.flatMap((name) => setCookie(name, '', login(0))),
      ])
    } catch (error) {
      return failedAtProvider(error)
    }
  }

  async function callback({ search, isHead, headers, address }: OpenRequest): Promise<OpenAnswer> {
    if (isHead) throw methodNotAllowed('GET')
    // Each callback can cause a request to the provider.
    const attempts = await limits.failedTokens.look(address())
    if (attempts.left <= 0) throw rateLimited('too many failed sign-ins from this address', attempts.resetSeconds)
    const result = await finish(search, headers)
    if ((result.status ?? 200) >= 400) await limits.failedTokens.take(address())
    return result
  }

  async function finish(search: string, headers: RequestHeaders): Promise<OpenAnswer> {
    const [state, ...more] = new URLSearchParams(search).getAll('state')
    const name =
      state !== undefined && more.length === 0 && /^[\w-]{12,}$/.test(state) ? loginCookie(state, isSecure) : ''
    const sealed = name === '' ? undefined : findCookie(headers.cookie ?? '', name)
    const begun = sealed === undefined ? null : ((await seal.open('login', sealed)) as Login | null)
    if (begun === null || begun.state !== state || begun.endsAt <= now()) {
      const text = `This browser has not begun this sign-in, has finished it already, or it took longer than ${LOGIN_SECONDS / 60} minutes.`
      return failed(400, text, 'no such sign-in')
    }
    const used = setCookie(name, '', login(0))
    try {
      const tokens = await provider.finish(search, begun)
      const subject = await oidc.verify(tokens.idToken)
      const set = await sessionCookies(headers, tokens)
      if (set === null) {
        const text = `The tokens of ${provider.name} are too large for a cookie. Let its administrator put fewer claims, such as groups, into the ID token.`
        return failed(500, text, 'the tokens are too large for a cookie', used)
      }
      log.info({ subject: subject.logName }, 'signed in at the identity provider')
      return redirect(begun.returnTo, [...used, ...set])
    } catch (error) {
      if (error instanceof ProviderError) return failedAtProvider(error, used)
      const { status, message, fault } = error as { status?: number; message: string; fault?: string }
      if (fault === undefined && status !== 503) throw error
      const text = `The gateway does not accept the ID token of ${provider.name}: ${message}.`
      return failed(status === 503 ? 503 : 403, text, message, used)
    }
  }

  /** Pages ask one at a time, so that a refresh token is used once. A session that is valid remains. */
  async function refresh({ headers }: OpenRequest): Promise<OpenAnswer> {
    assertOwnPage(headers)
    const sealed = sessionOf(headers, cookie)
    if (sealed === undefined || !isSealed(sealed)) throw unauthenticated('there is no session to renew', 'missing')
    const tokens = await sessions.open(sealed)
    if (tokens === null) throw sessionExpired(false)
    const claims = decodeJwt(tokens.idToken)
    if (claims.exp! * 1000 > now() + RENEWAL_MS) return answer({ renewed: false }, [])
    if (tokens.refreshToken === null) throw sessionExpired(false)
    const renewed = await provider.refresh(tokens.refreshToken).catch((error: unknown) => {
      throw refreshError(error, provider.name, log)
    })
    const { idToken, refreshToken } = renewed
    if (idToken === null) {
      log.warn({ reason: 'the identity provider returned no ID token' }, 'session not renewed')
      throw sessionExpired(false)
    }
    const subject: Subject = await oidc.verify(idToken)
    // OpenID Connect Core 1.0, 12.2.
    if (decodeJwt(idToken).sub !== claims.sub) {
      log.warn({ reason: 'the renewed ID token has another subject', subject: subject.logName }, 'session not renewed')
      throw sessionExpired(false)
    }
    const set = await sessionCookies(headers, { idToken, refreshToken })
    if (set === null) throw sessionExpired(false)
    return answer({ renewed: true }, set)
  }

  return [
    { path: '/auth/login', answer: begin },
    { path: '/auth/callback', answer: callback },
    { path: '/auth/refresh', method: 'POST', answer: refresh },
  ]
}

function refreshError(error: unknown, name: string, log: Log): unknown {
  if (!(error instanceof ProviderError)) return error
  log.warn({ reason: reasonOf(error) }, 'session not renewed')
  if (error.code !== 'unreachable') return sessionExpired(false)
  return unavailable(`the identity provider ${name} does not answer, so the session cannot be renewed`, RETRY_SECONDS)
}

type Failure = [status: number, text: string]

/** The status and the text for people. `detail` is a code of OAuth. */
const PROVIDER_FAILURES: Record<ProviderError['code'], (name: string, detail: string) => Failure> = {
  unreachable: (name) => [
    503,
    `The identity provider ${name} does not answer. Try again in a minute, or sign in with a token.`,
  ],
  client: (name, detail) => [
    500,
    `The identity provider ${name} rejects this gateway (${detail}). Its operator must correct --oidc-client-id, --oidc-client-secret-file or --oidc-scope.`,
  ],
  refused: (name, detail) => [403, `The identity provider ${name} refused the sign-in (${detail}).`],
  tokens: (name, detail) => [
    403,
    `The answer of the identity provider ${name} does not belong to this sign-in (${detail}).`,
  ],
}
