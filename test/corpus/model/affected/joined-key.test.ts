/** Rule 27: which spellings are one vendor or product. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { joinedKey, joinedProductKey, joinedVendor, reviewedKey } from '../../../../corpus/model/affected/joined-key.ts'
import { nameKey } from '../../../../corpus/model/affected/products.ts'
import { VENDOR_ALIASES } from '../../../../corpus/model/affected/vendor-aliases.ts'
import { joinedName } from '../../../support/plain.ts'

test('blanks and punctuation do not distinguish keys', () => {
  for (const [one, other] of [
    ['red_hat', 'redhat'],
    ['d-link', 'dlink'],
    ['node.js', 'nodejs'],
    ['closemarketing/', 'closemarketing'],
    ['opentext™', 'opentext'],
    ['track-it\\!', 'track-it!'],
    ['scalance_m812-1', 'scalance_m812_1'],
    ['net\\/http', 'net/http'],
    ['größe_ag', 'größeag'],
    ['日本_電気', '日本電気'],
  ] as const) {
    assert.is(joinedKey(one), joinedKey(other), `${one} and ${other}`)
  }
})

test('letters, digits, + and # distinguish keys, and what is between digits', () => {
  const keys = ['c', 'c++', 'c#', 'v1.1', 'v11', 'v111', 'v1.11', 'x308-2lh', 'x308-2lh+', 'grosse', 'große', '٣', '3']
  assert.is(new Set(keys.map(joinedKey)).size, keys.length)
  for (const only of ['-', '_/_', '™']) assert.is(joinedKey(only), only)
})

test('a joined key is its own joined key, and the rule is that of the contract', () => {
  const keys = ['1_2-3.a-4', '.1.', '-a-', '1.-.2', '1+2', 'a b', '1 #2', ...VENDOR_ALIASES.flat()]
  for (const key of keys) {
    assert.is(joinedKey(joinedKey(key)), joinedKey(key), key)
    assert.is(joinedVendor(joinedVendor(key)), joinedVendor(key), key)
    assert.is(joinedKey(key), joinedName(key), key)
  }
})

test('the keys of a line of the table are one vendor, and no other', () => {
  const lines = new Map<string, number>()
  VENDOR_ALIASES.forEach((keys, line) => {
    assert.ok(keys.length > 1, keys[0])
    assert.is(new Set(keys.map(joinedVendor)).size, 1, keys[0])
    assert.is(new Set(keys.map(joinedKey)).size, keys.length, `the rule joins ${keys}`)
    for (const key of keys) {
      assert.is(nameKey(key), key)
      assert.is(lines.get(joinedKey(key)), undefined, `${key} is in two lines`)
      lines.set(joinedKey(key), line)
    }
  })
  assert.equal(
    VENDOR_ALIASES.map(([first]) => first),
    VENDOR_ALIASES.map(([first]) => first).sort(),
  )
  assert.is(joinedVendor('apache'), joinedVendor('apache_software-foundation'))
  for (const [key, spelling] of [
    ['oracle', 'oracle_corporation'],
    ['qualcomm', 'qualcomm,_inc.'],
    ['siemens', 'seimens'],
    [null, 'acme'],
  ] as const) {
    assert.is(reviewedKey(joinedVendor(spelling)), key)
  }
  assert.is.not(joinedVendor('micro_focus'), joinedVendor('opentext'), 'a company that was bought')
  assert.is.not(joinedKey('apache'), joinedKey('apache_software_foundation'), 'products have no table')
})

test('a vendor that a product repeats is left out, as whole words in any spelling', () => {
  for (const [vendor, product, expected] of [
    ['fortinet', 'fortinet_fortios', 'fortios'],
    ['red_hat', 'redhat_enterprise_linux', 'enterpriselinux'],
    ['redhat', 'red_hat-enterprise_linux', 'enterpriselinux'],
    ['hpe', 'hewlett_packard_enterprise_oneview', 'oneview'],
    ['hp', 'hpe_oneview', 'hpeoneview'],
    ['drupal', 'drupal_7', 'drupal7'],
    ['acme', 'acme', 'acme'],
    ['acme', 'the_acme_widget', 'theacmewidget'],
    ['acme', 'acme_acme_widget', 'acmewidget'],
  ] as const) {
    assert.is(joinedProductKey(vendor, product), expected, product)
  }
})

test.run()
