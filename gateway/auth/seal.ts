/** Encrypts what the gateway keeps in cookies (JWE, RFC 7516), so that it needs no store. */
import { randomBytes } from 'node:crypto'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { parseUntrustedJson } from '../../corpus/model/values/json-text.ts'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import { GatewayError } from '../http/errors.ts'

/** What a text is for. One for another purpose is not accepted. */
export type Purpose = 'login' | 'session'

export interface Seal {
  /** Returns a compact JWE: ASCII letters, digits, `-`, `_` and dots. */
  seal(purpose: Purpose, value: object): Promise<string>
  /** Returns null for a text that this key has not sealed for this purpose. */
  open(purpose: Purpose, text: string): Promise<object | null>
}

/** AES-256. */
const KEY_BYTES = 32
const MAX_FILE_BYTES = 4096

/** Five base64url parts. The second is empty, because the key is used directly (RFC 7516 7.1, RFC 7518 4.5). */
export const isSealed = (text: string): boolean => /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/.test(text)

/** Returns a new key, as base64. */
export const newSealKey = (): string => randomBytes(KEY_BYTES).toString('base64')

/** Returns the key in a file, as base64. @throws GatewayError `bad_option` */
export function readSealKey(path: string): string {
  let text: string
  try {
    text = readRegularFile(path, MAX_FILE_BYTES).toString().trim()
  } catch (cause) {
    throw new GatewayError('bad_option', `cannot read the session key ${path}: ${(cause as Error).message}`, { cause })
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || Buffer.from(text, 'base64').length !== KEY_BYTES) {
    throw new GatewayError(
      'bad_option',
      `the session key ${path} must be ${KEY_BYTES} bytes in base64. Create one: openssl rand -base64 ${KEY_BYTES} > ${path}`,
    )
  }
  return text
}

/** `key` is 32 bytes in base64. */
export function createSeal(key: string): Seal {
  const secret = new Uint8Array(Buffer.from(key, 'base64'))
  return {
    seal: (purpose, value) =>
      new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: purpose })
        .encrypt(secret),
    async open(purpose, text) {
      try {
        const { plaintext, protectedHeader } = await compactDecrypt(text, secret, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        })
        if (protectedHeader.typ !== purpose) return null
        const value: unknown = parseUntrustedJson(new TextDecoder().decode(plaintext))
        return typeof value === 'object' ? value : null
      } catch {
        return null
      }
    },
  }
}
