/** The body of a 200 in both content codings, each encoded on demand. */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Answer, Body, ServedFrom } from '../../corpus/answers/answer.ts'
import { gunzipFile, spliceGzip, splicePlain, spliceTag } from '../../corpus/snapshot/index.ts'

export interface EncodedAnswer {
  readonly servedFrom: ServedFrom
  readonly snapshotId: string
  /** Creation time of a snapshot that the request asked for, in ms since 1970. */
  readonly pinnedAt?: number
  /**
   * Hash of the content, without quotes; equal for both codings and every token. Characters: letters, digits, `-`, `_`.
   */
  readonly tag: string
  /** The body as one gzip member. */
  gzip(): Buffer
  /** The body as plain JSON. */
  identity(): Buffer
}

/** Characters of a tag: 162 bits. */
const TAG_LENGTH = 27

/** Returns the tag of a content. */
export const tagOf = (content: Uint8Array): string => hash('sha256', content, 'base64url').slice(0, TAG_LENGTH)

/** Returns the tag of a content with this SHA-256, in hexadecimal digits. */
export const tagOfDigest = (sha256: string): string =>
  Buffer.from(sha256, 'hex').toString('base64url').slice(0, TAG_LENGTH)

type Coded = Pick<EncodedAnswer, 'tag' | 'gzip' | 'identity'>

export function encoded({ servedFrom, snapshotId, pinnedAt, body }: Answer): EncodedAnswer {
  const { tag, gzip, identity } = codedBody(body)
  const answer = { servedFrom, snapshotId, tag, gzip, identity }
  return pinnedAt === undefined ? answer : { ...answer, pinnedAt }
}

function codedBody(body: Body): Coded {
  if ('pieces' in body) {
    const { pieces } = body
    return { tag: spliceTag(pieces), gzip: () => spliceGzip(pieces), identity: () => splicePlain(pieces) }
  }
  if ('gzip' in body) {
    const { buffer, byteOffset, length } = body.gzip
    const gzip = Buffer.from(buffer, byteOffset, length)
    return { tag: tagOfDigest(body.content), gzip: () => gzip, identity: () => gunzipFile('stats', gzip) }
  }
  if (!body.isShared) return codedText(body.text, body.isLarge ? LARGE_LEVEL : DEFAULT_LEVEL)
  let known = shared.get(body)
  if (!known) {
    const { tag, gzip, identity } = codedText(body.text, DEFAULT_LEVEL)
    const zipped = gzip()
    known = { tag, gzip: () => zipped, identity }
    shared.set(body, known)
  }
  return known
}

const shared = new WeakMap<Body, Coded>()

const DEFAULT_LEVEL = 6
/** For 436 KB of attack patterns, level 1 gives 123 KB in 3 ms, level 6 gives 101 KB in 8 ms. */
const LARGE_LEVEL = 1

function codedText(text: string, level: number): Coded {
  const json = Buffer.from(text)
  return { tag: tagOf(json), gzip: () => gzipSync(json, { level }), identity: () => json }
}
