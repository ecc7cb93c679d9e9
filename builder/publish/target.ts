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

/** Files that only folders and object stores can have. */
export interface Extras {
  site: URL | null
  records?: boolean
}

/**
 * Parses `s3://bucket/prefix`, `oci://registry/name:tag`, `file://…`, or a path.
 * @throws PublishError `usage`, also if a registry cannot have the extra files; TransferError `usage`
 */
export function parseTarget(text: string, { site, records = false }: Extras): Exclude<Address, { kind: 'url' }> {
  const address = parseAddress(text)
  if (address.kind === 'url') {
    throw new PublishError(
      'usage',
      `cannot publish to ${address.url.protocol}//; use a folder, s3://bucket/prefix or oci://registry/name:tag`,
    )
  }
  if (address.kind !== 'oci') return address
  const { name, digest } = address.location
  if (digest !== null) {
    throw new PublishError('usage', `cannot publish to the digest ${name}; use a tag, such as :latest`)
  }
  const option = site !== null ? '--site-url' : records ? '--records' : null
  if (option === null) return address
  throw new PublishError(
    'usage',
    `${option} writes files for web clients, which cannot read ${name}; leave it out, or publish to a folder or s3://bucket/prefix`,
  )
}

/**
 * Opens the target. A folder stays locked until `close`.
 * @throws PublishError `unusable`; BuildError `busy`
 */
export async function openTarget(
  address: Extract<Address, { kind: 'path' | 's3' }>,
  effects: NetworkEffects,
): Promise<Target> {
  if (address.kind === 'path') return openFolder(address.path, effects)
  return openStore(address.location, effects)
}
