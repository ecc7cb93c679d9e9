/** Closed sets of names, matched without regard to case (rule 4). */

/** Returns the member that `text` names in any case, spelled as in the set; null if there is none. */
export function memberOf<const M extends string>(members: readonly M[], text: string): M | null {
  const folded = text.toLowerCase()
  return members.find((member) => member.toLowerCase() === folded) ?? null
}
