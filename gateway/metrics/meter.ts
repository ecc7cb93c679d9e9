/** Per-request figures, independent of the number of subjects, addresses and ids. */
import type { ServedFrom } from '../../corpus/answers/answer.ts'
import type { AuthFault } from '../http/errors.ts'
import type { Sent } from '../http/reply.ts'

/** The limit of a subject, of failed tokens from an address, or of requests without a token (rule 16). */
export const LIMITS = ['subject', 'address', 'anonymous'] as const
export type LimitName = (typeof LIMITS)[number]

export interface Meter {
  /** `route` is a template; null without a matching route. */
  answered(route: string | null, sent: Sent, servedFrom: ServedFrom | null, seconds: number): void
  refused(by: LimitName): void
  unrecognised(fault: AuthFault): void
}
