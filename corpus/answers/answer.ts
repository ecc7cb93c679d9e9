/** The result of a handler: where it comes from, and its body in a form that is cheap to send. */
import type { Piece } from '../snapshot/index.ts'

/** Read from a shard, merged from several segments, or queried from SQLite (rule 17). */
export type ServedFrom = 'shard' | 'merge' | 'sqlite'

export interface Answer {
  readonly servedFrom: ServedFrom
  readonly snapshotId: string
  /** Creation time of a snapshot that the request asked for, in ms since 1970. */
  readonly pinnedAt?: number
  readonly body: Body
}

export type Body = SplicedBody | TextBody | StoredBody

/** Stored segments and the text between them. */
export interface SplicedBody {
  readonly pieces: readonly Piece[]
}

export interface TextBody {
  readonly text: string
  /** Whether another compression level than the default one takes much less time. */
  readonly isLarge?: boolean
  /** Whether further answers have the same object, so that compressing it is worth keeping. */
  readonly isShared?: boolean
}

export interface StoredBody {
  /** The whole body as one gzip member. */
  readonly gzip: Uint8Array
  /** SHA-256 of its plain bytes, in hexadecimal digits. */
  readonly content: string
}

export function jsonAnswer(value: unknown, servedFrom: ServedFrom, snapshotId: string): Answer {
  return { servedFrom, snapshotId, body: { text: JSON.stringify(value) } }
}

export const splicedAnswer = ({ id }: { id: string }, servedFrom: ServedFrom, pieces: readonly Piece[]): Answer => ({
  servedFrom,
  snapshotId: id,
  body: { pieces },
})
