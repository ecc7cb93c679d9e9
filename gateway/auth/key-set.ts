/** A set of public keys as an issuer publishes it (RFC 7517), and where a gateway gets its current one from. */
import { createLocalJWKSet, type JSONWebKeySet, type JWK } from 'jose'

/** One state of the set. What was verified with it stays verified while it is the current one, by identity. */
export interface KeySet {
  /** The text it was read from, to tell whether a newer copy says anything else. */
  readonly text: string
  readonly resolve: ReturnType<typeof createLocalJWKSet>
}

/** Follows the key set of one place. */
export interface KeyRing {
  /** The current set, at once: null where it must be waited for. Looks for changes when that is due. */
  current(): KeySet | null
  /** The current set. Rejects with 503 `unavailable` where it cannot be had at all. */
  obtain(): Promise<KeySet>
  /** Asks again because `known` lacks a key, at most once per cooldown. Gives `known` back where nothing newer is to be had. */
  renew(known: KeySet): Promise<KeySet>
}

/** Reads a JWKS document. Throws where it is none, or where it gives away a private key. */
export function parseKeySet(text: string): KeySet {
  const document: unknown = JSON.parse(text)
  const keys = isObject(document) ? document.keys : undefined
  if (!Array.isArray(keys) || !keys.every(isKey)) throw new TypeError('not a JSON Web Key Set: no list of keys')
  if (keys.some((key) => 'd' in key)) throw new TypeError('the key set contains a private key')
  // Shared secrets are nobody's public key (rule 11: never HS*).
  const set: JSONWebKeySet = { keys: keys.filter((key) => key.kty !== 'oct') }
  return { text, resolve: createLocalJWKSet(set) }
}

function isKey(value: unknown): value is JWK {
  return isObject(value) && typeof value.kty === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
