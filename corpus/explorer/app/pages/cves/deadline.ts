/** Remediation deadlines in words. */
import type { CveDetail } from '../../data/answers.ts'

export type AssetDeadline = NonNullable<CveDetail['kev_detail']>['deadline']['exposed']

const INPUTS: Record<AssetDeadline['missing_inputs'][number], string> = {
  automatable: 'automatable',
  technical_impact: 'technical impact',
}

/** Returns when a remedy is due, without a date; what is unknown, and why. */
export function deadlineText(one: AssetDeadline): string {
  const missing = one.missing_inputs.map((input) => INPUTS[input]).join(' and ')
  const because = `the SSVC assessment does not state: ${missing}`
  if (one.on_system_upgrade) return 'on the next upgrade of the system'
  if (one.days === null) return `unknown: ${because}`
  const days = `within ${one.days} days`
  if (one.forensic_investigation === null) return `${days}; a forensic investigation may be required: ${because}`
  return one.forensic_investigation ? `${days}, with a forensic investigation` : days
}

/** Returns whether anything is known. */
export const isKnown = (one: AssetDeadline): boolean => one.days !== null || one.on_system_upgrade === true

/** Returns the parts of the notes of an entry, which are texts and URLs between semicolons. */
export const notesOf = (notes: string): string[] => notes.split(/\s;\s|;\s+/).filter((part) => part !== '')
