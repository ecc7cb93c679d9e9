/** Formats the signatures of a pointer for the reports of commands. */
import type { SignatureVerdict } from '../snapshot/index.ts'

/** Returns a line per signature, or `unsigned`. An unchecked one never reads as valid; `check` names its option. */
export function signatureLines(
  signatures: readonly SignatureVerdict[],
  expiresAt: string | null,
  { now = new Date(), check = '--keys' }: { now?: Date; check?: string } = {},
): string[] {
  if (signatures.length === 0) return ['unsigned']
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= now.getTime()
  const expiry = expiresAt === null ? 'never expires' : `${isExpired ? 'expired' : 'expires'} ${expiresAt}`
  return signatures.map(({ kid, status, reason }) => {
    if (status === 'rejected') return `signature rejected: ${reason}`
    const key = kid === null ? 'no key id' : `key ${kid}`
    if (status === 'valid') return `signature valid, ${key}, ${expiry}`
    return `signature not checked, ${key}, ${expiry} (${check} checks it)`
  })
}
