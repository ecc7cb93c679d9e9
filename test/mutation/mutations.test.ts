/** The table of mutations still fits the code and the tests that it names; `run.ts` then runs it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { occurrences, ROOT } from './checkout.ts'
import { MUTATIONS } from './mutations.ts'
import { failingTests, filesWith } from './test-file.ts'

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

test('what a mutation looks for occurs exactly once in its file', () => {
  for (const { rule, file, find, replace } of MUTATIONS) {
    assert.is(occurrences(textOf(file), find), 1, `${rule}: ${find} in ${file}`)
    assert.is.not(find, replace, rule)
  }
})

test('every rule is the name of a test, or its beginning', () => {
  for (const { rule } of MUTATIONS) assert.ok(filesWith(rule).length > 0, `no test has the name ${rule}`)
})

test('every rule is broken at least once, and sixty rules and statements of the API in all', () => {
  const numbers = MUTATIONS.flatMap(({ rule }) => /^rule (\d+): /.exec(rule)?.[1] ?? []).map(Number)
  assert.equal(
    [...new Set(numbers)],
    Array.from({ length: 33 }, (_, i) => i + 1),
  )
  const statements = new Set(MUTATIONS.map(({ rule }) => rule).filter((rule) => rule.startsWith('API ')))
  assert.ok(statements.size >= 20, `${statements.size} statements`)
  assert.ok(new Set(MUTATIONS.map(({ rule }) => rule)).size >= 60)
})

test('a failing test is read off by its name, quotes and all', () => {
  const output = '• ✘   (1 / 2)\n\n   FAIL   rules, lists   "rule 24: * is "0" as a start"\n    Expected  (is)\n'
  assert.equal(failingTests(output), ['rule 24: * is "0" as a start'])
})

test.run()
