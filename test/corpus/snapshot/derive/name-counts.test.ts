/** Names: a CVE's additions can be removed again, and the rest equals that of the other CVEs. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { NamedProduct } from '../../../../corpus/model/record.ts'
import {
  addNames,
  countAdvisory,
  countNames,
  displayOf,
  encodeNameParts,
  encodeNames,
  type NameCounts,
  noNames,
  takeNames,
} from '../../../../corpus/snapshot/derive/name-counts.ts'

const named = (
  vendor: string,
  product: string | null,
  vendorDisplay: string,
  display: string | null,
): NamedProduct => ({
  vendor,
  product,
  vendor_display: vendorDisplay,
  product_display: display,
})

/** A CVE by its assigner, products and advisory. */
type Cve = [assigner: string | null, products: NamedProduct[], advisory: string | null]

const CVES: Cve[] = [
  ['Acme', [named('acme', 'anvil', 'Acme', 'Anvil'), named('acme', 'rope', 'Acme', 'Rope')], 'GHSA-1'],
  ['acme', [named('acme', 'anvil', 'ACME', 'anvil'), named('bolt', null, 'Bolt', null)], 'GHSA-1'],
  [null, [named('acme', 'anvil', 'ACME', 'anvil')], null],
  ['other', [named('bolt', 'nut', 'Bolt', 'Nut')], 'GHSA-2'],
]

function count(cves: readonly Cve[]): NameCounts {
  const names = noNames()
  for (const [assigner, products, advisory] of cves) {
    countNames(names, products, assigner)
    if (advisory !== null) countAdvisory(names, advisory)
  }
  return names
}

/** Returns everything derived from names, in a fixed order. */
function told({ vendors, products, vendorsOfAssigner, advisories }: NameCounts) {
  const sorted = <T>(entries: Iterable<[string, T]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    vendors: sorted(vendors).map(([key, one]) => [key, one.cves, displayOf(one)]),
    products: sorted(products).map(([vendor, own]) => [
      vendor,
      sorted(own).map(([key, one]) => [key, one.cves, displayOf(one)]),
    ]),
    assigners: sorted(vendorsOfAssigner).map(([assigner, own]) => [assigner, sorted(own)]),
    advisories: sorted(advisories),
  }
}

test('taking any of the CVEs away leaves what is counted of the others', () => {
  for (let set = 0; set < 1 << CVES.length; set++) {
    const gone = CVES.filter((_, i) => set & (1 << i))
    const names = count(CVES)
    takeNames(names, encodeNames(count(gone)))
    const rest = count(CVES.filter((cve) => !gone.includes(cve)))
    assert.equal(told(names), told(rest), `without ${gone.length}`)
  }
})

test('what is not counted cannot be taken away', () => {
  const names = count(CVES.slice(0, 2))
  for (const cve of CVES.slice(2)) {
    assert.throws(
      () => takeNames(names, encodeNames(count([cve, cve]))),
      (error: { code?: string }) => error.code === 'malformed',
    )
  }
})

test('names in parts are the names', () => {
  const many = noNames()
  for (let i = 0; i < 9000; i++) countNames(many, [named(`v${i % 3000}`, `p${i}`, `V${i % 3000}`, null)], 'Acme')
  countAdvisory(many, 'GHSA-1')
  const parts = [...encodeNameParts(many)]
  assert.ok(parts.length > 2)
  const again = noNames()
  for (const part of parts) addNames(again, part)
  assert.equal(told(again), told(many))
})

test.run()
