/** Verifies what a client sends as a bearer token, or has in its session cookie: a JWT or an API key. */
import { decodeJwt } from 'jose'
import { unauthenticated } from '../http/errors.ts'
import { isApiKey } from './api-key.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Verifier } from './authenticator.ts'

/** Each is null if the gateway accepts none. */
export interface BearerParts {
  tokens: Verifier | null
  apiKeys: ApiKeys | null
}

export interface BearerTokens {
  verify: Verifier
  /** Returns when a verified token expires, in ms since 1970; null for never. */
  expiryOf(token: string): number | null
}

/** The kind of a token depends on its prefix alone: one that is rejected is not tried as the other kind. */
export function createBearerTokens({ tokens, apiKeys }: BearerParts): BearerTokens {
  return {
    verify(token) {
      if (isApiKey(token)) {
        if (apiKeys !== null) return apiKeys.verify(token)
        throw unauthenticated('this gateway accepts no API keys; its operator can add --api-keys', 'malformed')
      }
      if (tokens !== null) return tokens(token)
      throw unauthenticated(
        'this gateway accepts only API keys, which begin with vulnshelf_; ask its operator for one',
        'malformed',
      )
    },
    expiryOf: (token) => (isApiKey(token) ? apiKeys!.expiryOf(token) : decodeJwt(token).exp! * 1000),
  }
}
