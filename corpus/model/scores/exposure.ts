/** Who can attack: attack vector, privileges and user interaction of a CVSS vector. */

/** The metrics of all versions that filters test. CVSS 2.0 has only the first one. */
const METRICS = ['AV', 'PR', 'UI']

/** Returns `AV:N/PR:N/UI:R` of a vector, as far as it states these metrics. */
export const exposureOf = (vector: string): string =>
  vector
    .split('/')
    .filter((part) => METRICS.includes(part.slice(0, part.indexOf(':'))))
    .join('/')

export const ATTACK_VECTORS = ['network', 'adjacent', 'local', 'physical'] as const
export const PRIVILEGES = ['none', 'low', 'high'] as const
/** `passive` and `active` are of CVSS 4.0, which divides `required`. */
export const INTERACTIONS = ['none', 'required', 'passive', 'active'] as const

const VALUES = {
  AV: { N: 'network', A: 'adjacent', L: 'local', P: 'physical' },
  PR: { N: 'none', L: 'low', H: 'high' },
  UI: { N: 'none', R: 'required', P: 'passive', A: 'active' },
} as const

export interface Exposure {
  attack_vector: (typeof ATTACK_VECTORS)[number] | null
  privileges_required: (typeof PRIVILEGES)[number] | null
  user_interaction: (typeof INTERACTIONS)[number] | null
}

/** Returns the values of a text of `exposureOf`; null for those that it does not state. */
export function readExposure(text: string): Exposure {
  const stated = new Map(text.split('/').map((part) => part.split(':') as [string, string]))
  const of = (metric: keyof typeof VALUES) => {
    const letter = stated.get(metric) ?? ''
    return Object.hasOwn(VALUES[metric], letter) ? (VALUES[metric] as Record<string, string>)[letter] : null
  }
  return {
    attack_vector: of('AV'),
    privileges_required: of('PR'),
    user_interaction: of('UI'),
  } as Exposure
}
