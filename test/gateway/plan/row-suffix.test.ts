/** What stands behind cores as bytes is what it is as a text; and the CRC of a few bytes is that of zlib. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { crc32 } from '../../../corpus/runtime/crc32.ts'
import { type EpssColumns, epssAt, epssMember, NO_EPSS } from '../../../corpus/snapshot/record/epss.ts'
import { suffixParts, writeSuffix } from '../../../gateway/plan/row-suffix.ts'
import { shortCrc32 } from '../../../gateway/plan/short-crc.ts'
import type { OpenSnapshot } from '../../../gateway/snapshots/open-snapshot.ts'

/** Figures of every length, the least and the greatest, those that JSON writes with an exponent, and none. */
const FIGURES = [
  ...[0, 1, 7, 10, 999, 1000, 1001, 9_990, 10_000, 99_999, 100_000, 123_456_789, 500_000_000, 970_350_000],
  ...[999_990_000, 999_999_999, 1e9, NO_EPSS],
  ...Array.from({ length: 3000 }, (_, i) => (i * 7_919_773) % 1e9),
  ...Array.from({ length: 3000 }, (_, i) => (i * 77_710_000) % 1e9),
]

const columns = (date: string | null): EpssColumns => ({
  date,
  modelVersion: date && 'v1',
  scores: Uint32Array.from(FIGURES),
  percentiles: Uint32Array.from(FIGURES.map((_, i) => (FIGURES.at(-1 - i) === NO_EPSS ? 5 : FIGURES.at(-1 - i)!))),
})

for (const date of ['2026-07-08', null]) {
  test(`rests are what the text of their figures is, on ${date}`, () => {
    const epss = columns(date)
    const parts = suffixParts({ epss } as OpenSnapshot)
    const out = Buffer.alloc(3 + parts.longest)
    for (let row = 0; row < FIGURES.length; row++) {
      const end = writeSuffix(out, 3, parts, epss.scores[row]!, epss.percentiles[row]!)
      assert.is(out.toString('latin1', 3, end), `${epssMember(epssAt(epss, row))}}`)
      assert.ok(end - 3 < parts.longest, 'there is no place for a comma')
    }
  })
}

test('the CRC of some bytes among others, going on from any other', () => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * i * 31) & 0xff))
  for (let from = 0; from < 9; from++) {
    for (let to = from; to < 90; to++) {
      for (const before of [0, 1, 0x80000000, 0xffffffff]) {
        assert.is(shortCrc32(bytes, from, to, before), crc32(bytes.subarray(from, to), before))
      }
    }
  }
  assert.is(shortCrc32(bytes, 0, 300, 0), crc32(bytes))
})

test.run()
