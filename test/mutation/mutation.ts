/** A small change of the code that breaks a rule, and the test that must notice. */
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
  /** The smallest set of test files that must fail. */
  tests: readonly string[]
}
