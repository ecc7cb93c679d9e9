/** The position of a bound equals that of a linear search, including positions at the edge of samples. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { firstBelow, firstNotAbove } from '../../../../corpus/snapshot/filter/key-bounds.ts'
import type { CveTables } from '../../../../corpus/snapshot/record/cve-tables.ts'

/** Returns a snapshot with these keys, descending, in each of its orders, and one CVE without a key after them. */
function snapshotOf(keys: readonly number[]): CveTables {
  const count = keys.length + 1
  // The orders of ordinals and rows differ from the order of positions.
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

for (const length of [0, 1, 63, 64, 65, 127, 128, 129, 300]) {
  test(`bounds of ${length} keys, all of them, between them and outside`, () => {
    // Runs of equal keys span several samples.
    for (const run of [1, 2, 40, 64, 100]) {
      const keys = Array.from({ length }, (_, position) => 10 + 2 * Math.floor((length - position) / run))
      const snapshot = snapshotOf(keys)
      for (const bound of new Set([0, 1e9, ...keys.flatMap((key) => [key - 1, key, key + 1])])) {
        const below = keys.filter((key) => key >= bound).length
        const notAbove = keys.filter((key) => key > bound).length
        for (const sort of ['published', 'updated'] as const) {
          assert.is(firstBelow(snapshot, sort, bound), below)
          assert.is(firstNotAbove(snapshot, sort, bound), notAbove)
        }
        assert.is(firstBelow(snapshot, 'epss', bound / 1e9), below)
      }
    }
  })
}

test.run()
