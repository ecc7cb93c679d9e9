/** Reads request bodies within bounds: wire bytes, decompressed bytes, and memory of all requests together. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { type ApiError, invalidParameter, overloaded } from '../../corpus/answers/errors.ts'
import { quote } from '../../corpus/answers/parameters/parameter.ts'
import { contentTooLarge, unsupportedMediaType } from '../http/errors.ts'
import { BODY_BOUNDS } from '../process/bounds.ts'
import { type BodyFormat, ClientGone } from './interface.ts'

export interface Bodies {
  /**
   * Reads the body and returns what `work` returns for it. Few bodies are decompressed and in work at a time. `sharer`
   * is who sends it: each has its share of the memory, and waits only for one request of each other.
   * @throws ApiError 400, 413, 415 or 503; ClientGone
   */
  use<T>(response: ServerResponse, format: BodyFormat, sharer: string, work: (body: unknown) => Promise<T>): Promise<T>
}

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const DECODERS: ReadonlyMap<string, Decoder | null> = new Map<string, Decoder | null>([
  ['identity', null],
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
])

const RETRY_SECONDS = 1

export function createBodies({ wireBytes, bytes, waitingBytes, shareBytes, atOnce } = BODY_BOUNDS): Bodies {
  /** Wire bytes of all bodies that are incomplete or in work. */
  let held = 0
  const heldBy = new Map<string, number>()
  let working = 0
  /** Requests that wait for a turn. The sharer that waits longest for one is first. */
  const waiting = new Map<string, (() => void)[]>()

  async function turn(sharer: string): Promise<void> {
    if (working < atOnce) {
      working++
      return
    }
    // The request before passes its turn on.
    await new Promise<void>((resolve) => {
      const own = waiting.get(sharer)
      if (own) own.push(resolve)
      else waiting.set(sharer, [resolve])
    })
  }
  function endTurn(): void {
    const [first] = waiting
    if (first === undefined) {
      working--
      return
    }
    const [sharer, [next, ...others]] = first
    waiting.delete(sharer)
    if (others.length > 0) waiting.set(sharer, others)
    next!()
  }
  function hold(sharer: string, count: number): void {
    held += count
    const own = (heldBy.get(sharer) ?? 0) + count
    if (own === 0) heldBy.delete(sharer)
    else heldBy.set(sharer, own)
  }

  function readWire(request: IncomingMessage, sharer: string, take: (bytes: number) => void): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let length = 0
      const fail = (error: Error) => {
        request.off('data', onData)
        reject(error)
      }
      const onData = (chunk: Buffer) => {
        length += chunk.length
        take(chunk.length)
        if (length > wireBytes) fail(tooLong(wireBytes))
        else if (heldBy.get(sharer)! > shareBytes)
          fail(overloaded('too many large requests of this client are in progress; retry later', RETRY_SECONDS))
        else if (held > waitingBytes)
          fail(overloaded('too many large requests are in progress; retry later', RETRY_SECONDS))
        else chunks.push(chunk)
      }
      if (request.readableEnded) return resolve(Buffer.alloc(0))
      request.on('data', onData)
      request.once('end', () => resolve(Buffer.concat(chunks)))
      request.once('error', () => fail(new ClientGone()))
      request.once('close', () => fail(new ClientGone()))
    })
  }

  async function decode(wire: Buffer, decoder: Decoder | null): Promise<Buffer> {
    if (decoder === null) return wire
    try {
      return await decoder(wire, { maxOutputLength: bytes })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong(bytes, ' after decompression')
      throw invalidParameter(
        undefined,
        'the body is not valid in its Content-Encoding; compress it again, or send it uncompressed',
      )
    }
  }

  return {
    async use(response, format, sharer, work) {
      const { req: request } = response
      assertType(request, format.type)
      const decoder = decoderOf(request)
      if (Number(request.headers['content-length'] ?? 0) > wireBytes) throw tooLong(wireBytes)
      if (expectsContinue(request)) response.writeContinue()
      let own = 0
      const take = (count: number) => {
        own += count
        hold(sharer, count)
      }
      try {
        const wire = await readWire(request, sharer, take)
        await turn(sharer)
        try {
          if (response.closed) throw new ClientGone()
          return await work(format.parse(await decode(wire, decoder)))
        } finally {
          endTurn()
        }
      } finally {
        hold(sharer, -own)
      }
    },
  }
}

/** Whether the client sends its body only after a 100. HTTP/1.0 has no such answer (RFC 9110 10.1.1). */
export const expectsContinue = ({ headers, httpVersionMinor }: IncomingMessage): boolean =>
  headers.expect !== undefined && httpVersionMinor > 0

const tooLong = (most: number, when = ''): ApiError =>
  contentTooLarge(`the body is longer than ${most} bytes${when}; split the request`)

/** A missing type is accepted. @throws ApiError 415 */
function assertType({ headers }: IncomingMessage, expected: string): void {
  const stated = headers['content-type']
  if (stated === undefined) return
  const [type = '', ...parameters] = stated
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  if (type === expected && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))) return
  throw unsupportedMediaType(`the Content-Type ${quote(stated)} is not supported; use ${expected}`)
}

/** @throws ApiError 415 */
function decoderOf({ headers }: IncomingMessage): Decoder | null {
  const stated = headers['content-encoding'] ?? 'identity'
  const decoder = DECODERS.get(stated.trim().toLowerCase())
  if (decoder !== undefined) return decoder
  throw unsupportedMediaType(`the Content-Encoding ${quote(stated)} is not supported; use gzip, deflate or identity`)
}
