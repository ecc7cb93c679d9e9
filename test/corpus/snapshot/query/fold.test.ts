/** Folding: a substring of a text is a substring of its folded form, regardless of case (rule 5). */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { fold } from '../../../../corpus/snapshot/codec/fold.ts'
import { sampleTexts } from './sample.ts'

test('rule 5: case does not matter; per cent, underscore and accents are ordinary characters', () => {
  assert.is(fold('ReMote 100% UNDER_score'), 'remote 100% under_score')
  assert.is(fold('ÉTÉ'), 'été')
  assert.is.not(fold('été'), fold('ete'))
  assert.is.not(fold('e\u0301'), fold('é'))
})

test('a sigma is a sigma at the end of a word as within one', () => {
  assert.is(fold('ΟΔΟΣ'), 'οδοσ')
  assert.is(fold('οδος'), 'οδοσ')
  assert.ok(fold('ΟΔΟΣΗΜΑΝΣΗ').includes(fold('ΟΔΟΣ')))
})

test('İ is an i with a dot above; ß and ẞ are the same, and not ss', () => {
  assert.is(fold('İ'), 'i\u0307')
  assert.is(fold('STRAẞE'), fold('Straße'))
  assert.is.not(fold('Straße'), fold('STRASSE'))
})

test('half of a surrogate pair is the replacement character; whole ones fold as they should', () => {
  assert.is(fold('a\ud83e'), 'a\ufffd')
  assert.is(fold('\udd8ab'), '\ufffdb')
  assert.is(fold('𐐀🦊'), '𐐨🦊')
})

test('every part of a text, in either case, is found in it', () => {
  const texts = sampleTexts().sets.flatMap(({ keys, labels }) => [...keys.slice(0, 40), ...labels.slice(0, 40)])
  for (const text of texts) {
    const characters = [...text]
    for (let from = 0; from < characters.length; from += 2) {
      for (let to = from + 1; to <= characters.length; to += 3) {
        const part = characters.slice(from, to).join('')
        for (const q of [part, part.toLowerCase()]) {
          assert.ok(fold(text).includes(fold(q)), `${JSON.stringify(q)} in ${JSON.stringify(text)}`)
        }
      }
    }
  }
})

test.run()
