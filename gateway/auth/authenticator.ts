/** Authenticates a request: from its headers to its subject (rules 11 to 14). */
import { compactVerify, errors } from 'jose'
import type { ApiError } from '../../corpus/answers/errors.ts'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import { GatewayError, sessionExpired, unauthenticated } from '../http/errors.ts'
import type { RequestHeaders } from '../http/request-headers.ts'
import { PROCESS_BYTES } from '../process/bounds.ts'
import { findCredential, isCompactJws } from './credential.ts'
import type { KeyRing, KeySet } from './key-set.ts'
import { isSealed } from './seal.ts'
import { type SessionCookie, type Sessions, sessionCookie } from './session.ts'
import { type Claims, checkLifetime, type Lifetime, readClaims, type Subject } from './subject.ts'

export interface VerifierOptions {
  issuer: string
  audience: string
  keys: KeyRing
  /** In ms since 1970. */
  now: () => number
  algorithms?: readonly string[]
  adminClaims?: readonly string[]
  /** In bytes. */
  rememberBytes?: number
}

export interface AuthOptions {
  verify: Verifier
  /** Default: `session`. */
  cookie?: SessionCookie
  /** Sessions of an identity provider. Default: none. */
  sessions?: Sessions
}

/** Verifies a token. Returns a promise only for an uncached one. @throws or rejects as an `Authenticator` does */
export type Verifier = (token: string) => Subject | Promise<Subject>

/**
 * Returns a promise only for uncached tokens.
 * @throws or rejects with ApiError `unauthenticated`; `unavailable` without a key set
 */
export type Authenticator = (headers: RequestHeaders) => Subject | Promise<Subject>

const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

/** `none` and `HS*` cannot be configured (rule 11). */
const ASYMMETRIC = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/

interface Verified {
  keys: KeySet
  lifetime: Lifetime
  subject: Subject
}

/** A cached token's map entry, claims and subject. */
const ENTRY_BYTES = 512

export function createAuthenticator(options: AuthOptions): Authenticator {
  const { verify, cookie = sessionCookie('session', null), sessions } = options
  return (headers) => {
    const { token, isCookie } = findCredential(headers, cookie)
    if (!isCookie || !isSealed(token)) return verify(token)
    if (sessions === undefined) throw sessionExpired(false)
    return sessions.subjectOf(token)
  }
}

/** @throws GatewayError `bad_option` */
export function createVerifier(options: VerifierOptions): Verifier {
  const { issuer, audience, keys: ring, now } = options
  const algorithms = checkAlgorithms(options.algorithms ?? DEFAULT_ALGORITHMS)
  if (issuer === '' || audience === '')
    throw new GatewayError('bad_option', '--issuer and --audience must not be empty')
  const rules = { issuer, audience, adminClaims: options.adminClaims ?? ['role', 'roles'] }
  const memory = generationalCache<string, Verified>(
    options.rememberBytes ?? PROCESS_BYTES.tokens,
    (_, token) => token.length + ENTRY_BYTES,
  )

  async function verifyAfresh(token: string): Promise<Subject> {
    if (!isCompactJws(token)) throw unauthenticated('the token is malformed', 'malformed')
    const { keys, payload } = await verifySignature(token, ring, algorithms)
    const { subject, lifetime } = readClaims(payload, rules)
    checkLifetime(lifetime, now())
    memory.set(token, { keys, subject, lifetime })
    return subject
  }

  return (token) => {
    const known = memory.get(token)
    if (known === undefined) return verifyAfresh(token)
    // Signature, issuer and audience depend only on the key set (rule 12); lifetime depends on the time.
    if (known.keys !== ring.current()) {
      memory.delete(token)
      return verifyAfresh(token)
    }
    checkLifetime(known.lifetime, now())
    return known.subject
  }
}

function checkAlgorithms(algorithms: readonly string[]): string[] {
  const refused = algorithms.find((name) => !ASYMMETRIC.test(name))
  if (refused !== undefined || algorithms.length === 0) {
    throw new GatewayError(
      'bad_option',
      `the token algorithm '${refused ?? ''}' is not supported; use asymmetric ones such as ${DEFAULT_ALGORITHMS.join(', ')}`,
    )
  }
  return [...algorithms]
}

async function verifySignature(token: string, ring: KeyRing, algorithms: string[]) {
  const keys = ring.current() ?? (await ring.obtain())
  try {
    return { keys, payload: await payloadOf(token, keys, algorithms) }
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw refusal(error)
  }
  const renewed = await ring.renew(keys)
  try {
    return { keys: renewed, payload: await payloadOf(token, renewed, algorithms) }
  } catch (error) {
    throw refusal(error)
  }
}

async function payloadOf(token: string, keys: KeySet, algorithms: string[]): Promise<Claims> {
  const { payload, protectedHeader } = await verifiedBy(token, keys, algorithms)
  // No extensions are supported (RFC 7515 4.1.11).
  if (protectedHeader.crit !== undefined) throw new errors.JWSInvalid('crit')
  const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw new errors.JWTInvalid('payload')
  return claims as Claims
}

async function verifiedBy(token: string, keys: KeySet, algorithms: string[]) {
  try {
    return await compactVerify(token, keys.resolve, { algorithms })
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    // Without `kid`, any matching key may have signed the token.
    for await (const key of error) {
      try {
        return await compactVerify(token, key, { algorithms })
      } catch (wrongKey) {
        if (!(wrongKey instanceof errors.JWSSignatureVerificationFailed)) throw wrongKey
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** Names the class of the fault, without details that help to forge a token. */
function refusal(error: unknown): ApiError {
  if (error instanceof errors.JWKSNoMatchingKey)
    return unauthenticated('the token is signed with an unknown key', 'key')
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return unauthenticated('the signature of the token is invalid', 'signature')
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return unauthenticated('the algorithm of the token is not accepted', 'algorithm')
  }
  return unauthenticated('the token is malformed', 'malformed')
}
