/** The result of a handler: the body of a 200 in both content codings, each encoded on demand. */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** Read from a shard, merged from several segments, or queried from SQLite (rule 17). */
export type ServedFrom = 'shard' | 'merge' | 'sqlite'

export interface Answer {
  readonly servedFrom: ServedFrom
  readonly snapshotId: string
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

/** Returns the answer for a small value that is serialized here. */
export function jsonAnswer(value: unknown, servedFrom: ServedFrom, snapshotId: string): Answer {
  const json = Buffer.from(JSON.stringify(value))
  return {
    servedFrom,
    snapshotId,
    tag: tagOf(json),
    gzip: () => gzipSync(json),
    identity: () => json,
  }
}
