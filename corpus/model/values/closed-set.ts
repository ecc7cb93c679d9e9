/** Closed sets of names, matched case-insensitively (rule 4). */

/** Returns the member that equals `text` in any case, in the set's spelling. Null if there is none. */
export function memberOf<const M extends string>(members: readonly M[], text: string): M | null {
  const folded = text.toLowerCase()
  return members.find((member) => member.toLowerCase() === folded) ?? null
}
