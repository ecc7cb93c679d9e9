import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cutAtWord, firstSentence } from '../../../corpus/model/title.ts'
import { affected, claim, merged } from './fixture.ts'

const catalog = { weaknessName: (id: string) => (id === 'cwe-79' ? 'Scripting' : null), isWeakness: () => true }
const widget = [affected({ vendor: 'Acme', product: 'Widget' }), affected({ vendor: 'Other', product: 'Thing' })]

test("rule 19: the title is the CNA's", () => {
  const cna = claim({ source: 'cna', title: 'Given', affected: widget, weaknesses: ['cwe-79'], description: 'Text.' })
  assert.is(merged([cna], { catalog }).core.title, 'Given')
})

test('rule 19: else vendor, product and weakness name of the first affected entry, as far as known', () => {
  const title = (entries: typeof widget, weaknesses: string[]) =>
    merged([claim({ source: 'cna', affected: entries, weaknesses, description: 'Text.' })], { catalog }).core.title
  assert.is(title(widget, ['cwe-79']), 'Acme Widget: Scripting')
  assert.is(title(widget, ['cwe-1']), 'Acme Widget')
  assert.is(title([affected({ product: 'Widget' })], ['cwe-79']), 'Widget: Scripting')
  assert.is(title([], ['cwe-79']), 'Scripting')
})

test('rule 19: the vendor is left out where the product begins with it, whole and in any case', () => {
  const cases: [vendor: string | null, product: string | null, title: string][] = [
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
    ['Acme', null, 'Acme'],
    [null, 'Widget', 'Widget'],
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

test('rule 19: at most 120 characters, cut at a word', () => {
  const words = 'word '.repeat(30).trim()
  assert.is(merged([claim({ source: 'cna', description: words })]).core.title, 'word '.repeat(24).trim())
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
