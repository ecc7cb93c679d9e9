/** Opens a snapshot on a web server, from a page or a worker. */
import { httpSource } from '../../repository/http-source.ts'
import type { TrustedKey } from '../../snapshot/index.ts'
import { openObjects, type Progress } from '../objects.ts'
import { assertOptions } from '../options.ts'
import { openSnapshot, type Reader } from '../snapshot-reader.ts'
import { fetchEffects } from './fetch-effects.ts'

export interface ReaderOptions {
  /**
   * The snapshot to open instead of the current one: its id, at least the first 7 digits of it, or a time. A time selects
   * the newest one created at or before it; a date means the end of the day in UTC.
   */
  at?: string | Date | undefined
  /**
   * Trusted keys, from `readTrustedKeys`. One of them must have signed the pointer, and its signature must not have
   * expired. With keys, every file is downloaded whole and checked against its digest. Without keys, digests and CRCs
   * detect damage but not forgery.
   */
  keys?: readonly TrustedKey[] | undefined
  /**
   * Called while tables are downloaded, such as those that filters need, with the bytes received and the bytes of all
   * tables that were requested so far.
   */
  onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Opens the current snapshot of a repository on a web server, or an earlier one. The address may be relative to the page.
 * Every byte of an answer is checked against a digest or a CRC.
 * @throws TypeError, SnapshotError, TransferError
 */
export async function openReader(address: string | URL, options: ReaderOptions = {}): Promise<Reader> {
  assertOptions(address, ['at', 'keys', 'onProgress'], options)
  const { keys = null, onProgress } = options
  const url = webAddress(address)
  const source = httpSource(url, fetchEffects, { manyRanges: url.origin === page.location?.origin })
  const objects = openObjects(source, fetchEffects, { verify: keys === null ? null : 'in memory', onProgress })
  try {
    return await openSnapshot(objects, { keys, now: fetchEffects.now() }, options.at, objects.close)
  } catch (error) {
    await objects.close()
    throw error
  }
}

/** Absent in a worker, or without a page. */
const page = globalThis as { document?: { baseURI: string }; location?: { origin: string } }

/** @throws TypeError */
function webAddress(address: string | URL): URL {
  const url = URL.parse(address, page.document?.baseURI)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new TypeError(
    `cannot read a repository at ${url?.protocol ?? String(address)}; use an address with http:// or https://`,
  )
}
