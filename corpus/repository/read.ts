/** Reads files of a source into memory, with retries and bounds. */

import { TransferError } from '../transfer/error.ts'
import type { NetworkEffects } from '../transfer/network.ts'
import { readWhole } from '../transfer/receive.ts'
import { transferring } from '../transfer/retry.ts'
import type { Source, Span } from './source.ts'

export type { Span } from './source.ts'

/** What reading needs besides a source. */
export type ReadEffects = Pick<NetworkEffects, 'now' | 'sleep' | 'random' | 'log'>

export interface Reading {
  source: Source
  effects: ReadEffects
  /** Ends a read. Its reason must not be a temporary error. */
  signal?: AbortSignal | undefined
}

/**
 * Returns a file of at most `most` bytes. `onBytes` is called with the number of bytes received so far.
 * @throws TransferError
 */
export const readFile = (
  path: string,
  most: number,
  reading: Reading,
  onBytes?: (received: number) => void,
): Promise<Buffer> =>
  withUploadRetries(path, reading, async ({ source, effects }) =>
    readWhole((await source.open(path)).bytes, most, effects.now, onBytes),
  )

/**
 * Returns a part of a file of `size` bytes, with exactly the requested length. Null if the server does not support
 * ranges.
 * @throws TransferError
 */
export const readPart = (path: string, { at, length }: Span, size: number, reading: Reading): Promise<Buffer | null> =>
  withUploadRetries(path, reading, async ({ source, effects }) => {
    const { bytes, from, isWhole, discard } = await source.open(path, at, at + length)
    if (isWhole && length < size) {
      await discard()
      return null
    }
    const part = (await readWhole(bytes, size - from, effects.now)).subarray(at - from, at - from + length)
    if (part.length === length) return part
    throw new TransferError('cut', `${part.length} of ${length} bytes`)
  })

/**
 * Returns parts of a file, which are ascending and apart. Null if the source cannot read several at once.
 * @throws TransferError
 */
export const readParts = (path: string, spans: readonly Span[], reading: Reading): Promise<Buffer[] | null> =>
  withUploadRetries(path, reading, async ({ source }) => (await source.readSpans?.(path, spans)) ?? null)

/**
 * Returns whether the source has `path`, a file that is not empty.
 * @throws TransferError
 */
export const isThere = (path: string, reading: Reading): Promise<boolean> =>
  withUploadRetries(path, reading, async ({ source }) => {
    try {
      await (await source.open(path, 0, 1)).discard()
      return true
    } catch (error) {
      if (error instanceof TransferError && error.code === 'missing') return false
      throw error
    }
  })

const withUploadRetries = <T>(path: string, reading: Reading, work: (reading: Reading) => Promise<T>): Promise<T> =>
  transferring(path, reading.effects, () => work(reading), { local: reading.source.isLocal, signal: reading.signal })
