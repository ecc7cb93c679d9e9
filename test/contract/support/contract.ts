/**
 * The contract as tests: at least one for each statement of gateway/API.md and each rule of corpus/model/RULES.md, named
 * after its number. `coverage.test.ts` compares the tests with both documents.
 */
import { suite } from 'uvu'

type Check = () => void | Promise<void>

export interface ContractSuite {
  /** A statement of gateway/API.md by its number, and its content in a few words. */
  states(statement: string, what: string, check: Check): void
  /** A rule of corpus/model/RULES.md by its number, and the part of it that is tested. */
  rule(number: number, part: string, check: Check): void
  after(work: Check): void
  run(): void
}

export function contractSuite(name: string): ContractSuite {
  const test = suite(name)
  return {
    states: (statement, what, check) => void test(`API ${statement}: ${what}`, check),
    rule: (number, part, check) => void test(`rule ${number}: ${part}`, check),
    after: (work) => void test.after(work),
    run: () => test.run(),
  }
}
