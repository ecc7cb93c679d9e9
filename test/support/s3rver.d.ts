/** The types of s3rver that the tests use. The package has none. */
declare module '@20minutes/s3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface S3rverOptions {
    directory: string
    silent: boolean
    vhostBuckets: boolean
    allowMismatchedSignatures: boolean
    configureBuckets: { name: string; configs: string[] }[]
  }

  export default class S3rver {
    constructor(options: S3rverOptions)
    logger: { close(): void }
    configureBuckets(): Promise<unknown>
    callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void>
    on(event: 'error', listener: (error: Error) => void): this
  }
}
