/** A small change of the code that breaks a rule, and the test that must notice. */
export interface Mutation {
  /**
   * The rule by the name of its test, or by how that name begins: `api: <sentence>`, `rule 18: <which part>`. A test
   * of this name must fail, unless `names` says which other.
   */
  rule: string
  /** What the mutated code does wrong, in words. */
  breaks: string
  /** The file that is changed, from the root of the checkout. */
  file: string
  /** Must occur exactly once in it. */
  find: string
  replace: string
  /** The smallest set of test files that must fail. */
  tests: readonly string[]
  /** How the name of the failing test begins where a test of another name holds the rule. */
  names?: string
}
