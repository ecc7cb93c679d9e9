/** Parses `s3://bucket/prefix`, the location of files in an object store. Does not load the SDK. */

export interface S3Location {
  bucket: string
  /** The prefix of every key: empty, or path segments that each end in `/`. */
  prefix: string
}

export const isS3 = (text: string): boolean => /^s3:\/\//i.test(text)

/** Bucket names, in the widest form that stores accept. */
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/(.*))?$/i

/** Returns null if it is invalid: no bucket, or a prefix with empty segments, `.` or `..`. */
export function s3Location(text: string): S3Location | null {
  const [, bucket, path = ''] = ADDRESS.exec(text) ?? []
  if (bucket === undefined) return null
  if (path === '') return { bucket, prefix: '' }
  const steps = path.replace(/\/$/, '').split('/')
  if (steps.some((step) => ['', '.', '..'].includes(step))) return null
  return { bucket, prefix: `${steps.join('/')}/` }
}
