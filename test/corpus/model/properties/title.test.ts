/** Properties of titles (rule 19). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cutAtWord, firstSentence, titleOf } from '../../../../corpus/model/title.ts'
import { claim } from '../fixture.ts'
import { affectedEntry, text } from './arbitrary.ts'
import { property } from './property.ts'

const NAME = fc.option(fc.constantFrom('Scripting', 'Improper Input Validation'), { nil: null })
const AFFECTED = fc.array(affectedEntry('cna'), { maxLength: 2 })
const points = (of: string) => [...of].length

property(
  'rule 19: the CNA’s title stands unchanged',
  [text, text, NAME, AFFECTED],
  (title, description, name, affected) => {
    assert.is(titleOf(claim({ source: 'cna', title, affected }), description, name), title)
  },
)

property(
  'rule 19: else vendor, product and weakness of the first entry, what is unknown left out',
  [text, NAME, AFFECTED],
  (description, name, affected) => {
    const { vendor = null, product = null } = affected[0] ?? {}
    const title = titleOf(claim({ source: 'cna', affected }), description, name)!
    if (vendor === null && product === null && name === null)
      return assert.is(title, titleOf(undefined, description, null))
    assert.not.match(title, /^[ :]|[ :]$|\bnull\b|undefined/)
    const [subject, weakness] = name === null ? [title, null] : title.includes(': ') ? title.split(': ') : [null, title]
    assert.is(weakness, name)
    const repeats = vendor && product?.toLowerCase().startsWith(vendor.toLowerCase()) && subject === product
    if (!repeats) assert.is(subject || null, [vendor, product].filter((one) => one !== null).join(' ') || null)
  },
)

property(
  'rule 19: a title of the description is its beginning, at most 120 code points, cut at a word',
  [text],
  (description) => {
    const line = description.trim().replace(/\s+/g, ' ')
    const title = titleOf(undefined, description, null)!
    assert.ok(title.length > 0 && points(title) <= 120)
    assert.ok(line.startsWith(title))
    const behind = line.slice(title.length)
    // Only a single word that exceeds the limit is cut.
    if (behind !== '' && !behind.startsWith(' ')) assert.not.match(title, / /)
    assert.is(title, title.toWellFormed())
  },
)

property(
  'rule 19: a title never ends before a whole further word would have fitted into the sentence',
  [text],
  (description) => {
    const sentence = firstSentence(description)
    const title = titleOf(undefined, description, null)!
    if (title === sentence) return
    const next = /^ ?\S+/u.exec(sentence.slice(title.length))![0]
    assert.ok(points(title + next) > 120)
  },
)

property(
  'rule 19: the first sentence is a beginning of the text, and the whole text where no stop ends it',
  [text],
  (description) => {
    const line = description.trim().replace(/\s+/g, ' ')
    const sentence = firstSentence(description)
    assert.ok(line.startsWith(sentence))
    if (sentence !== line) assert.match(sentence, /[.!?]$/)
    assert.is(firstSentence(sentence), sentence)
  },
)

property(
  'rule 19: what fits is not cut, and what was cut stays',
  [text, fc.integer({ min: 1, max: 300 })],
  (given, limit) => {
    const cut = cutAtWord(given, limit)
    if (points(given) <= limit) assert.is(cut, given)
    assert.is(cutAtWord(cut, limit), cut)
  },
)

property('rule 19: without title, names and description there is none', [NAME], (name) => {
  assert.is(titleOf(claim({ source: 'cna' }), null, name), name)
})

test.run()
