/** Publishes to an object store. */
import { POINTER_NAME } from '../../corpus/snapshot/index.ts'
import type { S3Location } from '../../corpus/transfer/address.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { openBucket } from '../../corpus/transfer/s3.ts'
import type { Target } from './target.ts'

export async function openStore(location: S3Location, effects: NetworkEffects): Promise<Target> {
  const bucket = await openBucket(location, effects)
  return {
    name: `s3://${location.bucket}/${location.prefix}`,
    isLocal: false,
    open: bucket.open,
    list: (folder) => bucket.list(`${folder}/`),
    put: ({ path, size, sha256, read }) => bucket.put(path, { bytes: read(), size, sha256, ...headersOf(path) }),
    close: async () => bucket.close(),
  }
}

/** No Content-Encoding: every file is served as stored. */
function headersOf(path: string): { contentType: string; cacheControl: string } {
  if (path === POINTER_NAME) return { contentType: 'application/json', cacheControl: 'no-cache' }
  if (path.endsWith('.atom')) return { contentType: 'application/atom+xml', cacheControl: 'no-cache' }
  return {
    contentType: path.endsWith('.json') ? 'application/json' : 'application/octet-stream',
    cacheControl: 'public, max-age=31536000, immutable',
  }
}
