/** A set of public keys (RFC 7517), and the interface of key sources. */
import { createLocalJWKSet, type JSONWebKeySet, type JWK } from 'jose'

/** One version of the set. Tokens verified with it stay verified while the same object is current. */
export interface KeySet {
  /** The source text, to detect changes. */
  readonly text: string
  readonly resolve: ReturnType<typeof createLocalJWKSet>
}

/** Follows the key set of one source. */
export interface KeyRing {
  /** Returns the current set, or null if it must be awaited. Starts a check for changes when one is due. */
  current(): KeySet | null
  /** Returns the current set. Rejects with 503 `unavailable` if there is none. */
  obtain(): Promise<KeySet>
  /**
   * Requests a new set because `known` lacks a key, at most once per cooldown. Returns `known` if there is no newer
   * set.
   */
  renew(known: KeySet): Promise<KeySet>
}

/** Parses a JWKS document. @throws for another document, or for one with a private key */
export function parseKeySet(text: string): KeySet {
  const document: unknown = JSON.parse(text)
  const keys = isObject(document) ? document.keys : undefined
  if (!Array.isArray(keys) || !keys.every(isKey)) throw new TypeError('not a JSON Web Key Set: no list of keys')
  if (keys.some((key) => 'd' in key)) throw new TypeError('the key set contains a private key')
  // Shared secrets are not public keys (rule 11: never HS*).
  const set: JSONWebKeySet = { keys: keys.filter((key) => key.kty !== 'oct') }
  return { text, resolve: createLocalJWKSet(set) }
}

function isKey(value: unknown): value is JWK {
  return isObject(value) && typeof value.kty === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
