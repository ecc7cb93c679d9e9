/** Messages between the gateway's main thread and the thread of earlier snapshots. */
import type { ServedFrom } from '../../corpus/answers/answer.ts'
import type { ErrorCode } from '../../corpus/answers/errors.ts'
import type { SentError } from '../../corpus/errors/sent-error.ts'
import type { Rejection } from '../../corpus/model/claim.ts'
import type { Manifest } from '../../corpus/snapshot/index.ts'
import type { Policy } from '../access/policy.ts'

/** Of the thread, from its start. */
export interface EarlierThreadData {
  dist: string
  /** Snapshots that are open at once. */
  most: number
}

export type EarlierRequest =
  /** Later requests are for the ancestors of this snapshot, or for itself. */
  | { kind: 'serve'; current: Manifest }
  /** Null: every account sees all CVEs. */
  | { kind: 'access'; policy: Policy | null }
  /** `target` is without the prefix of all paths. */
  | { kind: 'ask'; number: number; target: string; tier: number }
  /** One more unit of the quota was taken, or could not be taken. */
  | { kind: 'charged'; number: number; error: SentApiError | null }

export type EarlierReply =
  | { kind: 'answer'; number: number; answer: SentAnswer }
  | { kind: 'refusal'; number: number; error: SentApiError }
  | { kind: 'fault'; number: number; error: SentError }
  /** Take one more unit of the caller's quota. */
  | { kind: 'charge'; number: number }

/** As `EncodedAnswer`. */
export interface SentAnswer {
  servedFrom: ServedFrom
  snapshotId: string
  pinnedAt: number
  tag: string
  gzip: Uint8Array
}

export interface SentApiError {
  code: ErrorCode
  message: string
  parameter: string | undefined
  retryAfterSeconds: number | undefined
  rejection: Rejection | undefined
}
