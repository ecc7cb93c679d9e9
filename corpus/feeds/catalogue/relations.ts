/** Relations between the entries of one catalogue: their names in the API, their inverses, their order (rule 27). */

/** Upstream's natures by what the API calls them; any other keeps its name. */
const NATURES: Record<string, string> = { ChildOf: 'Parent', ParentOf: 'Child', PeerOf: 'Peer' }

/** What a relation is from the other side. */
const CHILDREN = { Parent: 'Child' } as const
export const CWE_INVERSES: Inverses = CHILDREN
/** CAPEC's own STIX form states each of these from both sides; its XML only from one. */
export const CAPEC_INVERSES: Inverses = {
  ...CHILDREN,
  Child: 'Parent',
  CanPrecede: 'CanFollow',
  CanFollow: 'CanPrecede',
}

export type Inverses = Readonly<Record<string, string>>

export interface Relation {
  /** The number of the other entry. */
  to: number
  nature: string
}

export function natureOf(upstream: string): string {
  return NATURES[upstream] ?? upstream
}

/** First of all the hierarchy, then peers, then the rest by name. */
const ORDER = ['Parent', 'Child', 'Peer']

/**
 * The relations of each entry by its number, with those that follow from the others' statements, each once: by nature,
 * then by number.
 */
export function completeRelations(
  stated: ReadonlyMap<number, readonly Relation[]>,
  inverses: Inverses,
): Map<number, Relation[]> {
  const complete = new Map([...stated].map(([id, relations]) => [id, [...relations]]))
  for (const [id, relations] of stated) {
    for (const { to, nature } of relations) {
      const inverse = inverses[nature]
      if (inverse !== undefined) complete.get(to)?.push({ to: id, nature: inverse })
    }
  }
  for (const [id, relations] of complete) {
    const unique = new Map(relations.map((relation) => [`${relation.nature} ${relation.to}`, relation]))
    complete.set(id, [...unique.values()].sort(compareRelations))
  }
  return complete
}

function compareRelations(a: Relation, b: Relation): number {
  if (a.nature === b.nature) return a.to - b.to
  const rank = (nature: string) => (ORDER.includes(nature) ? ORDER.indexOf(nature) : ORDER.length)
  return rank(a.nature) - rank(b.nature) || (a.nature < b.nature ? -1 : 1)
}
