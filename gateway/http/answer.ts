/** What a handler gives back: the bytes of a 200 in both codings, each made only when it is needed. */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** As it lies in a shard, walked and gathered, or asked of SQLite (rule 17). */
export type ServedFrom = 'shard' | 'merge' | 'sqlite'

export interface Answer {
  readonly servedFrom: ServedFrom
  readonly snapshotId: string
  /** Hash of the content without quotes, the same for both codings and every token: letters, digits, `-`, `_`. */
  readonly tag: string
  /** The body as one gzip member. */
  gzip(): Buffer
  /** The body as plain JSON. */
  identity(): Buffer
}

/** The answer of a small body that is computed here: the value as JSON. */
export function jsonAnswer(value: unknown, servedFrom: ServedFrom, snapshotId: string): Answer {
  const json = Buffer.from(JSON.stringify(value))
  return {
    servedFrom,
    snapshotId,
    tag: hash('sha256', json, 'base64url').slice(0, 27),
    gzip: () => gzipSync(json),
    identity: () => json,
  }
}
