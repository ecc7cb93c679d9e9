/** What the primary process and its workers say to each other, as JSON. */
import type { GatewayOptions } from '../gateway.ts'
import type { Standing } from '../limits/limiter.ts'

/** Which limit, what is done with it, and for whom; `giveBack` says which window it took from. */
export type LimitName = 'subjects' | 'failedTokens'
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
  /** All have loaded theirs. */
  | { kind: 'listen' }
  /** Load another snapshot beside the one that is served, then serve it or let it go. */
  | { kind: 'prepare'; digest: string; number: number }
  | { kind: 'commit' }
  | { kind: 'abandon' }
  /** Look at the access policy. */
  | { kind: 'refresh' }
  | { kind: 'standings'; standings: [number: number, standing: Standing][] }
  | { kind: 'scrape'; number: number }
  | { kind: 'stop' }

export type ToPrimary =
  | { kind: 'hello' }
  | { kind: 'loaded' }
  | { kind: 'listening'; url: string; port: number }
  /** It cannot start; it ends. */
  | { kind: 'failed'; error: ToldError }
  | { kind: 'prepared'; number: number; error: ToldError | null }
  | { kind: 'limits'; asks: LimitAsk[] }
  | { kind: 'scraped'; number: number; metrics: object[] }

/** What is left of an error between processes. */
export interface ToldError {
  name: string
  code: string
  message: string
}

export function tell(thrown: unknown): ToldError {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { name, message, code: thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '' }
}

export const asError = ({ name, code, message }: ToldError): Error => Object.assign(new Error(message), { name, code })
