/** Where a snapshot is published to. Nothing is judged here. */
import { resolve } from 'node:path'
import { noPathHere, pathOfFileUrl } from '../../corpus/transfer/file-url.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { isS3, s3Location } from '../../corpus/transfer/s3-location.ts'
import type { Content } from './content.ts'
import { PublishError } from './error.ts'
import { openFolder } from './folder.ts'

/** Paths have `/`, as in a `dist`. What fails may pass where it is a TransferError that says so. */
export interface Target {
  /** What messages call it. */
  name: string
  /** A small file; null where there is none. */
  read(path: string, maxBytes: number): Promise<Buffer | null>
  /** Sizes of the files in a folder of it and below, by path. */
  list(folder: string): Promise<Map<string, number>>
  /** Puts a file in its place in one step, once all of it has been read. */
  put(content: Content): Promise<void>
  close(): Promise<void>
}

/**
 * `s3://bucket/prefix`, `file://…`, or a path. A folder is taken for oneself until it is closed.
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
