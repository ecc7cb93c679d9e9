/** A small change of the code that breaks a rule. Every test file with a test of the rule must fail. */
export interface Mutation {
  /**
   * The rule by the name of its test, or by how that name begins: `API 4.2: <content>`, `rule 18: <part>`. A test
   * of this name must fail.
   */
  rule: string
  /** What the mutated code does wrong, in words. */
  breaks: string
  /** The file that is changed, from the root of the checkout. */
  file: string
  /** Must occur exactly once in it. */
  find: string
  replace: string
}
