/** JSON from outside: deep nesting is refused before it is parsed. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { MAX_JSON_LEVELS, parseShallowJson, parseUntrustedJson } from '../../../../corpus/model/values/json-text.ts'

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('JSON of the most levels is parsed', () => {
  let value = parseUntrustedJson(lists(MAX_JSON_LEVELS))
  let levels = 0
  for (; Array.isArray(value); levels++) value = value[0]
  assert.is(levels, MAX_JSON_LEVELS)
})

test('one level more is refused, as lists and as objects', () => {
  assert.throws(() => parseUntrustedJson(lists(MAX_JSON_LEVELS + 1)), /nested more than 1000 levels deep/)
  assert.throws(() => parseUntrustedJson('{"a":'.repeat(MAX_JSON_LEVELS + 1)), /nested more than 1000 levels deep/)
})

test('invalid JSON of many levels, which Node would crash on, is refused as nested too deep', () => {
  const unit = '{"references":["x"],"packages":[{"name":"a","versionInfo":"1","externalRefs":['
  for (const end of ['{x', '', ']']) {
    assert.throws(() => parseUntrustedJson(unit.repeat(5000) + end), /nested more than 1000 levels deep/)
  }
})

test('brackets in strings are no levels', () => {
  const text = `["${'['.repeat(5000)}\\"${'{'.repeat(5000)}\\\\", ${'[],'.repeat(2000)} {}]`
  assert.equal(parseUntrustedJson(text), JSON.parse(text))
  assert.throws(() => parseUntrustedJson(`["\\"]]]]", ${lists(MAX_JSON_LEVELS)}]`), /levels deep/)
})

test('in shallow JSON, what is nested too deep is null and the rest stays', () => {
  const text = `[1, ${lists(2 * MAX_JSON_LEVELS)}, {"a": "[", "b": ${'{"c":'.repeat(3000)}2${'}'.repeat(3000)}}, 3]`
  const [first, deep, object, last] = parseShallowJson(text) as [number, unknown[], { a: string }, number]
  assert.equal([first, object.a, last], [1, '[', 3])
  assert.is(JSON.stringify(deep), `${'['.repeat(MAX_JSON_LEVELS - 1)}null${']'.repeat(MAX_JSON_LEVELS - 1)}`)
  assert.equal(parseShallowJson(lists(MAX_JSON_LEVELS)), JSON.parse(lists(MAX_JSON_LEVELS)))
  assert.throws(() => parseShallowJson('['.repeat(5000)), SyntaxError)
  assert.throws(() => parseShallowJson(`${'[{"a":'.repeat(5000)}x`), SyntaxError)
})

test('text that is no JSON has the error of the parser', () => {
  assert.throws(() => parseUntrustedJson(`{"a": "${'x'.repeat(2000)}`), /^Unterminated string/)
  assert.throws(() => parseUntrustedJson(`${']'.repeat(2000)}[`), /Unexpected token/)
})

test.run()
