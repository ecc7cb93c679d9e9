/**
 * Lists, downloads and uploads files in an S3 object store, each with one attempt. The SDK reads the standard
 * environment (`AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_PROFILE`, `AWS_ENDPOINT_URL`…). It is an optional dependency and
 * loads slowly: only `openBucket` imports it.
 */
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import type { S3Location } from './address.ts'
import { withDeadline } from './deadline.ts'
import { TransferError } from './error.ts'
import { incoming } from './incoming.ts'
import type { NetworkEffects } from './network.ts'
import { type Body, firstByteOf, rangeHeader } from './request.ts'
import { s3Error } from './s3-error.ts'

export interface Upload {
  /** Read once. An error of the iteration aborts the request before its last byte, and `put` throws it. */
  bytes: AsyncIterable<Uint8Array>
  size: number
  /** SHA-256 in hex. The store rejects bytes with another digest. */
  sha256: string
  contentType: string
  contentEncoding?: string
  cacheControl: string
}

export interface Bucket {
  /** Returns the sizes of the files with a path that begins with `beginning`, by path. */
  list(beginning: string): Promise<Map<string, number>>
  /**
   * Opens the bytes of a file from `from` up to `to`.
   * @throws TransferError
   */
  open(path: string, from?: number, to?: number): Promise<Body>
  /**
   * Uploads a file.
   * @throws TransferError, or the error of `bytes`; after the latter, the store is unchanged
   */
  put(path: string, upload: Upload): Promise<void>
  /**
   * Removes a file. One that is missing is no error.
   * @throws TransferError
   */
  remove(path: string): Promise<void>
  close(): void
}

const CONNECT_MS = 20_000
/** Without a byte in either direction; of a body, without one of its own. */
const SILENT_MS = 60_000
/** To list, to begin an answer, and to take a piece of a file (64 KB): stores commit large files before they answer. */
const ANSWER_MS = 120_000
/** Used without a configured region. Stores without regions accept any. */
const DEFAULT_REGION = 'us-east-1'
/** Silences the SDK: its messages are also in the thrown errors. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
/** Maximum size of one S3 request. */
const MOST_BYTES = 5 * 1024 ** 3

/**
 * `answerMs` bounds each request, but for the body of a file.
 * @throws TransferError `usage` when the SDK is not installed
 */
export async function openBucket(
  { bucket, prefix }: S3Location,
  { now }: Pick<NetworkEffects, 'now'>,
  { answerMs = ANSWER_MS, silentMs = SILENT_MS } = {},
): Promise<Bucket> {
  const sdk = await loadSdk()
  const { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } = sdk
  const client = await openClient(sdk, silentMs)
  const keyOf = (path: string) => ({ Bucket: bucket, Key: prefix + path })
  const asked = async <T>(request: (abortSignal: AbortSignal, moved: () => void) => Promise<T>): Promise<T> => {
    try {
      return await withDeadline(answerMs, request)
    } catch (cause) {
      throw s3Error(cause, bucket, now())
    }
  }
  return {
    async list(beginning) {
      const sizes = new Map<string, number>()
      let token: string | undefined
      do {
        const command = new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix + beginning,
          ContinuationToken: token,
        })
        const page = await asked((abortSignal) => client.send(command, { abortSignal }))
        for (const { Key, Size } of page.Contents ?? []) {
          if (Key !== undefined && Size !== undefined) sizes.set(Key.slice(prefix.length), Size)
        }
        token = page.IsTruncated ? page.NextContinuationToken : undefined
      } while (token !== undefined)
      return sizes
    },
    async open(path, from = 0, to) {
      const command = new GetObjectCommand({ ...keyOf(path), Range: rangeHeader(from, to) })
      const answer = await asked((abortSignal) => client.send(command, { abortSignal }))
      const stream = answer.Body
      if (!(stream instanceof Readable)) throw new TypeError('in Node.js, a body is a stream')
      const discard = async () => void stream.destroy()
      const isWhole = answer.$metadata.httpStatusCode !== 206
      const first = isWhole ? 0 : firstByteOf(answer.ContentRange)
      if (first !== null && first <= from) return { bytes: incoming(stream, silentMs), from: first, isWhole, discard }
      await discard()
      throw new TransferError('restart', `s3://${bucket} cannot resume at byte ${from}`)
    },
    async put(path, { bytes, size, sha256, contentType, contentEncoding, cacheControl }) {
      if (size > MOST_BYTES) throw new TransferError('too_large', `S3 takes ${MOST_BYTES} bytes at once, not ${size}`)
      let onPiece = () => {}
      const body = Readable.from(
        watched(bytes, () => onPiece()),
        { objectMode: false },
      )
      const command = new PutObjectCommand({
        ...keyOf(path),
        Body: body,
        ContentLength: size,
        ContentType: contentType,
        ContentEncoding: contentEncoding,
        CacheControl: cacheControl,
        ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
      })
      // The signature covers the digest too. Stores without checksum support compare the body with that.
      command.middlewareStack.add(
        (next) => (args) => {
          const { headers } = args.request as { headers: Record<string, string> }
          headers['x-amz-content-sha256'] = sha256
          return next(args)
        },
        { step: 'build', name: 'contentDigest' },
      )
      // The SDK does not notice an unreadable body.
      const unreadable = new Promise<never>((_resolve, reject) => body.once('error', reject))
      const stop = new AbortController()
      const put = asked((late, moved) => {
        onPiece = moved
        return client.send(command, { abortSignal: AbortSignal.any([late, stop.signal]) })
      })
      try {
        await Promise.race([put, unreadable])
      } catch (error) {
        stop.abort()
        throw error
      } finally {
        body.destroy()
      }
    },
    async remove(path) {
      await asked((abortSignal) => client.send(new DeleteObjectCommand(keyOf(path)), { abortSignal }))
    },
    close: () => client.destroy(),
  }
}

async function* watched(bytes: AsyncIterable<Uint8Array>, onPiece: () => void): AsyncIterable<Uint8Array> {
  for await (const piece of bytes) {
    onPiece()
    yield piece
  }
}

type Sdk = typeof import('@aws-sdk/client-s3')

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    const message = 's3:// addresses need the package @aws-sdk/client-s3. Run: npm install @aws-sdk/client-s3'
    throw new TransferError('usage', message, { cause })
  }
}

async function openClient(sdk: Sdk, silentMs: number): Promise<S3Client> {
  const client = clientIn(sdk, silentMs)
  try {
    await client.config.region()
    return client
  } catch {
    client.destroy()
    return clientIn(sdk, silentMs, DEFAULT_REGION)
  }
}

function clientIn({ S3Client }: Sdk, silentMs: number, region?: string): S3Client {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env
  const agent = { keepAlive: true, proxyEnv: process.env }
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    // Self-hosted stores rarely have a host name per bucket.
    forcePathStyle: Boolean(AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL),
    logger: SILENT,
    // The caller retries and verifies digests.
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // `Expect: 100-continue` uses a separate connection that bypasses the proxy.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: silentMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
}
