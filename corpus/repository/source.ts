/**
 * A repository that snapshots are read from: folder, bundle, web server, object store or OCI registry. A source only opens files, with
 * one attempt each. `read.ts` and `download.ts` add retries and bounds; their callers check the contents.
 */
import { statSync } from 'node:fs'
import { parseAddress } from '../transfer/address.ts'
import { TransferError } from '../transfer/error.ts'
import type { NetworkEffects } from '../transfer/network.ts'
import type { Body } from '../transfer/request.ts'
import { bundleSource } from './bundle-source.ts'
import { folderSource } from './folder-source.ts'
import { httpSource } from './http-source.ts'
import { ociSource } from './oci-source.ts'
import { s3Source } from './s3-source.ts'

/** A byte range of a file. `at` is the position of its first byte. */
export interface Span {
  at: number
  length: number
}

export interface Source {
  /** For messages, without passwords. */
  name: string
  /** Files of this machine, for which waiting before a retry is useless. */
  isLocal: boolean
  /** Whether it may contain only the difference between two snapshots. */
  isBundle?: boolean
  /**
   * Opens the bytes of a file from `from` up to `to`. `path` uses `/`. The body may begin earlier and end later, if the
   * server does not support this range.
   * @throws TransferError
   */
  open(path: string, from?: number, to?: number): Promise<Body>
  /**
   * Returns several ranges of a file at once, each with exactly the requested length. Null if the server does not
   * support that. The ranges are ascending and apart.
   * @throws TransferError
   */
  readSpans?(path: string, spans: readonly Span[]): Promise<Buffer[] | null>
  close(): Promise<void>
}

/**
 * Opens the path of a folder or bundle, or `file://…`, `http://…`, `https://…`, `s3://bucket/prefix`,
 * `oci://registry/name:tag`.
 * @throws TransferError `usage` for other addresses, `unusable` for a file that is no bundle
 */
export function openSource(text: string, effects: NetworkEffects): Source {
  const address = parseAddress(text)
  if (address.kind === 's3') return s3Source(address.location, effects)
  if (address.kind === 'oci') return ociSource(address.location, effects)
  if (address.kind === 'path') {
    const isFile = statSync(address.path, { throwIfNoEntry: false })?.isFile()
    return isFile ? bundleSource(address.path) : folderSource(address.path)
  }
  const { url } = address
  if (url.protocol === 'http:' || url.protocol === 'https:') return httpSource(url, effects)
  throw new TransferError(
    'usage',
    `cannot read a repository at ${url.protocol}//; use a folder, a bundle, http://, https://, s3:// or oci://`,
  )
}
