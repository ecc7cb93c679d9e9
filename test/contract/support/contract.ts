/** Contract tests: their titles begin with the number of a statement or a rule, and `coverage.test.ts` reads them. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'

type Check = () => void | Promise<void>

export interface ContractSuite {
  /** A statement of gateway/API.md by its number, or several (`'9.12, 18.6'`), and their content in a few words. */
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

export interface Claim {
  /** `API 4.2` or `rule 18`. */
  cites: string
  /** The name of the test: `API 4.2: the answer repeats the limit`. */
  name: string
  /** `fields.test.ts:12`. */
  position: string
}

/** The numbers of the statements in gateway/API.md: of list items (`- **4.2** …`) and of table rows (`| 8.1 | …`). */
export const statementsOf = (markdown: string): string[] => numbersOf(markdown, /^(?:- \*\*|\| )(\d+\.\d+)(?:\*\*)? /gm)

/** The numbers of the rules in corpus/model/RULES.md: `### 18. Headline CVSS`. */
export const rulesOf = (markdown: string): string[] => numbersOf(markdown, /^### (\d+)\. /gm)

const numbersOf = (markdown: string, pattern: RegExp) => Array.from(markdown.matchAll(pattern), ([, number]) => number!)

/** The tests of all test files of `folder`. Throws for a call with an argument that is no plain literal. */
export function claimsOf(folder: string): Claim[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .flatMap((name) => claimsIn(name, readFileSync(join(folder, name), 'utf8')))
}

const CALL = /^\s*(states|rule)\(\s*/gm
const LITERAL = String.raw`'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"`
const ARGUMENTS = new RegExp(String.raw`^(${LITERAL}|\d+),\s*(${LITERAL})`)

export function claimsIn(file: string, source: string): Claim[] {
  return Array.from(source.matchAll(CALL)).flatMap((call) => {
    const end = call.index + call[0].length
    const position = `${file}:${source.slice(0, end).split('\n').length}`
    const found = ARGUMENTS.exec(source.slice(end))
    if (!found) throw new Error(`${position}: the arguments of ${call[1]}() must be plain literals`)
    const [numbers, what] = found.slice(1).map((literal) => String(runInNewContext(literal)))
    const document = call[1] === 'states' ? 'API' : 'rule'
    const name = `${document} ${numbers}: ${what}`
    return numbers!.split(', ').map((number) => ({ cites: `${document} ${number}`, name, position }))
  })
}
