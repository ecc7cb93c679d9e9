/** Messages between the primary process and its workers, as JSON. */

import type { SentError } from '../../../corpus/errors/sent-error.ts'
import type { LimitState } from '../../limits/limiter.ts'
import type { GatewayOptions } from '../gateway.ts'

/** `endsAt` is the window of a `giveBack`. */
export type LimitName = 'subjects' | 'failedTokens' | 'anonymous'
export type LimitAsk = [
  number: number,
  limit: LimitName,
  how: 'take' | 'look' | 'giveBack',
  key: string,
  endsAt: number,
]

export type ToWorker =
  /** Load the snapshot of this manifest. */
  | { kind: 'start'; options: GatewayOptions; digest: string }
  /** All workers have loaded it. */
  | { kind: 'listen' }
  /** Load another snapshot while serving the current one; then `commit` or `abandon` follows. */
  | { kind: 'prepare'; digest: string; number: number }
  | { kind: 'commit' }
  | { kind: 'abandon' }
  | { kind: 'refresh' }
  /** Reply with the same. */
  | { kind: 'beat' }
  /** Null acknowledges a refund. */
  | { kind: 'standings'; limitStates: [number: number, limitState: LimitState | null][] }
  | { kind: 'scrape'; number: number }
  /** Accept no connection any more. When no worker does, `stop` follows. */
  | { kind: 'stopListening' }
  /** Answer what has arrived, and end. */
  | { kind: 'stop' }

export type ToPrimary =
  | { kind: 'hello' }
  | { kind: 'loaded' }
  | { kind: 'listening'; url: string; port: number; compatUrl: string | null }
  | { kind: 'stoppedListening' }
  /** It cannot start and ends. */
  | { kind: 'failed'; error: SentError }
  | { kind: 'prepared'; number: number; error: SentError | null }
  | { kind: 'beat' }
  | { kind: 'limits'; asks: LimitAsk[] }
  | { kind: 'scraped'; number: number; metrics: object[] }
