/** The common fields of the XML and STIX forms of a CAPEC entry. */
import type { CapecEntry } from '../../model/catalog.ts'

export function patternIds(id: number): Pick<CapecEntry, 'id' | 'display' | 'numeric_id'> {
  return { id: `capec-${id}`, display: `CAPEC-${id}`, numeric_id: id }
}

export function relatedWeaknesses(ids: readonly number[]): CapecEntry['related_weaknesses'] {
  return [...new Set(ids)].map((id) => ({ id: `cwe-${id}`, display: `CWE-${id}`, name: null }))
}

const SKILL_LEVELS = ['Low', 'Medium', 'High']

/** Returns texts such as `Low: what it takes`, lowest level first. A skill without a description is its level alone. */
export function skillTexts(skills: readonly { level: string | null; text: string | null }[]): string[] {
  const rank = ({ level }: { level: string | null }) =>
    level !== null && SKILL_LEVELS.includes(level) ? SKILL_LEVELS.indexOf(level) : SKILL_LEVELS.length
  return [...skills]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ level, text }) => [level, text].filter((part) => part !== null).join(': '))
    .filter((text) => text !== '')
}

/** Returns the ATT&CK id of a technique. CAPEC's XML omits the `T`. */
export function taxonomyEntryId(taxonomy: string, id: string | null): string | null {
  return taxonomy === 'ATTACK' && id !== null && /^\d/.test(id) ? `T${id}` : id
}
