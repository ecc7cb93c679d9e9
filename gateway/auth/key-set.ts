/** A set of public keys (RFC 7517), and the interface of key sources. */

import { createLocalJWKSet, type JSONWebKeySet, type JWK } from 'jose'
import { parseUntrustedJson } from '../../corpus/model/values/json-text.ts'

/** Maximum size of a key set, from a file or a URL. Issuers have ten keys, of 500 bytes each. */
export const MAX_KEY_SET_BYTES = 1 << 20

/** Verified tokens stay verified while this object is current. */
export interface KeySet {
  /** To detect changes. */
  readonly text: string
  readonly resolve: ReturnType<typeof createLocalJWKSet>
}

export interface KeyRing {
  /** Returns null if the set must be awaited. Starts due checks. */
  current(): KeySet | null
  /** Rejects with 503 `unavailable` if there is no set. */
  obtain(): Promise<KeySet>
  /** Fetches because `known` lacks a key, at most once per cooldown. Returns `known` if nothing is newer. */
  renew(known: KeySet): Promise<KeySet>
}

/** @throws for any other document, or one with a private key */
export function parseKeySet(text: string): KeySet {
  const document: unknown = parseUntrustedJson(text)
  const keys = isObject(document) ? document.keys : undefined
  if (!Array.isArray(keys) || !keys.every(isKey))
    throw new TypeError('it is not a JSON Web Key Set, because it has no list `keys`')
  if (keys.some((key) => 'd' in key)) throw new TypeError('it contains a private key; publish the public keys only')
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
