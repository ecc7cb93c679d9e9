/** The texts of vendors and products: key, display, and the spellings that neither begins with. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { textsIn } from '../../../../corpus/snapshot/codec/text-column.ts'
import { listTexts, otherSpellings } from '../../../../corpus/snapshot/derive/texts.ts'

const vendor = (slug: string, display: string, spellings: string[]) => {
  return { slug, display, product_count: 1, cve_count: 2, spellings }
}
const product = (vendor: string, spellings: string[]) => {
  return { slug: 'tcp/ip', display: 'TCP/IP', vendor, vendor_display: 'V', cve_count: 1, spellings }
}
const setsOf = (vendors: ReturnType<typeof vendor>[], products: ReturnType<typeof product>[]) =>
  Object.fromEntries(
    listTexts({ cwes: [], capecs: [], cnas: [], exploits: [], vendors, products }).map((set) => [set.name, set]),
  )

test('spellings with which neither key nor display begins follow, each after U+001F', () => {
  const others = (...spellings: string[]) => otherSpellings(vendor('red_hat', 'Red Hat', spellings))
  assert.is(others('Red Hat', 'redhat', 'RedHat Inc'), '\u001fredhat\u001fRedHat Inc')
  assert.is(others('RED HAT', 'red_hat', 'Red', 'RED_'), '', 'case does not count')
  assert.is(others('Hat', 'Red Hat.'), '\u001fHat\u001fRed Hat.', 'a match in the middle would rank lower')
  assert.is(otherSpellings(vendor('οδοσ', 'ΟΔΟΣ', ['Οδος'])), '')
})

test('display and other spellings are apart, so that answers show the display', () => {
  const sets = setsOf([vendor('red_hat', 'Red\u001fHat', ['redhat'])], [product('a', ['TCP-IP'])])
  const textsOf = (name: string) => {
    const { labels, spellings } = sets[name]!
    return [textsIn(labels).at(0), textsIn(spellings!).at(0)]
  }
  assert.equal(textsOf('vendor'), ['Red\u001fHat', '\u001fredhat'])
  assert.equal(textsOf('product'), ['TCP/IP', '\u001fTCP-IP'])
  assert.is(sets.cna!.spellings, undefined)
})

test('a slash in the vendor is escaped in the id of a product', () => {
  assert.is(textsIn(setsOf([], [product('a/b', [])]).product!.ids).at(0), 'a%2Fb/tcp/ip')
})

test.run()
