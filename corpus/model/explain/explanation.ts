/** What an explanation is made of: a value of a record, the rule that decides it, and the claims that were considered. */

export interface Explanation {
  /** The fields of the record that the rule decides; dots lead into objects. */
  fields: string[]
  /** Their values, as the API answers them; of a part that is a list, how many items it has. */
  value: unknown
  /** The number of the rule in corpus/model/RULES.md, null where gateway/API.md states it; and the rule in a sentence. */
  rule: number | null
  says: string
  /** In their order of precedence. */
  considered: Considered[]
}

export interface Considered {
  /** Who states it: `cna mitre`, `nvd`. */
  by: string
  states: string
  /** Whether it is the value, is one of several that make it up, or was passed over. */
  outcome: 'decides' | 'adds' | 'passed'
  /** Why it was passed over. */
  why: string | null
}

export const decides = (by: string, states: string): Considered => ({ by, states, outcome: 'decides', why: null })
export const adds = (by: string, states: string): Considered => ({ by, states, outcome: 'adds', why: null })
export const passed = (by: string, states: string, why: string): Considered => ({ by, states, outcome: 'passed', why })

/** A choice: of candidates in their order of precedence the first that nothing speaks against decides, the others come behind it. */
export function choice<Candidate>(
  candidates: Iterable<Candidate>,
  by: (candidate: Candidate) => string,
  states: (candidate: Candidate) => string,
  against: (candidate: Candidate, decider: Candidate | undefined) => string | null,
): Considered[] {
  let decider: Candidate | undefined
  return Array.from(candidates, (candidate) => {
    const why = against(candidate, decider) ?? (decider === undefined ? null : 'comes behind')
    if (why !== null) return passed(by(candidate), states(candidate), why)
    decider = candidate
    return decides(by(candidate), states(candidate))
  })
}
