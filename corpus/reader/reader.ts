/**
 * Reads a snapshot without a gateway, from a folder or any web server. Records, pages and walks are the same as the
 * API's. This is the library's entry point, `vulnshelf/reader`, in Node.
 */

import { openSource, type Source } from '../repository/source.ts'
import type { TrustedKey } from '../snapshot/index.ts'
import { TransferError } from '../transfer/error.ts'
import { type NetworkEffects, realNetworkEffects } from '../transfer/network.ts'
import { fileVerifier } from './file-verifier.ts'
import { openObjects, type Progress } from './objects.ts'
import { assertOptions } from './query.ts'
import { openSnapshot, type Reader } from './snapshot-reader.ts'

export { readKeySetFile } from '../snapshot/index.ts'
export * from './public.ts'

export interface ReaderOptions {
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
  /** Requests, clock and timers. Default: the real ones. */
  effects?: NetworkEffects | undefined
}

/**
 * Opens the current snapshot of a repository: the path of a folder or bundle, or an address with `http://`, `https://`,
 * `s3://` or `file://`. Every byte of an answer is checked against a digest or a CRC.
 * @throws TypeError, SnapshotError, TransferError
 */
export async function openReader(address: string | URL, options: ReaderOptions = {}): Promise<Reader> {
  assertOptions(address, ['keys', 'onProgress', 'effects'], options)
  const { keys = null, onProgress } = options
  const network = options.effects ? { effects: options.effects, close: async () => {} } : realNetworkEffects()
  // A library logs nothing.
  const effects = { ...network.effects, log() {} }
  const verify = keys === null ? null : fileVerifier(effects)
  const objects = openObjects(sourceAt(String(address), effects), effects, { verify, onProgress })
  const close = async () => {
    await objects.close()
    await network.close()
  }
  try {
    return await openSnapshot(objects, { keys, now: effects.now() }, close)
  } catch (error) {
    await close()
    throw error
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
