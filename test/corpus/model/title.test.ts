/** Titles: the CNA's, of the names, or of the description (rule 19). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cutAtWord, firstSentence, titleOf } from '../../../corpus/model/title.ts'
import { affected, claim, merged } from './fixture.ts'
import { affectedEntry, text } from './properties/arbitrary.ts'
import { property } from './properties/property.ts'

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
  'rule 19: else vendor, product and weakness of the first entry if all three are known, else the description',
  [text, NAME, AFFECTED],
  (description, name, affected) => {
    const { vendor = null, product = null } = affected[0] ?? {}
    const title = titleOf(claim({ source: 'cna', affected }), description, name)!
    if (vendor === null || product === null || name === null)
      return assert.is(title, titleOf(undefined, description, null))
    assert.ok(title.endsWith(`: ${name}`))
    const subject = title.slice(0, -`: ${name}`.length)
    const repeats = product.toLowerCase().startsWith(vendor.toLowerCase()) && subject === product
    if (!repeats) assert.is(subject, `${vendor} ${product}`)
  },
)

property(
  'rule 19: a title of the description is its beginning, at most 160 code points, cut at a word',
  [text],
  (description) => {
    const line = description.trim().replace(/\s+/g, ' ')
    const title = titleOf(undefined, description, null)!
    assert.ok(title.length > 0 && points(title) <= 160)
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
    assert.ok(points(title + next) > 160)
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
  assert.is(titleOf(claim({ source: 'cna' }), null, name), null)
})

const catalog = { weaknessName: (id: string) => (id === 'cwe-79' ? 'Scripting' : null), isWeakness: () => true }
const widget = [affected({ vendor: 'Acme', product: 'Widget' }), affected({ vendor: 'Other', product: 'Thing' })]

test('rule 19: a bare weakness, or a product without weakness or vendor, is no title', () => {
  const title = (entries: typeof widget, weaknesses: string[]) =>
    merged([claim({ source: 'cna', affected: entries, weaknesses, description: 'Text.' })], { catalog }).core.title
  assert.is(title(widget, ['cwe-79']), 'Acme Widget: Scripting')
  assert.is(title(widget, ['cwe-1']), 'Text.')
  assert.is(title([affected({ product: 'Widget' })], ['cwe-79']), 'Text.')
  assert.is(title([], ['cwe-79']), 'Text.')
})

test('rule 19: the vendor is left out where the product begins with it, whole and in any case', () => {
  const cases: [vendor: string, product: string, title: string][] = [
    ['Cisco', 'Cisco Adaptive Security Appliance', 'Cisco Adaptive Security Appliance'],
    ['acronis', 'Acronis Cyber Infrastructure', 'Acronis Cyber Infrastructure'],
    ['Linux', 'Linux', 'Linux'],
    ['Linux', 'Linux Kernel', 'Linux Kernel'],
    ['linux', 'linux_kernel', 'linux_kernel'],
    ['WSO2', 'WSO2-APIM', 'WSO2-APIM'],
    ['HP', 'HPE OneView', 'HP HPE OneView'],
    ['HP', 'HP2000', 'HP HP2000'],
    ['Éco', 'Écoé', 'Éco Écoé'],
    ['Apache Software Foundation', 'Apache Tomcat', 'Apache Software Foundation Apache Tomcat'],
    ['Siemens AG', 'Siemens SIMATIC', 'Siemens AG Siemens SIMATIC'],
    ['Tomcat', 'Apache Tomcat', 'Tomcat Apache Tomcat'],
  ]
  for (const [vendor, product, title] of cases) {
    const cna = claim({ source: 'cna', affected: [affected({ vendor, product })], weaknesses: ['cwe-79'] })
    assert.is(merged([cna], { catalog }).core.title, `${title}: Scripting`)
  }
})

test('rule 19: else the first sentence of the description', () => {
  const title = (description: string | null) => merged([claim({ source: 'cna', description })]).core.title
  assert.is(
    title('A flaw was found in v1.2.3 of Widget, e.g. on ARM.\nIt is bad.'),
    'A flaw was found in v1.2.3 of Widget, e.g. on ARM.',
  )
  assert.is(title(null), null)
})

test('rule 19: at most 160 characters, cut at a word', () => {
  const words = 'word '.repeat(40).trim()
  assert.is(merged([claim({ source: 'cna', description: words })]).core.title, 'word '.repeat(32).trim())
  assert.is(cutAtWord('one two three', 7), 'one two')
  assert.is(cutAtWord('one two three', 8), 'one two')
  assert.is(cutAtWord('one two three', 6), 'one')
  assert.is(cutAtWord('x'.repeat(200), 120), 'x'.repeat(120))
  assert.is(cutAtWord('🙂'.repeat(4), 3), '🙂'.repeat(3))
})

test('a sentence ends at a full stop before a blank, but not after an abbreviation', () => {
  assert.is(firstSentence('Made by Acme Inc. in 2020. Next.'), 'Made by Acme Inc. in 2020.')
  assert.is(
    firstSentence('B.C. Widgets of Acme B.V. (i.e. some, e.g. 2) fail. Next.'),
    'B.C. Widgets of Acme B.V. (i.e. some, e.g. 2) fail.',
  )
  assert.is(firstSentence('Found in 2.b. Next.'), 'Found in 2.b.')
  assert.is(firstSentence('Really? Yes.'), 'Really?')
  assert.is(firstSentence('No stop at all'), 'No stop at all')
})

test.run()
