/** The identity provider of a service's tests: it signs whatever token a test wants, with the keys that the gateway trusts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importJWK } from 'jose'
import { LOCAL } from '../../../gateway/auth/token.ts'
import { adminClaims, jwks, type SigningKey, sign } from '../../support/tokens.ts'
import type { Service } from './service.ts'

export interface Identity {
  key: SigningKey
  /** A token of an administrator, some claims of which are others; `undefined` leaves one out. */
  token(claims?: Record<string, unknown>, header?: object, by?: SigningKey): Promise<string>
  /** The same as a header. */
  as(claims?: Record<string, unknown>, header?: object, by?: SigningKey): Promise<{ authorization: string }>
  /** From now on these keys are the provider's. */
  publish(...keys: SigningKey[]): void
}

export async function identityOf({ made }: Service): Promise<Identity> {
  const folder = join(dirname(made.dist), 'keys')
  const privateJwk = JSON.parse(readFileSync(join(folder, 'private-key.json'), 'utf8'))
  const { d: _, ...publicJwk } = privateJwk
  const privateKey = (await importJWK(privateJwk, 'ES256')) as CryptoKey
  const key: SigningKey = { alg: 'ES256', kid: privateJwk.kid, publicJwk, privateKey }
  const token: Identity['token'] = (claims = {}, header = {}, by = key) =>
    sign(by, adminClaims(Date.now(), { iss: LOCAL.issuer, aud: LOCAL.audience, ...claims }), header)
  return {
    key,
    token,
    as: async (...args) => ({ authorization: `Bearer ${await token(...args)}` }),
    publish: (...keys) => writeFileSync(join(folder, 'jwks.json'), jwks(...keys)),
  }
}
