/** What the app tells of every request. Nothing in it grows with subjects, addresses or ids. */
import type { ServedFrom } from '../answer.ts'
import type { AuthFault } from '../errors.ts'
import type { Sent } from '../reply.ts'

/** Which limit refused a request: that of its subject, or that of failed tokens from its address (rule 16). */
export const LIMITS = ['subject', 'address'] as const
export type LimitName = (typeof LIMITS)[number]

export interface Meter {
  /** A request was answered; `route` is the template of its path, null where there is no such route. */
  answered(route: string | null, sent: Sent, servedFrom: ServedFrom | null, seconds: number): void
  /** A request was refused by a limit. */
  refused(by: LimitName): void
  /** Nobody was recognised. */
  unrecognised(fault: AuthFault): void
}
