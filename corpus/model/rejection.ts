/** The text about a rejected CVE, in errors (rule 10). */
import type { Rejection } from './claim.ts'

/** Returns `was rejected on 2024-04-20T10:00:00.000Z. Reason: …. It is replaced by CVE-…`, with what is known. */
export function rejectionText({ date, reason, replacedBy }: Rejection): string {
  const why = reason === null ? '' : `. Reason: ${reason.replace(/\s+/g, ' ').replace(/\.$/, '')}`
  const instead = replacedBy.length === 0 ? '' : `. It is replaced by ${replacedBy.join(', ')}`
  return `was rejected${date === null ? '' : ` on ${date}`}${why}${instead}`
}
