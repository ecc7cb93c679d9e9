/** Bounds of ranges: a binary search and a comparison of all keys find the same position. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { firstBelow } from '../../../../corpus/snapshot/filter/filters.ts'
import type { CveTables } from '../../../../corpus/snapshot/record/cve-tables.ts'

/** Returns a snapshot with these keys, descending, in each order, and one CVE without a key after them. */
function snapshotOf(keys: readonly number[]): CveTables {
  const count = keys.length + 1
  // Ordinals, rows and positions differ.
  const ordinals = Uint32Array.from({ length: count }, (_, position) => (position * 17 + 3) % count)
  const row = Uint32Array.from({ length: count }, (_, ordinal) => count - 1 - ordinal)
  const byOrdinal = new Float64Array(count).fill(Number.NaN)
  const scores = new Uint32Array(count).fill(0xffffffff)
  keys.forEach((key, position) => {
    byOrdinal[ordinals[position]!] = key
    scores[row[ordinals[position]!]!] = key
  })
  const order = { ordinals, keyed: keys.length }
  return {
    orders: { published: order, updated: order, epss: order },
    columns: { row, published: byOrdinal, updated: byOrdinal },
    epss: { scores },
  } as unknown as CveTables
}

for (const length of [0, 1, 2, 3, 64, 300]) {
  test(`bounds of ${length} keys: equal to keys, between them and outside`, () => {
    for (const run of [1, 2, 40]) {
      const keys = Array.from({ length }, (_, position) => 10 + 2 * Math.floor((length - position) / run))
      const snapshot = snapshotOf(keys)
      for (const bound of new Set([0, 1e9, ...keys.flatMap((key) => [key - 1, key, key + 1])])) {
        const below = keys.filter((key) => key >= bound).length
        for (const sort of ['published', 'updated'] as const) {
          assert.is(firstBelow(snapshot, sort, bound), below)
        }
        assert.is(firstBelow(snapshot, 'epss', bound / 1e9), below)
      }
    }
  })
}

test.run()
