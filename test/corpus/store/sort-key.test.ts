/** The text sort key in SQLite gives the order of `compareCveIds`. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CveId, compareCveIds } from '../../../corpus/model/ids/cve-id.ts'
import { sortKey } from '../../../corpus/store/sort-key.ts'

const IDS: CveId[] = [
  'CVE-1999-0000',
  'CVE-1999-0001',
  'CVE-1999-00001',
  'CVE-1999-000001',
  'CVE-1999-0009',
  'CVE-1999-0010',
  'CVE-1999-9999',
  'CVE-1999-09999',
  'CVE-1999-10000',
  'CVE-1999-010000',
  'CVE-1999-99999',
  'CVE-1999-1000000',
  'CVE-1999-9223372036854775807',
  'CVE-1999-9999999999999999999',
  'CVE-2024-0001',
  'CVE-2024-3400',
  'CVE-2024-21762',
]

test('keys sort as the ids do, by code points, whatever the pair', () => {
  for (const a of IDS) {
    for (const b of IDS) {
      const order = Buffer.compare(Buffer.from(sortKey(a)), Buffer.from(sortKey(b)))
      assert.is(order, Math.sign(compareCveIds(a, b)), `${a} and ${b}`)
    }
  }
})

test('different ids have different keys', () => {
  assert.is(new Set(IDS.map(sortKey)).size, IDS.length)
})

test.run()
