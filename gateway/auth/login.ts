/** `/login/<code>`: a link that signs a browser in once. `npm start` prints one. */
import { hash, timingSafeEqual } from 'node:crypto'
import { decodeJwt } from 'jose'
import { gone, notFound } from '../../corpus/answers/errors.ts'
import { GatewayError, methodNotAllowed } from '../http/errors.ts'
import { type OpenRoute, rootFrom } from '../http/open-route.ts'
import type { SessionCookie } from './session.ts'

/** Contains `<code>:<token>`. A variable, because other users can read the arguments of a process. */
export const LOGIN_VARIABLE = 'VULNSHELF_LOGIN'

export interface Login {
  code: string
  /** The token that the cookie gets. */
  token: string
}

/** The route has no rate limit, so a code must be too long to guess. */
const LEAST_CODE_LENGTH = 32

/** Returns the login of the environment, and removes it there: no other process must inherit it. */
export function takeLogin(env: NodeJS.ProcessEnv): Login | null {
  const text = env[LOGIN_VARIABLE]
  delete env[LOGIN_VARIABLE]
  if (text === undefined || text === '') return null
  const [code = '', token = ''] = text.split(':')
  if (code.length >= LEAST_CODE_LENGTH && /^[\w-]+$/.test(code) && token !== '') return { code, token }
  throw new GatewayError(
    'bad_option',
    `${LOGIN_VARIABLE} must be <code>:<token>, with a code of ${LEAST_CODE_LENGTH} characters or more: letters, digits, - and _`,
  )
}

/**
 * `now` is in ms since 1970.
 * @throws GatewayError if the token is no JWT with a lifetime
 */
export function loginRoute({ code, token }: Login, cookie: SessionCookie, now: () => number): OpenRoute {
  const expiresAt = expiryOf(token)
  const expected = hash('sha256', code, 'buffer')
  let isUsed = false
  return {
    path: '/login/:code',
    answer({ path, parameters, isHead, headers }) {
      // Programs that check links send a HEAD, which must not use it up.
      if (isHead) throw methodNotAllowed('GET')
      // Digests have one length, which the comparison in constant time requires.
      if (!timingSafeEqual(hash('sha256', parameters.code!, 'buffer'), expected)) {
        throw notFound('this login link is unknown; use the one that the last `npm start` printed')
      }
      const seconds = Math.floor((expiresAt - now()) / 1000)
      const again = 'run `npm start` again for another one, or paste a token into the explorer'
      if (isUsed) {
        const signedIn = 'in the browser that used it, open the address without /login/…; in another one,'
        throw gone(`this login link has been used, and it works only once; ${signedIn} ${again}`)
      }
      if (seconds <= 0) throw gone(`this login link has expired; ${again}`)
      const set = cookie.set(headers, token, seconds)
      if (set === null) throw gone(`the token of this login link is too long for a cookie; ${again}`)
      isUsed = true
      return {
        status: 303,
        type: 'text/plain; charset=utf-8',
        body: Buffer.from('signed in\n'),
        headers: [
          ...['Location', rootFrom(path), 'Cache-Control', 'no-store', 'Referrer-Policy', 'no-referrer'],
          ...set,
        ],
      }
    },
  }
}

function expiryOf(token: string): number {
  let exp: number | undefined
  try {
    exp = decodeJwt(token).exp
  } catch (cause) {
    throw new GatewayError('bad_option', `the token in ${LOGIN_VARIABLE} is not a JWT`, { cause })
  }
  if (exp !== undefined) return exp * 1000
  throw new GatewayError('bad_option', `the token in ${LOGIN_VARIABLE} must have an expiry (exp claim)`)
}
