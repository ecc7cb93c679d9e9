/**
 * Reads a snapshot without a gateway, from a folder or any web server. Records, pages and walks are the same as the
 * API's. This is the library's entry point, `vulnshelf/reader`, in Node.
 */

import { openSource, type Source } from '../repository/source.ts'
import type { TrustedKey } from '../snapshot/index.ts'
import { withDeadline } from '../transfer/deadline.ts'
import { about, TransferError } from '../transfer/error.ts'
import { fileServerEffects, type NetworkEffects } from '../transfer/network.ts'
import { fileVerifier } from './file-verifier.ts'
import { openObjects, type Progress } from './objects.ts'
import { assertOptions } from './options.ts'
import { openSnapshot, type Reader } from './snapshot-reader.ts'

export { readKeySetFile } from '../snapshot/index.ts'
export * from './public.ts'

export interface ReaderOptions {
  /**
   * The snapshot to open instead of the current one: its id, at least the first 7 digits of it, or a time. A time selects
   * the newest one created at or before it; a date means the end of the day in UTC.
   */
  at?: string | Date | undefined
  /**
   * Trusted keys. One of them must have signed the pointer, and its signature must not have expired.
   * With keys, every byte is verified: files are checked against their digests completely before parts of them are
   * read. Files from a URL are copied to a temporary folder until `close`.
   * Without keys, digests and CRCs detect damage but not forgery.
   */
  keys?: readonly TrustedKey[] | undefined
  /**
   * Called while tables are downloaded, such as those that filters need, with the bytes received and the bytes of all
   * tables that were requested so far.
   */
  onProgress?: ((progress: Progress) => void) | undefined
  /** Called with a line when a server is silent, and before a retry. */
  onWait?: ((line: string) => void) | undefined
  /** Requests, clock and timers. Default: the real ones. */
  effects?: NetworkEffects | undefined
}

/** Maximum time without a byte from the source until the snapshot is open. A retry helps only a source that answers. */
const SILENT_MS = 60_000

/**
 * Opens the current snapshot of a repository, or an earlier one. The address is the path of a folder or bundle, or has
 * `http://`, `https://`, `s3://`, `oci://` or `file://`. Every byte of an answer is checked against a digest or a CRC.
 * With `at`, a snapshot that the repository does not have is SnapshotError `missing`.
 * @throws TypeError, SnapshotError, TransferError
 */
export async function openReader(address: string | URL, options: ReaderOptions = {}): Promise<Reader> {
  assertOptions(address, ['at', 'keys', 'onProgress', 'onWait', 'effects'], options)
  // A library logs nothing by itself.
  const { keys = null, onProgress, onWait = () => {} } = options
  let isClosed = false
  const log = (line: string) => isClosed || onWait(line)
  const network = options.effects ? { effects: options.effects, close: async () => {} } : fileServerEffects(log)
  const effects = { ...network.effects, log }
  const verify = keys === null ? null : fileVerifier(effects)
  const source = sourceAt(String(address), effects)
  let onBytes = () => {}
  let isOpening = true
  const watched = withWatch(source, () => onBytes())
  const objects = openObjects(watched, effects, { verify, onProgress })
  const close = async () => {
    // Requests that end now fail, and are not repeated.
    isClosed = true
    await objects.close()
    await network.close()
  }
  try {
    return await withDeadline(SILENT_MS, async (_signal, moved) => {
      onBytes = moved
      try {
        return await openSnapshot(objects, { keys, now: effects.now() }, options.at, close)
      } finally {
        isOpening = false
      }
    })
  } catch (error) {
    await close()
    throw isOpening ? about(source.name, error) : error
  } finally {
    onBytes = () => {}
  }
}

/** Returns a source that calls `moved` for each answer and each part of it. */
function withWatch(source: Source, moved: () => void): Source {
  async function* watched(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of bytes) {
      moved()
      yield chunk
    }
  }
  const { readSpans } = source
  return {
    ...source,
    async open(path, from, to) {
      const body = await source.open(path, from, to)
      moved()
      return { ...body, bytes: watched(body.bytes) }
    },
    ...(readSpans && {
      async readSpans(path, spans) {
        const parts = await readSpans.call(source, path, spans)
        moved()
        return parts
      },
    }),
  }
}

/** @throws TypeError for an invalid address, TransferError `unusable` for a file that is no bundle */
function sourceAt(address: string, effects: NetworkEffects): Source {
  try {
    return openSource(address, effects)
  } catch (error) {
    throw error instanceof TransferError && error.code === 'usage' ? new TypeError(error.message) : error
  }
}
