/** The explanation of a value: the rule that decides it and the claims that were considered. */

export interface Explanation {
  /** The fields of the record that the rule decides. Dots separate the levels of objects. */
  fields: string[]
  /** The values as the API returns them. For a list, its number of items. */
  value: unknown
  /** Number of the rule in corpus/model/RULES.md, or null if only gateway/API.md defines it. `says` is its text. */
  rule: number | null
  says: string
  /** In order of precedence. */
  considered: Considered[]
}

export interface Considered {
  /** The source: `cna mitre`, `nvd`. */
  by: string
  states: string
  /** Whether the claim decides the value, contributes to it, or was passed over. */
  outcome: 'decides' | 'adds' | 'passed'
  /** The reason why it was passed over. */
  why: string | null
}

export const decides = (by: string, states: string): Considered => ({ by, states, outcome: 'decides', why: null })
export const adds = (by: string, states: string): Considered => ({ by, states, outcome: 'adds', why: null })
export const passed = (by: string, states: string, why: string): Considered => ({ by, states, outcome: 'passed', why })

/** Explains a choice between candidates in order of precedence. The first one without an objection decides. */
export function choice<Candidate>(
  candidates: Iterable<Candidate>,
  by: (candidate: Candidate) => string,
  states: (candidate: Candidate) => string,
  against: (candidate: Candidate, decider: Candidate | undefined) => string | null,
): Considered[] {
  let decider: Candidate | undefined
  return Array.from(candidates, (candidate) => {
    const why = against(candidate, decider) ?? (decider === undefined ? null : 'ranks lower')
    if (why !== null) return passed(by(candidate), states(candidate), why)
    decider = candidate
    return decides(by(candidate), states(candidate))
  })
}
