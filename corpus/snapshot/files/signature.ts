/**
 * Signs and verifies pointers. Several keys may sign, so that old and new keys overlap during a rotation. SPEC.md,
 * "Pointer".
 */
import {
  calculateJwkThumbprint,
  errors,
  exportJWK,
  flattenedVerify,
  GeneralSign,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { CodedError } from '../../errors/coded-error.ts'
import { SnapshotError } from '../error.ts'
import { decodePayload, decodeSigned, encodePointer, type Pointer, type SignedPointer } from './pointer.ts'

/** Algorithms that sign pointers, and their key types. */
export const SIGNING_ALGORITHMS = {
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  ES256: { kty: 'EC', crv: 'P-256' },
} as const
export type SigningAlgorithm = keyof typeof SIGNING_ALGORITHMS

/** Prevents signatures of other documents from verifying as pointer signatures. */
const TYPE = 'vulnshelf-pointer'

/** A key file that is `unusable`, or an option that does not fit the keys (`usage`). */
export class KeyError extends CodedError<'unusable' | 'usage'> {}

export interface SigningKey {
  kid: string
  alg: SigningAlgorithm
  key: Awaited<ReturnType<typeof importJWK>>
  publicKey: TrustedKey
}

/** A public key. Its signatures are rejected from `exp` on (seconds since the epoch). */
export type TrustedKey = JWK & { kid: string; exp?: number }

/** Returns a key pair as JWKs: the private key for `readSigningKey`, the public key for a key set. */
export async function makeKeyPair(alg: SigningAlgorithm): Promise<{ privateKey: JWK; publicKey: TrustedKey }> {
  const pair = await generateKeyPair(alg, { extractable: true })
  const [privateKey, publicKey] = await Promise.all([exportJWK(pair.privateKey), exportJWK(pair.publicKey)])
  // RFC 7638: derives the id from the key, so that two keys cannot share an id by mistake.
  const about = { kid: await calculateJwkThumbprint(publicKey), alg, use: 'sig' }
  return { privateKey: { ...privateKey, ...about }, publicKey: { ...publicKey, ...about } }
}

/**
 * Reads a private JWK. Errors call it `name`.
 * @throws KeyError
 */
export async function readSigningKey(text: string, name: string): Promise<SigningKey> {
  const jwk = parseJson(text, name)
  const alg = isObject(jwk) ? algorithmOf(jwk) : null
  if (!isObject(jwk) || alg === null || typeof jwk.d !== 'string') {
    throw new KeyError(
      'unusable',
      `${name} is not a private key (JWK, Ed25519 or P-256) that signs pointers; create one with vulnshelf key`,
    )
  }
  try {
    const kid = typeof jwk.kid === 'string' ? jwk.kid : await calculateJwkThumbprint(jwk as JWK)
    const { d: _, ...publicKey } = jwk as JWK
    return { kid, alg, key: await importJWK(jwk as JWK, alg), publicKey: { ...publicKey, kid, alg } }
  } catch (cause) {
    throw new KeyError('unusable', `${name} has a damaged key: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Reads a set of public keys (JWKS), or a single one. Ignores keys for other purposes.
 * @throws KeyError when it is invalid, has no key that signs pointers, or contains a private key
 */
export async function readTrustedKeys(text: string, name: string): Promise<TrustedKey[]> {
  const document = parseJson(text, name)
  const keys = isObject(document) && Array.isArray(document.keys) ? document.keys : [document]
  const trusted: TrustedKey[] = []
  for (const key of keys) {
    if (!isObject(key) || algorithmOf(key) === null) continue
    if ('d' in key) throw new KeyError('unusable', `${name} contains a private key; distribute public keys only`)
    const { exp } = key
    if (exp !== undefined && !Number.isFinite(exp))
      throw new KeyError('unusable', `${name}: exp of a key is not a time in seconds`)
    trusted.push(await trustedKey(key as JWK, name))
  }
  if (trusted.length > 0) return trusted
  throw new KeyError(
    'unusable',
    `${name} has no key that signs pointers; use a key set (JWKS) with Ed25519 or P-256 keys`,
  )
}

async function trustedKey(jwk: JWK, name: string): Promise<TrustedKey> {
  const called = typeof jwk.kid === 'string' ? jwk.kid : 'without an id'
  try {
    await importJWK(jwk, algorithmOf(jwk)!)
    return { ...jwk, kid: typeof jwk.kid === 'string' ? jwk.kid : await calculateJwkThumbprint(jwk) }
  } catch (cause) {
    throw new KeyError('unusable', `${name}: the key ${called} is damaged: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Returns the text of a key set with one key added. Everything else is unchanged.
 * @throws KeyError when it is no key set
 */
export function withKey(text: string, name: string, key: TrustedKey): string {
  const document = parseJson(text, name)
  const isSet = isObject(document) && Array.isArray(document.keys)
  if (!isSet && !(isObject(document) && 'kty' in document))
    throw new KeyError('unusable', `${name} is not a key set (JWKS)`)
  const set = isSet ? { ...document, keys: [...(document.keys as unknown[]), key] } : { keys: [document, key] }
  return `${JSON.stringify(set, null, 1)}\n`
}

export async function signPointer(pointer: Pointer, keys: readonly SigningKey[]): Promise<Buffer> {
  const sign = new GeneralSign(encodePointer(pointer))
  for (const { kid, alg, key } of keys) sign.addSignature(key).setProtectedHeader({ alg, kid, typ: TYPE })
  const { payload, signatures } = await sign.sign()
  return Buffer.from(`${JSON.stringify({ payload, signatures }, null, 1)}\n`)
}

/** Returns the key ids that the signatures claim. Does not verify them. */
export function signersOf(bytes: Uint8Array): string[] {
  return (decodeSigned(bytes)?.signatures ?? []).map((one) => headerOf(one.protected).kid ?? 'without an id')
}

/**
 * Returns the pointer and the id of the trusted key that signed it. The caller must check the expiry.
 * @throws SnapshotError `untrusted`, `malformed`, `unsupported`
 */
export async function openSigned(
  bytes: Uint8Array,
  trusted: readonly TrustedKey[],
  now: Date,
): Promise<{ pointer: Pointer; kid: string }> {
  const signed = decodeSigned(bytes)
  if (signed === null) throw new SnapshotError('untrusted', 'latest.json is not signed')
  const reasons: string[] = []
  for (const signature of signed.signatures) {
    const outcome = await judge(signed, signature, trusted, now)
    if (outcome.valid) return { pointer: decodePayload(outcome.payload), kid: outcome.kid }
    reasons.push(outcome.reason)
  }
  throw new SnapshotError(
    'untrusted',
    `no trusted key has signed latest.json: ${reasons.join('; ') || 'it has no signature'}`,
  )
}

export interface SignatureVerdict {
  kid: string | null
  status: 'valid' | 'rejected' | 'not_checked'
  reason: string | null
}

/**
 * Returns the verdict on each signature of a pointer. Without `trusted` keys nothing is checked.
 * @throws SnapshotError `malformed`
 */
export async function checkSignatures(
  bytes: Uint8Array,
  trusted: readonly TrustedKey[] | null,
  now: Date,
): Promise<SignatureVerdict[]> {
  const signed = decodeSigned(bytes)
  const verdicts: SignatureVerdict[] = []
  for (const signature of signed?.signatures ?? []) {
    const kid = headerOf(signature.protected).kid ?? null
    const judgement = trusted && (await judge(signed!, signature, trusted, now))
    if (judgement === null) verdicts.push({ kid, status: 'not_checked', reason: null })
    else if (judgement.valid) verdicts.push({ kid, status: 'valid', reason: null })
    else verdicts.push({ kid, status: 'rejected', reason: judgement.reason })
  }
  return verdicts
}

type Signature = SignedPointer['signatures'][number]
/** `payload` is the verified bytes. Callers must use nothing else of the file. */
type Judgement = { valid: true; kid: string; payload: Uint8Array } | { valid: false; reason: string }

async function judge(
  { payload }: SignedPointer,
  { protected: header, signature }: Signature,
  trusted: readonly TrustedKey[],
  now: Date,
): Promise<Judgement> {
  const { kid, alg, typ } = headerOf(header)
  const no = (reason: string): Judgement => ({ valid: false, reason })
  if (kid === undefined) return no('a signature has no key id')
  const key = trusted.find((one) => one.kid === kid)
  if (!key) return no(`key ${kid} is not trusted`)
  if (key.exp !== undefined && now.getTime() >= key.exp * 1000) {
    return no(`key ${kid} expired at ${new Date(key.exp * 1000).toISOString()}`)
  }
  if (typ !== TYPE) return no(`the signature of key ${kid} belongs to another type of document`)
  const expected = algorithmOf(key)!
  if (alg !== expected) return no(`the signature of key ${kid} uses algorithm ${alg}, not ${expected}`)
  try {
    const jws = { payload, protected: header, signature }
    const verified = await flattenedVerify(jws, await importJWK(key, expected), { algorithms: [expected] })
    return { valid: true, kid, payload: verified.payload }
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    return no(`the signature of key ${kid} is invalid`)
  }
}

/** Returns the unverified header of a signature. Its values are untrusted. */
function headerOf(header: string): { kid?: string; alg?: string; typ?: string } {
  try {
    const value: unknown = JSON.parse(Buffer.from(header, 'base64url').toString())
    if (!isObject(value)) return {}
    const texts = Object.entries(value).filter(([, member]) => typeof member === 'string')
    return Object.fromEntries(texts) as { kid?: string; alg?: string; typ?: string }
  } catch {
    return {}
  }
}

function algorithmOf({ kty, crv }: Record<string, unknown> | JWK): SigningAlgorithm | null {
  for (const [alg, takes] of Object.entries(SIGNING_ALGORITHMS)) {
    if (takes.kty === kty && takes.crv === crv) return alg as SigningAlgorithm
  }
  return null
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new KeyError('unusable', `${name} is not JSON: ${(cause as Error).message}`, { cause })
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
