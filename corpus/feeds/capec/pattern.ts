/** What the XML and the STIX form of a CAPEC entry have in common. */
import type { CapecEntry } from '../../model/catalogue.ts'

/** The ids of an entry and, by number, of the weaknesses that it is related to. */
export function patternIds(id: number): Pick<CapecEntry, 'id' | 'display' | 'numeric_id'> {
  return { id: `capec-${id}`, display: `CAPEC-${id}`, numeric_id: id }
}

export function relatedWeaknesses(ids: readonly number[]): CapecEntry['related_weaknesses'] {
  return [...new Set(ids)].map((id) => ({ id: `cwe-${id}`, display: `CWE-${id}`, name: null }))
}

const SKILL_LEVELS = ['Low', 'Medium', 'High']

/** `Low: what it takes`, the least first; the level alone where nothing more is said. */
export function skillTexts(skills: readonly { level: string | null; text: string | null }[]): string[] {
  const rank = ({ level }: { level: string | null }) =>
    level !== null && SKILL_LEVELS.includes(level) ? SKILL_LEVELS.indexOf(level) : SKILL_LEVELS.length
  return [...skills]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ level, text }) => [level, text].filter((part) => part !== null).join(': '))
    .filter((text) => text !== '')
}

/** ATT&CK's own id of a technique: CAPEC's XML leaves out the `T`. */
export function taxonomyEntryId(taxonomy: string, id: string | null): string | null {
  return taxonomy === 'ATTACK' && id !== null && /^\d/.test(id) ? `T${id}` : id
}
