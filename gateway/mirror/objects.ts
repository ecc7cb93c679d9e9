/**
 * The objects of a mirror: verifies local ones and fetches others. Each download has a partial file named by its
 * digest. It survives a crash, and the next attempt resumes after its last byte.
 */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { moveFile } from '../../corpus/command/effects.ts'
import { objectName, objectPath, temporaryFolder } from '../../corpus/snapshot/files/layout.ts'
import type { Stored } from '../../corpus/snapshot/files/manifest.ts'
import { about, TransferError, type TransferErrorCode } from '../../corpus/transfer/error.ts'
import type { GrowingFile, NetworkEffects } from '../../corpus/transfer/network.ts'
import { receive } from '../../corpus/transfer/receive.ts'
import { logWait, watchGain, withRetries } from '../../corpus/transfer/retry.ts'
import type { Source } from './source.ts'

export interface Fetching {
  dist: string
  source: Source
  effects: NetworkEffects
  pace(bytes: number): Promise<void>
  /** Ends the transfers; partial files stay. Its reason must not be a temporary error, which would be retried. */
  signal: AbortSignal
  onBytes(bytes: number): void
}

/** The partial file is then useless. */
const SPOILING: readonly TransferErrorCode[] = ['restart', 'too_large', 'digest']

const partPath = (dist: string, { sha256 }: Stored) => join(temporaryFolder(dist), `${sha256}.part`)

/** Returns null for other files. */
export const objectOfPart = (name: string): string | null => /^([0-9a-f]{64})\.part$/.exec(name)?.[1] ?? null

/**
 * Messages use `name`.
 * @throws TransferError if it is unavailable, or its digest is wrong repeatedly
 */
export async function fetchObject(object: Stored, name: string, fetching: Fetching): Promise<void> {
  const { source, effects, signal } = fetching
  const { reached, gained } = watchGain()
  const attempt = async () => {
    signal.throwIfAborted()
    await attemptOnce(object, fetching, reached)
  }
  try {
    await withRetries(effects, attempt, { gained, onWait: logWait(name, effects), local: source.isLocal, signal })
  } catch (error) {
    throw about(name, error)
  }
}

type OnLength = (length: number) => void

async function attemptOnce(object: Stored, fetching: Fetching, onLength: OnLength): Promise<void> {
  const { dist, effects } = fetching
  const part = partPath(dist, object)
  try {
    const digest = await complete(object, part, fetching, onLength)
    if (digest !== object.sha256) throw new TransferError('digest', `it has the digest ${digest}`)
    await moveFile(part, objectPath(dist, object.sha256), effects)
  } catch (error) {
    if (error instanceof TransferError && SPOILING.includes(error.code)) await effects.remove(part)
    throw error
  }
}

/** Returns the digest of the completed file. */
async function complete(
  { sha256, size }: Stored,
  part: string,
  fetching: Fetching,
  onLength: OnLength,
): Promise<string> {
  const { dist, source, effects } = fetching
  const here = await arrivedOf(dist, { sha256, size })
  const digest = createHash('sha256')
  if (here === size && size > 0) {
    // Killed before the rename.
    await addTo(digest, part, size)
    return digest.digest('hex')
  }
  const { body, offset, discard } = await source.open(objectName(sha256), here)
  try {
    await addTo(digest, part, offset)
    const growing = await effects.grow(part, offset)
    try {
      await receive(body, measured(growing, digest, fetching), {
        offset,
        total: size,
        most: size,
        now: effects.now,
        onBytes(length, bytes) {
          onLength(length)
          fetching.onBytes(bytes)
        },
      })
    } finally {
      await growing.close()
    }
  } catch (error) {
    await discard()
    throw error
  }
  return digest.digest('hex')
}

/** Updates the digest and limits the rate on each write. */
function measured(file: GrowingFile, digest: Hash, { pace, signal }: Fetching): GrowingFile {
  return {
    async write(bytes) {
      signal.throwIfAborted()
      digest.update(bytes)
      await file.write(bytes)
      await pace(bytes.length)
    },
    close: file.close,
  }
}

/** Stamps by digest, so that repeated runs read only changed files. */
export type Sound = Map<string, string>

/** A damaged object is fetched again. */
export async function isHere(dist: string, { sha256, size }: Stored, sound: Sound): Promise<boolean> {
  const path = objectPath(dist, sha256)
  const stamp = await stampOf(path)
  if (stamp === null || stamp.size !== size) return false
  if (sound.get(sha256) === stamp.text) return true
  const digest = createHash('sha256')
  await addTo(digest, path, size)
  if (digest.digest('hex') !== sha256) return false
  sound.set(sha256, stamp.text)
  return true
}

async function addTo(digest: Hash, path: string, length: number): Promise<void> {
  if (length === 0) return
  for await (const chunk of createReadStream(path, { end: length - 1 })) digest.update(chunk as Buffer)
}

async function stampOf(path: string): Promise<{ size: number; text: string } | null> {
  try {
    const { size, ino, mtimeMs, ctimeMs } = await stat(path)
    return { size, text: `${ino} ${mtimeMs} ${ctimeMs} ${size}` }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

export const arrivedOf = async (dist: string, object: Stored): Promise<number> =>
  Math.min((await stampOf(partPath(dist, object)))?.size ?? 0, object.size)

export const bytesOf = (objects: readonly Stored[]): number => objects.reduce((sum, { size }) => sum + size, 0)
