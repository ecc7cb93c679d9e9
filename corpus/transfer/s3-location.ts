/** `s3://bucket/prefix`: where files lie in an object store. The SDK is not loaded for this. */

export interface S3Location {
  bucket: string
  /** What every key begins with: nothing, or steps that each end in `/`. */
  prefix: string
}

export const isS3 = (text: string): boolean => /^s3:\/\//i.test(text)

/** Names of buckets, as lax as any store has them. */
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/(.*))?$/i

/** Null where it is none: without a bucket, or with a prefix that has empty steps, `.` or `..` in it. */
export function s3Location(text: string): S3Location | null {
  const [, bucket, path = ''] = ADDRESS.exec(text) ?? []
  if (bucket === undefined) return null
  if (path === '') return { bucket, prefix: '' }
  const steps = path.replace(/\/$/, '').split('/')
  if (steps.some((step) => ['', '.', '..'].includes(step))) return null
  return { bucket, prefix: `${steps.join('/')}/` }
}
