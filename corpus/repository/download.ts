/**
 * Downloads objects of a source into a folder with the layout of a `dist`, and verifies them. Each download has a partial
 * file named by its digest. It survives a crash, and the next attempt resumes after its last byte.
 */
import { createHash, type Hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { moveFile } from '../command/effects.ts'
import { streamRegularFile } from '../runtime/regular-file.ts'
import { objectName, objectPath, type Stored, temporaryFolder } from '../snapshot/index.ts'
import { TransferError, type TransferErrorCode } from '../transfer/error.ts'
import type { GrowingFile, NetworkEffects } from '../transfer/network.ts'
import { runParallel } from '../transfer/parallel.ts'
import { receive } from '../transfer/receive.ts'
import { transferring, watchGain } from '../transfer/retry.ts'
import type { Reading } from './read.ts'

/** After `signal` aborts, partial files stay. */
export interface Download extends Reading {
  effects: NetworkEffects
  dist: string
  /** Limits the rate: resolves when more bytes may be received. */
  pace?(bytes: number): Promise<void>
  onBytes?(bytes: number): void
}

/**
 * Downloads objects in parallel. The first failure aborts the others.
 * @throws TransferError
 */
export async function downloadAll(
  wanted: readonly { object: Stored; name: string }[],
  download: Download & { parallel: number },
): Promise<void> {
  const { parallel, signal: ended } = download
  await runParallel(wanted, parallel, ({ object, name }, stopped) => {
    const signal = ended ? AbortSignal.any([stopped, ended]) : stopped
    return downloadObject(object, name, { ...download, signal })
  })
}

/** Errors after which the partial file is useless. */
const SPOILING: readonly TransferErrorCode[] = ['restart', 'too_large', 'digest']

const partPath = (dist: string, { sha256 }: Stored) => join(temporaryFolder(dist), `${sha256}.part`)

/** Returns the digest of the object that a file in the temporary folder is a part of. Null for other files. */
export const objectOfPart = (name: string): string | null => /^([0-9a-f]{64})\.part$/.exec(name)?.[1] ?? null

/** Returns the size of a partial file, in bytes. */
export const arrivedOf = (dist: string, object: Stored): number =>
  Math.min(statSync(partPath(dist, object), { throwIfNoEntry: false })?.size ?? 0, object.size)

/**
 * Downloads an object. Messages use `name`.
 * @throws TransferError if it is unavailable, or its digest is wrong repeatedly
 */
export async function downloadObject(object: Stored, name: string, download: Download): Promise<void> {
  const { source, effects, signal } = download
  const { reached, gained } = watchGain()
  const attempt = () => attemptOnce(object, download, reached)
  await transferring(name, effects, attempt, { gained, local: source.isLocal, signal })
}

type OnLength = (length: number) => void

async function attemptOnce(object: Stored, download: Download, onLength: OnLength): Promise<void> {
  const { dist, effects } = download
  const part = partPath(dist, object)
  try {
    const digest = await complete(object, part, download, onLength)
    if (digest !== object.sha256) throw new TransferError('digest', `its digest is ${digest}`)
    await moveFile(part, objectPath(dist, object.sha256), effects)
  } catch (error) {
    if (error instanceof TransferError && SPOILING.includes(error.code)) await effects.remove(part)
    throw error
  }
}

/** Returns the digest of the completed file. */
async function complete(object: Stored, part: string, download: Download, onLength: OnLength): Promise<string> {
  const { dist, source, effects } = download
  const { sha256, size } = object
  const here = arrivedOf(dist, object)
  const digest = createHash('sha256')
  if (here === size && size > 0) {
    // The file is complete: an earlier run was killed before the rename.
    await addTo(digest, part, size)
    return digest.digest('hex')
  }
  const { bytes, from, discard } = await source.open(objectName(sha256), here)
  try {
    await addTo(digest, part, from)
    const growing = await effects.grow(part, from)
    try {
      await receive(bytes, measured(growing, digest, download), {
        offset: from,
        total: size,
        most: size,
        now: effects.now,
        onBytes(length, bytes) {
          onLength(length)
          download.onBytes?.(bytes)
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
function measured(file: GrowingFile, digest: Hash, { pace, signal }: Download): GrowingFile {
  return {
    async write(bytes) {
      signal?.throwIfAborted()
      digest.update(bytes)
      await file.write(bytes)
      await pace?.(bytes.length)
    },
    close: file.close,
  }
}

/** Adds the first `length` bytes of a file to a digest. */
async function addTo(digest: Hash, path: string, length: number): Promise<void> {
  if (length === 0) return
  for await (const chunk of streamRegularFile(path, { end: length - 1 })) digest.update(chunk as Buffer)
}
