/** Every statement of gateway/API.md and every rule of corpus/model/RULES.md has a test, and every test names one. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { claimsIn, claimsOf, rulesOf, statementsOf } from './support/contract.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const claims = claimsOf(import.meta.dirname)
const cited = new Set(claims.map(({ cites }) => cites))
/** Most rules are tested at the rule: `test('rule 23: …`. */
for (const file of globSync('../corpus/**/*.test.ts', { cwd: import.meta.dirname })) {
  for (const [, number] of read(join('test/contract', file)).matchAll(/['"]rule (\d+): /g)) cited.add(`rule ${number}`)
}
const strays = (document: 'API' | 'rule', numbers: readonly string[]) =>
  claims.filter(({ cites }) => cites.startsWith(`${document} `) && !numbers.includes(cites.split(' ')[1]!))

test('every statement of the API has a test, and every test of a statement names one', () => {
  const statements = statementsOf(read('gateway/API.md'))
  assert.ok(statements.length > 300, `only ${statements.length} statements found`)
  assert.equal(
    statements.filter((number) => !cited.has(`API ${number}`)),
    [],
  )
  assert.equal(strays('API', statements), [])
})

test('a statement has a number of its own, under the section of that number', () => {
  const document = read('gateway/API.md')
  const numbers = statementsOf(document)
  assert.is(new Set(numbers).size, numbers.length)
  for (const section of document.split(/^## /m).slice(1)) {
    const [number] = section.split('.')
    for (const statement of statementsOf(section)) assert.is(statement.split('.')[0], number, statement)
  }
})

test('every rule has a test, and every test of a rule names one', () => {
  const rules = rulesOf(read('corpus/model/RULES.md'))
  assert.equal(
    rules,
    Array.from({ length: 34 }, (_, i) => String(i + 1)),
  )
  assert.equal(
    rules.filter((number) => !cited.has(`rule ${number}`)),
    [],
  )
  assert.equal(strays('rule', rules), [])
})

test('numbers and names are read from documents and from tests', () => {
  const source = [
    "  states('4.2, 4.3', 'it\\'s so', () => {})",
    '  rule(',
    '    7,',
    '    "part",',
    '    () => {},',
    '  )',
  ]
  assert.equal(claimsIn('x.test.ts', source.join('\n')), [
    { cites: 'API 4.2', name: "API 4.2, 4.3: it's so", position: 'x.test.ts:1' },
    { cites: 'API 4.3', name: "API 4.2, 4.3: it's so", position: 'x.test.ts:1' },
    { cites: 'rule 7', name: 'rule 7: part', position: 'x.test.ts:3' },
  ])
  assert.throws(() => claimsIn('x.test.ts', 'states(number, "x", () => {})'), /plain literals/)
  assert.equal(statementsOf('# 1\n\n- **1.1** One, see 1.9.\n- 1.2 no\n\n| 1.3 | `x` |\n| No. | 1.4 |\n'), [
    '1.1',
    '1.3',
  ])
  assert.equal(rulesOf('### 1. One\n\n#### 2. Two\n'), ['1'])
})

test.run()
