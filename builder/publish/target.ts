/** The target of a publication: a source that can also list and write files. It does not check contents. */
import type { Source } from '../../corpus/repository/source.ts'
import { type Address, parseAddress } from '../../corpus/transfer/address.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import type { Content } from './content.ts'
import { PublishError } from './error.ts'
import { openFolder } from './folder.ts'
import { openStore } from './store.ts'

/** Paths use `/`, as in a `dist`. A temporary failure must be a TransferError with `mayPass`; only that is retried. */
export interface Target extends Source {
  /** Includes subfolders; keys are paths. */
  list(folder: string): Promise<Map<string, number>>
  /** Reads all content before replacing the file atomically. */
  put(content: Content): Promise<void>
  /** Removes a file. One that is missing is no error. */
  remove(path: string): Promise<void>
  /**
   * Returns the path of a text that is stored as gzip: a store sends it with `Content-Encoding: gzip` under its own name.
   * A file has the extension `.gz`, and the web server decides.
   */
  textPath(path: string): string
}

/**
 * Parses `s3://bucket/prefix`, `file://…`, or a path.
 * @throws PublishError `usage`; TransferError `usage`
 */
export function parseTarget(text: string): Exclude<Address, { kind: 'url' }> {
  const address = parseAddress(text)
  if (address.kind !== 'url') return address
  throw new PublishError('usage', `cannot publish to ${address.url.protocol}//; use a folder or s3://bucket/prefix`)
}

/**
 * Opens the target. A folder stays locked until `close`.
 * @throws as `parseTarget`; PublishError `unusable`; BuildError `busy`
 */
export async function openTarget(text: string, effects: NetworkEffects): Promise<Target> {
  const address = parseTarget(text)
  if (address.kind === 'path') return openFolder(address.path, effects)
  return openStore(address.location, effects)
}
