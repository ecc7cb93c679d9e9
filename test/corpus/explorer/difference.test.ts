/** What differs between two texts. */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { difference, readableJson } from '../../../corpus/explorer/app/pages/cves/difference.ts'

test('whole words are marked, not single letters', () => {
  assert.equal(difference('fixed in 1.24 today', 'fixed in 1.25 today'), {
    before: 'fixed in ',
    removed: '1.24',
    added: '1.25',
    after: ' today',
  })
  assert.equal(difference('a b', 'a x b'), { before: 'a ', removed: '', added: 'x ', after: 'b' })
  assert.equal(difference('one', 'two'), { before: '', removed: 'one', added: 'two', after: '' })
  assert.equal(difference('', 'new'), { before: '', removed: '', added: 'new', after: '' })
})

test('of a long common text, the end next to the change is shown', () => {
  const common = 'word '.repeat(100)
  const { before, removed, added, after } = difference(`${common}old ${common}`, `${common}new ${common}`)
  assert.is(removed, 'old')
  assert.is(added, 'new')
  assert.ok(before.startsWith('…') && before.endsWith('word ') && before.length < 80)
  assert.ok(after.startsWith(' word') && after.endsWith('…') && after.length < 80)
})

const WORDS = fc.array(fc.constantFrom('a', 'bb', ' ', '\n', 'ab '), { maxLength: 12 }).map((parts) => parts.join(''))

test('without the marks, the parts are the two texts', () => {
  fc.assert(
    fc.property(WORDS, WORDS, (old, now) => {
      const { before, removed, added, after } = difference(old, now)
      assert.is(before + removed + after, old)
      assert.is(before + added + after, now)
    }),
  )
})

test('JSON is shown with a member per line, other text is not JSON', () => {
  assert.is(readableJson('{"a":1,"b":[2]}'), '{\n "a": 1,\n "b": [\n  2\n ]\n}')
  assert.is(readableJson('12'), null)
  assert.is(readableJson('[broken'), null)
  assert.is(readableJson('a {"b":1}'), null)
})

test('JSON that is nested deep is not indented', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  assert.match(readableJson(nested(20))!, `\n${' '.repeat(19)}[]\n`)
  assert.is(readableJson(nested(1_000)), null)
})

test.run()
