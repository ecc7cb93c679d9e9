/** Titles that several rows of a list have. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { repeatedTitles } from '../../../corpus/explorer/app/parts/repeated-titles.ts'

test('rows with the title of another one are marked, those without a title are not', () => {
  assert.equal(repeatedTitles(['a', 'b', 'a', null, null]), [true, false, true, false, false])
})

test('rows that are added change no row before them', () => {
  const first = Array.from({ length: 25 }, (_, i) => `title ${i}`)
  const both = repeatedTitles([...first, 'title 3', 'title 26'])
  assert.equal(both.slice(0, 25), repeatedTitles(first))
  assert.equal(both.slice(25), [true, false])
})

test.run()
