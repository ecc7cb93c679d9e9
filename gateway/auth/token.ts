/** `vulnshelf-gateway token`: creates a key set and a token, for development only. */
import { randomUUID } from 'node:crypto'
import { link, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { makeFolders } from '../../corpus/command/effects.ts'
import { cannotWrite, isDiskError } from '../../corpus/command/system-error.ts'
import { LONGEST_DAYS, parseDuration } from '../../corpus/model/values/duration.ts'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import { GatewayError } from '../http/errors.ts'
import { MAX_KEY_SET_BYTES } from './key-set.ts'

export interface TokenOptions {
  /** The folder of the keys. */
  dir?: string
  role?: string
  /** The access tier. Without it, the token has no such claim (rule 15). */
  tier?: number
  /** `30m`, `1h`, `2d`. */
  expires?: string
  issuer?: string
  audience?: string
  now?: () => number
}

export interface MadeToken {
  token: string
  /** The public key set, for `serve --jwks`. */
  jwksFile: string
  expiresAt: Date
}

/** Defaults of `token`, `key` and `serve`. */
export const LOCAL = {
  dir: '.vulnshelf',
  apiKeys: '.vulnshelf/api-keys.json',
  issuer: 'https://vulnshelf.local',
  audience: 'vulnshelf',
} as const

/** Returns a token signed with the local key. The first call creates the key. */
export async function makeToken(options: TokenOptions = {}): Promise<MadeToken> {
  const { dir = LOCAL.dir, role = 'admin', tier, now = Date.now } = options
  const lifetime = parseLifetime(options.expires ?? '1h')
  if (tier !== undefined && !Number.isSafeInteger(tier))
    throw new GatewayError('bad_option', `--tier must be a whole number, not ${tier}`)
  if (role === '') throw new GatewayError('bad_option', '--role must name a role, such as admin')
  const { privateKey, jwksFile } = await localKeys(dir)
  const issuedAt = Math.floor(now() / 1000)
  const token = await new SignJWT({ role, ...(tier === undefined ? {} : { tier }) })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: privateKey.kid! })
    .setIssuer(options.issuer ?? LOCAL.issuer)
    .setAudience(options.audience ?? LOCAL.audience)
    .setSubject('local')
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .sign(await importJWK(privateKey, 'ES256'))
  return { token, jwksFile, expiresAt: new Date((issuedAt + lifetime) * 1000) }
}

/** Returns the seconds of `30s`, `15m`, `1h` or `2d`. @throws GatewayError `bad_option` */
export function parseLifetime(text: string): number {
  const seconds = parseDuration(text)
  if (seconds !== null) return seconds
  throw new GatewayError(
    'bad_option',
    `invalid lifetime '${text}'; use a duration such as 30m, 1h or 2d, at most ${LONGEST_DAYS}d`,
  )
}

/** Returns the key pair in `dir`. Only the owner can read the private key, and git ignores the folder. */
async function localKeys(dir: string): Promise<{ privateKey: JWK; jwksFile: string }> {
  const [keyFile, jwksFile] = [join(dir, 'private-key.json'), join(dir, 'jwks.json')]
  try {
    await makeFolders(dir, 0o700)
    await writeFile(join(dir, '.gitignore'), '*\n')
    const privateKey = await readOrCreateKey(keyFile)
    const { kty, crv, x, y, kid } = privateKey
    const keys = [{ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }]
    const temporary = `${jwksFile}.${randomUUID()}`
    await writeFile(temporary, `${JSON.stringify({ keys }, null, 2)}\n`)
    await rename(temporary, jwksFile)
    return { privateKey, jwksFile }
  } catch (error) {
    if (isDiskError(error)) throw new GatewayError('key_file', cannotWrite(dir, error), { cause: error })
    throw new GatewayError('key_file', `cannot store a key in ${dir}: ${messageOf(error)}`, { cause: error })
  }
}

async function readOrCreateKey(keyFile: string): Promise<JWK> {
  const kept = await readKey(keyFile)
  if (kept !== null) return kept
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const made = await exportJWK(privateKey)
  const temporary = `${keyFile}.${randomUUID()}`
  await writeFile(temporary, `${JSON.stringify({ ...made, kid: await calculateJwkThumbprint(made) })}\n`, {
    mode: 0o600,
  })
  try {
    // Unlike a rename, a link does not replace the key that another process created meanwhile.
    await link(temporary, keyFile)
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  } finally {
    await unlink(temporary)
  }
  return (await readKey(keyFile)) ?? Promise.reject(new Error(`${keyFile} was removed meanwhile`))
}

async function readKey(keyFile: string): Promise<JWK | null> {
  try {
    const key: JWK = JSON.parse(readRegularFile(keyFile, MAX_KEY_SET_BYTES).toString())
    if (key.crv === 'P-256' && key.d !== undefined && key.kid !== undefined) return key
    throw new Error(`${keyFile} is not a private P-256 key with an id (kid); remove it to create a new key`)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
