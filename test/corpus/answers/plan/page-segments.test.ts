/** The whole segments among rows are those that a look at every row finds, none is split and none is left out. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { wholeSegments } from '../../../../corpus/answers/plan/page-segments.ts'
import { Random } from '../../../../corpus/sample/random.ts'
import { ROWS_PER_PAGE, ROWS_PER_SEGMENT } from '../../../../corpus/snapshot/derive/pages.ts'

/** By looking at each row whether the segment that begins there goes on for as many as it has. */
function expected(positions: readonly number[]) {
  return positions.flatMap((position, at) => {
    const rows = positions.slice(at, at + ROWS_PER_SEGMENT)
    const isWhole = rows.length === ROWS_PER_SEGMENT && rows.every((one, i) => one === position + i)
    if (position % ROWS_PER_SEGMENT !== 0 || !isWhole) return []
    const page = Math.floor(position / ROWS_PER_PAGE)
    return [{ first: at, end: at + ROWS_PER_SEGMENT, page, segment: (position % ROWS_PER_PAGE) / ROWS_PER_SEGMENT }]
  })
}

const found = (positions: readonly number[]) => wholeSegments(positions.length, (at) => positions[at]!)

test('runs that begin and end anywhere', () => {
  for (const first of [0, 1, 24, 25, 26, 99, 101]) {
    for (let length = 0; length <= 130; length++) {
      const positions = Array.from({ length }, (_, i) => first + i)
      assert.equal(found(positions), expected(positions), `${length} from ${first}`)
    }
  }
})

test('rows with gaps here and there', () => {
  const random = new Random('whole segments')
  let whole = 0
  for (const share of [0.01, 0.02, 0.1, 0.5]) {
    for (let turn = 0; turn < 400; turn++) {
      const first = random.int(60)
      const positions = Array.from({ length: 140 }, (_, i) => first + i).filter(() => !random.chance(share))
      whole += expected(positions).length
      assert.equal(found(positions), expected(positions))
    }
  }
  assert.ok(whole > 500, `${whole} whole segments show little`)
})

test.run()
