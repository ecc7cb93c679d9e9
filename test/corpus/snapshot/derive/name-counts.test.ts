/** Counts of names: the names of shards give the counts of all their CVEs. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { NamedProduct } from '../../../../corpus/model/record.ts'
import {
  countNames,
  displayOf,
  type NameCounts,
  nameCollector,
  shardNameCollector,
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
  ['other', []],
  ['other', [named('bolt', 'nut', 'Bolt', 'Nut'), named('bolt', 'screw', 'BOLT', 'Screw')]],
]

/** Returns the counts of CVEs, in shards that begin at `starts`. */
function count(cves: readonly Cve[], starts: readonly number[] = [0]): NameCounts {
  const names = nameCollector()
  starts.forEach((start, i) => {
    const shard = shardNameCollector()
    for (const [, products] of cves.slice(start, starts[i + 1])) shard.read(products)
    names.add(shard.names())
  })
  return countNames(names.names(), (row) => cves[row]![0])
}

/** Returns everything derived from names, in a fixed order. */
function told({ vendors, products, vendorsOfAssigner }: NameCounts) {
  const sorted = <T>(entries: Iterable<[string, T]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    vendors: sorted(vendors).map(([key, one]) => [key, one.rows, displayOf(one).text]),
    products: sorted(products).map(([vendor, own]) => [
      vendor,
      sorted(own).map(([key, one]) => [key, one.rows, displayOf(one).text]),
    ]),
    assigners: sorted(vendorsOfAssigner).map(([assigner, own]) => [assigner, [...own].sort()]),
  }
}

test('each name has the rows of its CVEs, each once, and each assigner its vendors', () => {
  assert.equal(told(count(CVES)), {
    vendors: [
      ['acme', [0, 1, 2], 'ACME'],
      ['bolt', [1, 4], 'Bolt'],
    ],
    products: [
      [
        'acme',
        [
          ['anvil', [0, 1, 2], 'anvil'],
          ['rope', [0], 'Rope'],
        ],
      ],
      [
        'bolt',
        [
          ['nut', [4], 'Nut'],
          ['screw', [4], 'Screw'],
        ],
      ],
    ],
    assigners: [
      ['acme', ['acme', 'bolt']],
      ['other', ['bolt']],
    ],
  })
})

test('the names of any shards give the same counts', () => {
  for (let set = 0; set < 1 << CVES.length; set++) {
    const starts = [0, ...CVES.keys().filter((i) => (set & (1 << i)) !== 0)]
    assert.equal(told(count(CVES, starts)), told(count(CVES)), `shards at ${starts}`)
  }
})

test('the display name is the spelling of most CVEs, of equally frequent ones the first', () => {
  assert.is(displayOf(count(CVES).products.get('acme')!.get('anvil')!).text, 'anvil', 'in two of three')
  assert.is(displayOf(count(CVES.slice(0, 2)).vendors.get('acme')!).text, 'ACME', 'in one of two')
})

test.run()
