/** Minified JSON: the same values, keys in the same order, and every character of strings and numbers. */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { minifiedJson } from '../../../corpus/feeds/json.ts'
import { codePoint, property } from '../model/properties/property.ts'

const STRING = /"(?:[^"\\]|\\.)*"/g
const TOKEN = new RegExp(`${STRING.source}|[^",:[\\]{}]+|[,:[\\]{}]`, 'g')
/** Many quotes, backslashes and blanks. */
const text = fc.string({
  unit: fc.oneof(fc.constantFrom('"', '\\', ' ', '\n', '\t', '{', ':'), fc.string()),
  maxLength: 8,
})
const value = fc.oneof(
  fc.jsonValue({ stringUnit: codePoint }),
  fc.array(fc.dictionary(text, fc.oneof(text, fc.double()), { maxKeys: 5 }), { maxLength: 5 }),
)
const blanks = fc.array(fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 }), { minLength: 1 })

property(
  'minified JSON has the same value, and white space only in strings',
  [value, blanks],
  (value, blanks) => {
    const minified = JSON.stringify(value)
    const tokens = minified.match(TOKEN) ?? []
    assert.is(tokens.join(''), minified)
    const spaced = tokens.map((token, i) => blanks[i % blanks.length] + token).join('') + blanks[0]
    const result = minifiedJson(spaced)
    assert.is(result, minified)
    assert.equal(JSON.parse(result), JSON.parse(spaced))
    assert.not.match(result.replace(STRING, '""'), /\s/)
  },
  1000,
)

test('keys that repeat, the order of keys, numbers and escapes stay', () => {
  const text = '{ "b" : 1.0,\r\n\t"a":"\\u00e9 \\\\", "2": [ 1E2 , -0 ], "1":{ }, "b" : "\\" x" }\n'
  assert.is(minifiedJson(text), '{"b":1.0,"a":"\\u00e9 \\\\","2":[1E2,-0],"1":{},"b":"\\" x"}')
})

test('a string with a million escaped quotes is one string', () => {
  const text = `[ "${'\\\\\\" '.repeat(1_000_000)}" ]`
  assert.is(minifiedJson(text), `[${text.slice(2, -2)}]`)
})

test.run()
