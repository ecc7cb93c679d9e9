/** The target of a publication: plain reads and writes, without checks. */
import { resolve } from 'node:path'
import { noPathHere, pathOfFileUrl } from '../../corpus/transfer/file-url.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { isS3, s3Location } from '../../corpus/transfer/s3-location.ts'
import type { Content } from './content.ts'
import { PublishError } from './error.ts'
import { openFolder } from './folder.ts'

/** Paths use `/`, as in a `dist`. A temporary failure must be a TransferError with `mayPass`; only that is retried. */
export interface Target {
  name: string
  /** Returns null if the file does not exist. */
  read(path: string, maxBytes: number): Promise<Buffer | null>
  /** Includes subfolders; keys are paths. */
  list(folder: string): Promise<Map<string, number>>
  /** Reads all content before replacing the file atomically. */
  put(content: Content): Promise<void>
  close(): Promise<void>
}

/**
 * Opens `s3://bucket/prefix`, `file://…`, or a path. A folder stays locked until `close`.
 * @throws PublishError `usage`, `unusable`; BuildError `busy`
 */
export async function openTarget(text: string, effects: NetworkEffects): Promise<Target> {
  if (isS3(text)) {
    const location = s3Location(text)
    if (!location)
      throw new PublishError('usage', 'the target names no bucket of an object store: it is s3://bucket/prefix')
    const { openStore } = await import('./store.ts')
    return openStore(location, effects)
  }
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text)?.[1]
  if (scheme === undefined) return openFolder(resolve(text), effects)
  if (scheme.toLowerCase() === 'file') {
    const path = pathOfFileUrl(text)
    if (path !== null) return openFolder(path, effects)
    throw new PublishError('usage', noPathHere(text))
  }
  throw new PublishError('usage', `snapshots are published to a folder or to s3://bucket/prefix, not to ${scheme}://`)
}
