/** Creates and reads the keys that sign pointers. */
import { existsSync } from 'node:fs'
import { link, open, rm, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Effects, replaceFile } from '../corpus/command/effects.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { parseDuration } from '../corpus/model/values/duration.ts'
import {
  KeyError,
  makeKeyPair,
  readPointerBytes,
  readSigningKeyFile,
  readText,
  readTrustedKeys,
  type SigningAlgorithm,
  SnapshotError,
  signersOf,
  withKey,
} from '../corpus/snapshot/index.ts'
import type { Signing } from './snapshot/activate.ts'

export interface KeyReport {
  kid: string
  alg: SigningAlgorithm
  file: string
  /** The key set's file, and its number of keys. */
  keys: string
  trusted: number
}

export const keySetBeside = (file: string) => `${file.replace(/\.json$/, '')}.jwks.json`

/**
 * Writes the private key to `file`, readable only by its owner, and adds the public key to the key set `keys`.
 * @throws KeyError if `file` exists, because a signing key is never overwritten
 */
export async function makeKey(
  file: string,
  { alg, keys = keySetBeside(file) }: { alg: SigningAlgorithm; keys?: string | undefined },
  effects: Effects,
): Promise<KeyReport> {
  const before = existsSync(keys) ? readText(keys) : '{"keys":[]}'
  const { privateKey, publicKey } = await makeKeyPair(alg)
  const set = withKey(before, keys, publicKey)
  const trusted = await readTrustedKeys(set, keys)
  await writingTo(file, async () => {
    await effects.mkdir(dirname(file))
    await writePrivate(file, `${JSON.stringify(privateKey, null, 1)}\n`)
  })
  await writingTo(keys, () => replaceFile(keys, Buffer.from(set), `${keys}.new`, effects))
  return { kid: publicKey.kid, alg, file, keys, trusted: trusted.length }
}

/** Writes atomically, with owner-only access. Never overwrites a file. */
async function writePrivate(path: string, text: string): Promise<void> {
  const staged = `${path}.new`
  // Left by a killed run.
  await rm(staged, { force: true })
  const file = await open(staged, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(staged, path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    throw new KeyError('unusable', `${path} already exists, and keys are never overwritten; choose another file`, {
      cause,
    })
  } finally {
    await unlink(staged)
  }
}

/** @throws KeyError */
export async function readSigning(files: readonly string[], expires: string): Promise<Signing> {
  const expiresInMs = expiryOf(expires)
  return { keys: await Promise.all(files.map(readSigningKeyFile)), expiresInMs }
}

/** Returns ms. @throws KeyError `usage` */
function expiryOf(text: string): number {
  const seconds = parseDuration(text)
  if (seconds !== null) return seconds * 1000
  throw new KeyError('usage', `invalid --expires '${text}'; use a duration such as 14d or 36h`)
}

/**
 * Returns the signing options of a build. Mirrors that trust a key reject an unsigned pointer, so dropping the
 * signature requires `--unsigned`.
 * @throws KeyError
 */
export async function signingOf(
  dist: string,
  { signKey = [], expires, unsigned = false }: { signKey?: string[]; expires: string; unsigned?: boolean },
): Promise<Signing | null> {
  // Invalid values are reported for unsigned builds too.
  expiryOf(expires)
  if (signKey.length > 0 && unsigned)
    throw new KeyError('usage', '--unsigned and --sign-key exclude each other; use one of them')
  if (signKey.length > 0) return readSigning(signKey, expires)
  if (unsigned || !isSigned(dist)) return null
  throw new KeyError(
    'unusable',
    `the current pointer in ${dist} is signed, so mirrors that trust its key reject an unsigned one. Use --sign-key, or --unsigned to stop signing`,
  )
}

function isSigned(dist: string): boolean {
  try {
    const bytes = readPointerBytes(dist)
    return bytes !== null && signersOf(bytes).length > 0
  } catch (error) {
    // The build itself reports a damaged pointer.
    if (error instanceof SnapshotError) return false
    throw error
  }
}
