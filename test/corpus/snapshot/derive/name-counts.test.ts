/** Counts of names: the counts of shards add up to the counts of all their CVEs. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { NamedProduct } from '../../../../corpus/model/record.ts'
import {
  addNames,
  countNames,
  displayOf,
  encodeNames,
  type NameCounts,
  noNames,
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
type Cve = [assigner: string | null, products: NamedProduct[]]

const CVES: Cve[] = [
  ['Acme', [named('acme', 'anvil', 'Acme', 'Anvil'), named('acme', 'rope', 'Acme', 'Rope')]],
  ['acme', [named('acme', 'anvil', 'ACME', 'anvil'), named('bolt', null, 'Bolt', null)]],
  [null, [named('acme', 'anvil', 'ACME', 'anvil')]],
  ['other', [named('bolt', 'nut', 'Bolt', 'Nut')]],
]

function count(cves: readonly Cve[]): NameCounts {
  const names = noNames()
  for (const [assigner, products] of cves) countNames(names, products, assigner)
  return names
}

/** Returns everything derived from names, in a fixed order. */
function told({ vendors, products, vendorsOfAssigner }: NameCounts) {
  const sorted = <T>(entries: Iterable<[string, T]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    vendors: sorted(vendors).map(([key, one]) => [key, one.cves, displayOf(one)]),
    products: sorted(products).map(([vendor, own]) => [
      vendor,
      sorted(own).map(([key, one]) => [key, one.cves, displayOf(one)]),
    ]),
    assigners: sorted(vendorsOfAssigner).map(([assigner, own]) => [assigner, sorted(own)]),
  }
}

test('the encoded counts of any two parts add up to the counts of all', () => {
  for (let set = 0; set < 1 << CVES.length; set++) {
    const isInFirst = (_: Cve, i: number) => (set & (1 << i)) !== 0
    const names = noNames()
    addNames(names, encodeNames(count(CVES.filter(isInFirst))))
    addNames(names, encodeNames(count(CVES.filter((cve, i) => !isInFirst(cve, i)))))
    assert.equal(told(names), told(count(CVES)), `parts ${set}`)
  }
})

test('the display name is the spelling of most CVEs, of equally frequent ones the first', () => {
  assert.is(displayOf(count(CVES).products.get('acme')!.get('anvil')!), 'anvil', 'in two of three')
  assert.is(displayOf(count(CVES.slice(0, 2)).vendors.get('acme')!), 'ACME', 'in one of two')
})

test.run()
