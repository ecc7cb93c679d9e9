/** Generated keys and tokens, valid and invalid ones. */
import { createHmac } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { createAuthenticator, createVerifier, type VerifierOptions } from '../../gateway/auth/authenticator.ts'
import { sessionCookie } from '../../gateway/auth/session.ts'

export const ISSUER = 'https://issuer.test'
export const AUDIENCE = 'vulnshelf-test'

export interface SigningKey {
  alg: string
  kid: string
  publicJwk: JWK
  privateKey: CryptoKey
}

export async function signingKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** Returns the JWKS document of some keys. */
export function jwks(...keys: SigningKey[]): string {
  return JSON.stringify({ keys: keys.map(({ publicJwk }) => publicJwk) })
}

/** Returns the claims of an administrator's token that is valid for an hour; `undefined` omits a claim. */
export function adminClaims(nowMs: number, other: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(nowMs / 1000)
  return { iss: ISSUER, aud: AUDIENCE, sub: 'alice', role: 'admin', iat: now, exp: now + 3600, ...other }
}

export function sign(key: SigningKey, claims: object, header: object = {}): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey)
}

/** Returns a hand-made token that no library would sign. */
export function forge(header: object, claims: object, signature: string | ((input: string) => string) = ''): string {
  const input = `${base64url(header)}.${base64url(claims)}`
  return `${input}.${typeof signature === 'string' ? signature : signature(input)}`
}

export const hmac = (secret: string) => (input: string) =>
  createHmac('sha256', secret).update(input).digest('base64url')

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export type AuthenticatorOptions = VerifierOptions & { cookie?: string }

/** Returns an authenticator of bearer tokens and of the session cookie with this name. */
export const authenticatorOf = ({ cookie = 'session', ...options }: AuthenticatorOptions) =>
  createAuthenticator({ verify: createVerifier(options), cookie: sessionCookie(cookie, null) })
