/**
 * The contract as tests: one for each sentence of api.md, at least one for each rule and table row of decisions.md, named
 * after it. `coverage.test.ts` holds the two against the specifications themselves.
 */
import { suite } from 'uvu'

type Check = () => void | Promise<void>

export interface ContractSuite {
  /** A sentence of api.md, word for word as `sentencesOf` gives it; said twice under two headings, the heading too. */
  says(sentence: string, check: Check): void
  saysUnder(section: string, sentence: string, check: Check): void
  /** A rule of decisions.md by its number, and which part of it this is. */
  rule(number: number, what: string, check: Check): void
  /** A row of a table of decisions.md by its first cells, and which part of it this is. */
  row(cells: string, what: string, check: Check): void
  after(work: Check): void
  run(): void
}

export function contractSuite(name: string): ContractSuite {
  const test = suite(name)
  return {
    says: (sentence, check) => void test(`api: ${sentence}`, check),
    saysUnder: (section, sentence, check) => void test(`api, ${section}: ${sentence}`, check),
    rule: (number, what, check) => void test(`rule ${number}: ${what}`, check),
    row: (cells, what, check) => void test(`decisions, ${cells}: ${what}`, check),
    after: (work) => void test.after(work),
    run: () => test.run(),
  }
}
