/** Opens files in an object store. The SDK is loaded at the first request. */
import type { S3Location } from '../transfer/address.ts'
import type { NetworkEffects } from '../transfer/network.ts'
import { type Bucket, openBucket } from '../transfer/s3.ts'
import type { Source } from './source.ts'

export function s3Source(location: S3Location, effects: NetworkEffects): Source {
  let bucket: Promise<Bucket> | undefined
  return {
    name: `s3://${location.bucket}/${location.prefix}`,
    isLocal: false,
    async open(path, from, to) {
      bucket ??= openBucket(location, effects)
      return (await bucket).open(path, from, to)
    },
    async close() {
      // `open` has thrown the error of a bucket that could not be opened.
      const opened = await bucket?.catch(() => null)
      opened?.close()
    },
  }
}
