import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listedProducts, nameKey, statedName } from '../../../../corpus/model/affected/products.ts'
import { affected, claim, merged } from '../fixture.ts'

test('rule 27: keys are lower case with _ for blanks; n/a and * are no vendor', () => {
  assert.is(nameKey('Palo Alto Networks'), 'palo_alto_networks')
  assert.is(nameKey(' PAN-OS '), 'pan-os')
  for (const nobody of ['n/a', 'N/A', '*', ' ']) assert.is(nameKey(nobody), null)
})

test('rule 24: vendor or product n/a is null', () => {
  assert.is(statedName('n/a'), null)
  assert.is(statedName('N/A'), null)
  assert.is(statedName('Acme'), 'Acme')
})

test('rule 27: keys come from the claims of CNA, ADP and NVD, each pair once, sorted', () => {
  const entries = (source: 'cna' | 'adp' | 'nvd' | 'advisory', ...pairs: [string | null, string | null][]) =>
    claim({ source, affected: pairs.map(([vendor, product]) => affected({ source, vendor, product })) })
  const { facets } = merged([
    entries('cna', ['Zeta', 'B c'], ['Acme', 'Widget'], ['*', 'Lost'], [null, 'Lost'], ['Acme', '*']),
    entries('adp', ['acme', 'widget']),
    entries('nvd', ['acme', 'gadget']),
    entries('advisory', ['github', 'lost']),
  ])
  assert.equal(facets.products, [
    { vendor: 'acme', product: null, vendor_display: 'Acme', product_display: null },
    { vendor: 'acme', product: 'gadget', vendor_display: 'acme', product_display: 'gadget' },
    { vendor: 'acme', product: 'widget', vendor_display: 'Acme', product_display: 'Widget' },
    { vendor: 'zeta', product: 'b_c', vendor_display: 'Zeta', product_display: 'B c' },
  ])
})

test('a name lists products if each part is a name', () => {
  const listed = (product: string, vendor = 'Fortinet') => listedProducts('cna', vendor, product)
  for (const [product, vendor, expected] of [
    ['Fortinet FortiOS, FortiProxy', 'Fortinet', ['Fortinet FortiOS', 'FortiProxy']],
    ['Fortinet AV Engine, FortiMail', 'Fortinet', ['Fortinet AV Engine', 'FortiMail']],
    ['OpManager, OpManager Plus', 'ManageEngine', ['OpManager', 'OpManager Plus']],
    ['MT2713, MT6879', 'MediaTek, Inc.', ['MT2713', 'MT6879']],
  ] as const) {
    assert.equal(listed(product, vendor), expected)
  }
  for (const product of [
    'Widget',
    'Widget, Inc.',
    'Complex Maintenance, Repair, and Overhaul',
    'Backup, Restore – Plugin',
    'Menu Image, Icons made easy',
    'AV Engine, FortiMail',
    'Widget, 2.0',
    'Widget,',
    'backup\\,staging',
  ]) {
    assert.equal(listed(product), [product])
  }
  assert.equal(listedProducts('nvd', 'acme', 'widget,gadget'), ['widget,gadget'])
  assert.equal(listedProducts('cna', 'acme', null), [null])
})

test.run()
