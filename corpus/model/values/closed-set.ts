/** Closed sets of names. */

/** Returns the member that equals `text` in any case, in the set's spelling. Null if there is none (rule 4). */
export function memberOf<const M extends string>(members: readonly M[], text: string): M | null {
  const folded = text.toLowerCase()
  return members.find((member) => member.toLowerCase() === folded) ?? null
}

/** Returns the keys of `X` in the order of `keys`. A missing or an unknown key is a compile error. */
export const keysOf = <X>(keys: Record<keyof X, true>) => Object.keys(keys) as (keyof X)[]
