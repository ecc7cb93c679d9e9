/** Bounds of JSON from clients. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError } from '../../../corpus/answers/errors.ts'
import { parseJson } from '../../../gateway/compat/json.ts'

function statusOf(text: string | Buffer, most: readonly number[] = [3, 2]): number {
  try {
    parseJson(Buffer.from(text as string), most)
    return 200
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
}

test('returns what the text states', () => {
  assert.equal(parseJson(Buffer.from('{"a":["1","2"],"b":[]}'), [3, 2]), { a: ['1', '2'], b: [] })
  assert.is(parseJson(Buffer.from(' 7 '), [3, 2]), 7)
})

test('limits members by depth, and the depth', () => {
  assert.is(statusOf('{"a":[],"b":[],"c":[]}'), 200)
  assert.is(statusOf('{"a":[],"b":[],"c":[],"d":[]}'), 413)
  assert.is(statusOf('{"a":["1","2"],"b":["1","2"]}'), 200)
  assert.is(statusOf('{"a":["1","2","3"]}'), 413)
  assert.is(statusOf('{"a":[[]]}'), 413)
  assert.is(statusOf('['.repeat(100_000)), 413)
})

test('brackets and commas in strings do not count', () => {
  assert.is(statusOf('{"a,[{\\",[":["[[,,,,","\\\\"]}'), 200)
  assert.is(statusOf('{"\\\\":[1,2,3]}'), 413, 'an escaped backslash does not escape the quote')
})

test('text that is no JSON is refused', () => {
  for (const text of ['', '{', '{"a"', ']]]]', '{"a":1,}', '"', '"\\', 'nul', Buffer.from([0x22, 0xff, 0x22])]) {
    assert.is(statusOf(text), 400, String(text))
  }
})

test.run()
