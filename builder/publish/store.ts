/** Publishes to an object store. */
import { POINTER_NAME } from '../../corpus/snapshot/index.ts'
import type { S3Location } from '../../corpus/transfer/address.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { openBucket, type Upload } from '../../corpus/transfer/s3.ts'
import { isRecordFile, RECORDS_STATE } from './record-paths.ts'
import type { Target } from './target.ts'

export async function openStore(location: S3Location, effects: NetworkEffects): Promise<Target> {
  const bucket = await openBucket(location, effects)
  return {
    name: `s3://${location.bucket}/${location.prefix}`,
    isLocal: false,
    open: bucket.open,
    list: (folder) => bucket.list(`${folder}/`),
    put: ({ path, size, sha256, read }) => bucket.put(path, { bytes: read(), size, sha256, ...headersOf(path) }),
    remove: bucket.remove,
    textPath: (path) => path,
    close: async () => bucket.close(),
  }
}

/** Every file is served as stored; only record files are texts that are stored as gzip. */
function headersOf(path: string): Pick<Upload, 'contentType' | 'contentEncoding' | 'cacheControl'> {
  if (path === POINTER_NAME || path === RECORDS_STATE) {
    return { contentType: 'application/json', cacheControl: 'no-cache' }
  }
  if (isRecordFile(path)) {
    return { contentType: 'application/json', contentEncoding: 'gzip', cacheControl: 'no-cache' }
  }
  if (path.endsWith('.atom')) return { contentType: 'application/atom+xml', cacheControl: 'no-cache' }
  return {
    contentType: path.endsWith('.json') ? 'application/json' : 'application/octet-stream',
    cacheControl: 'public, max-age=31536000, immutable',
  }
}
