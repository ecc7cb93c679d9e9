/**
 * The pointer `latest.json`, which names the current snapshot. It is written last, plain or signed. SPEC.md, "Pointer".
 */
import { parseUntrustedJson } from '../../model/values/json-text.ts'
import { MAX_MANIFEST_BYTES } from '../bounds.ts'
import { SnapshotError } from '../error.ts'
import { FORMAT } from './manifest.ts'

export interface Pointer {
  format: number
  /** Increases by one with each activated pointer. */
  version: number
  snapshot: string
  manifest: { sha256: string; size: number }
  created_at: string
  /** Clients reject the pointer after this time. Required in a signed pointer. */
  expires_at?: string
}

/** A signed pointer: JWS in general JSON serialization (RFC 7515, 7.2.1). */
export interface SignedPointer {
  payload: string
  signatures: { protected: string; signature: string }[]
}

/** Maximum length of a pointer. A dozen signatures take 3 KB. */
export const MAX_POINTER_BYTES = 64 * 1024

/** Bytes shown in errors. Enough to recognize an HTML page or unexpected compression. */
const SHOWN_BYTES = 24

const HEX_64 = /^[0-9a-f]{64}$/

/**
 * Returns why a signed pointer is too old, or null. The expiry limits how long an attacker can withhold newer pointers.
 */
export function ageFault(
  { expires_at: expires }: Pointer,
  now: Date,
): { code: 'endless' | 'expired'; message: string } | null {
  if (expires === undefined) return { code: 'endless', message: 'latest.json never expires: it has no expiry' }
  if (Date.parse(expires) > now.getTime()) return null
  const why = 'its publisher has stopped, or newer versions are withheld'
  const message = `latest.json expired at ${expires}: ${why} (this machine's clock says ${now.toISOString()})`
  return { code: 'expired', message }
}

export function encodePointer(pointer: Pointer): Buffer {
  return Buffer.from(`${JSON.stringify(pointer, null, 1)}\n`)
}

/**
 * Returns the content of a pointer, signed or not. Does not verify signatures; `openSigned` does.
 * @throws SnapshotError `malformed` or `unsupported`
 */
export function decodePointer(bytes: Uint8Array): Pointer {
  const signed = decodeSigned(bytes)
  return decodePayload(signed ? Buffer.from(signed.payload, 'base64url') : bytes)
}

/**
 * Returns the signatures of a pointer, or null when it is unsigned. Drops all other members: verification would prefer
 * a `payload` inside a signature.
 * @throws SnapshotError `malformed`
 */
export function decodeSigned(bytes: Uint8Array): SignedPointer | null {
  const envelope = parse(bytes)
  if (!('payload' in envelope)) return null
  const { payload, signatures } = envelope as Partial<SignedPointer>
  const isSignature = (one: unknown) =>
    isObject(one) && typeof one.protected === 'string' && typeof one.signature === 'string'
  if (typeof payload === 'string' && Array.isArray(signatures) && signatures.every(isSignature)) {
    return {
      payload,
      signatures: signatures.map(({ protected: header, signature }) => ({ protected: header, signature })),
    }
  }
  throw new SnapshotError('malformed', 'latest.json is neither a pointer nor a signed pointer')
}

/**
 * Decodes the payload of a signed pointer, or an unsigned pointer.
 * @throws SnapshotError `malformed` or `unsupported`
 */
export function decodePayload(bytes: Uint8Array): Pointer {
  const pointer = parse(bytes) as Partial<Pointer>
  if (pointer.format !== undefined && pointer.format !== FORMAT) {
    throw new SnapshotError('unsupported', `latest.json has format ${pointer.format}; this program requires ${FORMAT}`)
  }
  const { version, snapshot, manifest, created_at, expires_at } = pointer
  if (
    !isInteger(version) ||
    !isDigest(snapshot) ||
    !isObject(manifest) ||
    !isDigest(manifest.sha256) ||
    !isInteger(manifest.size) ||
    !isTime(created_at) ||
    !(expires_at === undefined || isTime(expires_at))
  ) {
    throw new SnapshotError('malformed', 'latest.json lacks required fields of a pointer')
  }
  const { size } = manifest
  if (size < 1 || size > MAX_MANIFEST_BYTES) {
    const message = `latest.json states a manifest of ${size} bytes; it must have 1 to ${MAX_MANIFEST_BYTES}`
    throw new SnapshotError('malformed', message)
  }
  return pointer as Pointer
}

function parse(bytes: Uint8Array): object {
  if (bytes.length > MAX_POINTER_BYTES) {
    throw new SnapshotError('malformed', `latest.json is longer than ${MAX_POINTER_BYTES} bytes`)
  }
  let value: unknown
  try {
    value = parseUntrustedJson(Buffer.from(bytes).toString())
  } catch (cause) {
    const beginning = JSON.stringify(Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString())
    throw new SnapshotError('malformed', `latest.json is not JSON: it begins with ${beginning}`, { cause })
  }
  if (isObject(value)) return value
  throw new SnapshotError('malformed', 'latest.json is not a JSON object')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const isDigest = (value: unknown): value is string => typeof value === 'string' && HEX_64.test(value)

const isTime = (value: unknown): value is string => typeof value === 'string' && Number.isFinite(Date.parse(value))
