/** Relations between entries of one catalog: API names, inverses, order (rule 27). */

/** API names of upstream natures. Other natures keep their name. */
const NATURES: Record<string, string> = { ChildOf: 'Parent', ParentOf: 'Child', PeerOf: 'Peer' }

/** The inverse of each relation. */
const CHILDREN = { Parent: 'Child' } as const
export const CWE_INVERSES: Inverses = CHILDREN
/** CAPEC states each of these from both sides. An edited catalog may state only one. */
export const CAPEC_INVERSES: Inverses = {
  ...CHILDREN,
  Child: 'Parent',
  CanPrecede: 'CanFollow',
  CanFollow: 'CanPrecede',
}

export type Inverses = Readonly<Record<string, string>>

export interface Relation {
  to: number
  nature: string
}

export function natureOf(upstream: string): string {
  return NATURES[upstream] ?? upstream
}

/** Hierarchy first, then peers, then the rest by name. */
const ORDER = ['Parent', 'Child', 'Peer']

/**
 * Returns the relations of each entry by its number, including inverses, without duplicates. Sorted by nature, then by
 * number.
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
