/** Facts of a CVE that have few values, packed in bytes. SPEC.md, "Columns". */
import type { CveCore } from '../../model/record.ts'
import { ATTACK_VECTORS, INTERACTIONS, PRIVILEGES, readExposure } from '../../model/scores/exposure.ts'

export const SSVC_EXPLOITATIONS = ['none', 'poc', 'active'] as const
export const SSVC_AUTOMATABLE = ['no', 'yes'] as const
export const SSVC_DECISIONS = ['track', 'track*', 'attend', 'act'] as const

/** The column of each facet, its bits there, and its values. Value `i` has the code `i + 1`; 0 is null. */
export const FACETS = {
  ssvc_exploitation: { column: 'ssvc', shift: 0, mask: 3, values: SSVC_EXPLOITATIONS },
  ssvc_automatable: { column: 'ssvc', shift: 2, mask: 3, values: SSVC_AUTOMATABLE },
  ssvc_decision: { column: 'ssvc', shift: 4, mask: 7, values: SSVC_DECISIONS },
  attack_vector: { column: 'exposure', shift: 0, mask: 7, values: ATTACK_VECTORS },
  privileges_required: { column: 'exposure', shift: 3, mask: 3, values: PRIVILEGES },
  user_interaction: { column: 'exposure', shift: 5, mask: 7, values: INTERACTIONS },
} as const

export type FacetName = keyof typeof FACETS
export const FACET_NAMES = Object.keys(FACETS) as FacetName[]
export type FacetColumn = (typeof FACETS)[FacetName]['column']

/** Returns the byte of a column for the values of its facets. */
function packed(values: Partial<Record<FacetName, string | null>>): number {
  let byte = 0
  for (const [name, value] of Object.entries(values) as [FacetName, string | null][]) {
    const { shift, values: known } = FACETS[name]
    byte |= ((known as readonly string[]).indexOf(value ?? '') + 1) << shift
  }
  return byte
}

export const packSsvc = ({ exploitation, automatable, decision }: CveCore['ssvc']): number =>
  packed({ ssvc_exploitation: exploitation, ssvc_automatable: automatable, ssvc_decision: decision })

/** `exposure` is that of `Facets`. */
export const packExposure = (exposure: string): number => packed({ ...readExposure(exposure) })

/** Returns whether the byte of a column has one of the values of a facet. `required` includes what CVSS 4.0 divides it into. */
export function facetTest(name: FacetName, wanted: readonly string[]): (byte: number) => boolean {
  const { shift, mask, values } = FACETS[name]
  const isWanted = (value: string) =>
    wanted.includes(value) || (name === 'user_interaction' && value !== 'none' && wanted.includes('required'))
  const passes = [false, ...values.map(isWanted)]
  return (byte) => passes[(byte >> shift) & mask] ?? false
}
