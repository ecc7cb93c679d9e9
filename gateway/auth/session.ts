/**
 * The session of a browser, in the session cookie: a token, or what an identity provider has issued, sealed (rule 13).
 * Several processes and gateways with the same key read the same sessions.
 */
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import { sessionExpired } from '../http/errors.ts'
import type { RequestHeaders } from '../http/request-headers.ts'
import { PROCESS_BYTES } from '../process/bounds.ts'
import type { Verifier } from './authenticator.ts'
import { cookieName, MAX_COOKIE_LENGTH, readCookie, setSplitCookie } from './cookies.ts'
import type { Tokens } from './provider.ts'
import type { Seal } from './seal.ts'
import type { Subject } from './subject.ts'

export interface SessionCookie {
  /** Returns the value of the cookie that counts. */
  find(cookies: string): string | undefined
  /** Returns the headers that set it; null if no browser would store it. `seconds` is null until the browser closes. */
  set(headers: RequestHeaders, value: string, seconds: number | null): string[] | null
  /** Returns the headers that remove it. */
  remove(headers: RequestHeaders): string[]
  /** Whether browsers reach the gateway over TLS. */
  isSecure(headers: RequestHeaders): boolean
}

/**
 * The public URL decides whether the cookie requires TLS. Without one, the `Origin` of the page that signs in does, and the
 * cookie of either kind counts.
 */
export function sessionCookie(name: string, publicUrl: string | null): SessionCookie {
  const isSecure = ({ origin = '' }: RequestHeaders) => (publicUrl ?? origin).startsWith('https:')
  const names = publicUrl === null ? [true, false] : [publicUrl.startsWith('https:')]
  const kinds = names.map((secure) => ({ isSecure: secure, full: cookieName(name, secure) }))
  return {
    isSecure,
    find(cookies) {
      for (const { full } of kinds) {
        const value = readCookie(cookies, full)
        if (value !== undefined) return value
      }
      return undefined
    },
    set(headers, value, seconds) {
      if (value.length > MAX_COOKIE_LENGTH) return null
      const secure = isSecure(headers)
      const kind = { isSecure: secure, sameSite: 'Strict' as const, seconds }
      return setSplitCookie(cookieName(name, secure), value, kind, headers.cookie)
    },
    remove: ({ cookie }) =>
      kinds.flatMap(({ full, isSecure }) =>
        setSplitCookie(full, '', { isSecure, sameSite: 'Strict', seconds: 0 }, cookie),
      ),
  }
}

/** A cached session's map entry. */
const ENTRY_BYTES = 256

export interface Sessions {
  /** @throws or rejects with ApiError 401 */
  subjectOf(sealed: string): Subject | Promise<Subject>
  /** Returns the tokens in a session; null if this gateway has not sealed it. */
  open(sealed: string): Promise<Tokens | null>
  seal(tokens: Tokens): Promise<string>
}

/** `verify` accepts the ID tokens of the provider. */
export function createSessions(seal: Seal, verify: Verifier, rememberBytes: number = PROCESS_BYTES.sessions): Sessions {
  const known = generationalCache<string, Tokens>(
    rememberBytes,
    (tokens, sealed) => ENTRY_BYTES + sealed.length + tokens.idToken.length + (tokens.refreshToken?.length ?? 0),
  )

  async function open(sealed: string): Promise<Tokens | null> {
    const opened = (await seal.open('session', sealed)) as Tokens | null
    if (opened !== null) known.set(sealed, opened)
    return opened
  }

  /** An expired session is none of a failed token: its cookie is genuine, and the page renews it. */
  function subjectOf({ idToken, refreshToken }: Tokens): Subject | Promise<Subject> {
    const expired = (error: unknown): never => {
      throw (error as { fault?: string }).fault === 'expired' ? sessionExpired(refreshToken !== null) : error
    }
    try {
      const subject = verify(idToken)
      return subject instanceof Promise ? subject.catch(expired) : subject
    } catch (error) {
      return expired(error)
    }
  }

  return {
    open,
    seal: (tokens) => seal.seal('session', tokens),
    subjectOf(sealed) {
      const tokens = known.get(sealed)
      if (tokens !== undefined) return subjectOf(tokens)
      return open(sealed).then((opened) => {
        // The key is another one, for example since a restart.
        if (opened === null) throw sessionExpired(false)
        return subjectOf(opened)
      })
    },
  }
}
