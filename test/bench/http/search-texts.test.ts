/** The texts of measured searches. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SEARCH_TEXTS, textsOf } from './search-texts.ts'

test('texts begin with a word, end anywhere, and come once', () => {
  const texts = textsOf(['Ab cd-Ef', 'cd'], [2001, 2000])
  assert.equal(texts, ['ab', 'ab c', 'ab cd', 'ab cd-', 'ab cd-e', 'ab cd-ef', 'cd', 'cd-', 'cd-e', 'cd-ef', 'ef'])
})

test('ids begin with each year, and go on with up to two digits', () => {
  const texts = textsOf([], [2023, 2024])
  assert.is(texts.length, 200)
  assert.ok(texts.includes('cve-2024-0') && texts.includes('cve-2023-99'))
})

test('there are thousands of texts: no memory of a gateway holds what the common ones match', () => {
  assert.ok(SEARCH_TEXTS.length > 4000, `${SEARCH_TEXTS.length}`)
})

test.run()
