import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { compareText } from '../../../corpus/model/sources.ts'

test('texts are ordered by code points, so also beyond the basic plane', () => {
  const ordered = [
    '',
    'A',
    'a',
    'a\u{0}',
    'aa',
    'ab',
    'é',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '\u{10000}',
    '\u{1f600}',
  ]
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) {
      assert.is(Math.sign(compareText(a, b)), Math.sign(i - j), JSON.stringify([a, b]))
      assert.is(Math.sign(compareText(`x${a}`, `x${b}`)), Math.sign(i - j), JSON.stringify([`x${a}`, `x${b}`]))
    }
  }
})

test('the order is that of the bytes in UTF-8', () => {
  const texts = [
    '\u{e000}\u{1f600}',
    '\u{1f600}\u{e000}',
    '\u{1f600}\u{1f601}',
    '\u{1f601}',
    '\u{fffd}',
    'z\u{1f600}',
    'z\u{ffff}',
  ]
  const bytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  assert.equal(texts.toSorted(compareText), bytes)
})

test.run()
