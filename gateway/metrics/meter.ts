/** Per-request figures that the app reports. Their number is independent of subjects, addresses and ids. */
import type { ServedFrom } from '../answer.ts'
import type { AuthFault } from '../errors.ts'
import type { Sent } from '../reply.ts'

/** The limit that rejected a request: of its subject, or of failed tokens from its address (rule 16). */
export const LIMITS = ['subject', 'address'] as const
export type LimitName = (typeof LIMITS)[number]

export interface Meter {
  /** Counts an answer. `route` is the template of its path; null without a matching route. */
  answered(route: string | null, sent: Sent, servedFrom: ServedFrom | null, seconds: number): void
  /** Counts a request that a limit rejected. */
  refused(by: LimitName): void
  /** Counts a request with failed authentication. */
  unrecognised(fault: AuthFault): void
}
