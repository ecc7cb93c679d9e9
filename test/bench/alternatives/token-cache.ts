/** Verifies ES256 tokens with jose and caches verified ones, as a hand-written server would. */
import { readFileSync } from 'node:fs'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { LOCAL } from '../../../gateway/auth/token.ts'

const REMEMBERED = 10_000

/** Returns a function that checks an `Authorization` header. It returns synchronously for a cached token. */
export function tokenCache(jwksFile: string): (authorization: string | undefined) => boolean | Promise<boolean> {
  const keys = createLocalJWKSet(JSON.parse(readFileSync(jwksFile, 'utf8')))
  const expiries = new Map<string, number>()

  const verify = async (token: string): Promise<boolean> => {
    try {
      const { issuer, audience } = LOCAL
      const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms: ['ES256'] })
      if (payload.exp === undefined || payload.role !== 'admin') return false
      const [oldest] = expiries.keys()
      if (expiries.size >= REMEMBERED && oldest !== undefined) expiries.delete(oldest)
      expiries.set(token, payload.exp * 1000)
      return true
    } catch {
      // Any verification error means an invalid token.
      return false
    }
  }
  return (authorization) => {
    if (!authorization?.startsWith('Bearer ')) return false
    const token = authorization.slice('Bearer '.length)
    const expiry = expiries.get(token)
    return expiry !== undefined && expiry > Date.now() ? true : verify(token)
  }
}
