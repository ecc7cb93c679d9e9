/** The CVE ids of a sample: upstream's proportions per year, in blocks of a thousand as CNAs reserve them. */
import type { CveId } from '../model/ids/cve-id.ts'
import { IDS_BY_YEAR } from './figures.ts'
import { Random } from './random.ts'

/** Ids per block in small samples. The real selection of 12,280 has 40. */
const PER_BLOCK = 25
/** Maximum ids per block of a thousand, because some reserved numbers are never used. */
const FULL_BLOCK = 850

export interface SampleId {
  id: CveId
  year: number
  /** The reservation's position in its year, 0 to 1. */
  through: number
}

/** Returns a function from the index of a record, 0 to `total` - 1, to its id. Ids ascend by year and number. */
export function idsOf(seed: number, total: number): (index: number) => SampleId {
  const years = plan(total)
  return (index) => {
    const { year, start, end, blocks } = years.find((one) => index < one.end)!
    const size = end - start
    const position = index - start
    const block = Math.floor((position * blocks.length) / size)
    const first = Math.ceil((block * size) / blocks.length)
    const held = Math.ceil(((block + 1) * size) / blocks.length) - first
    // Each id has its own range within the block, so that numbers ascend and never collide.
    const low = Math.floor(((position - first) * 999) / held)
    const high = Math.floor(((position - first + 1) * 999) / held)
    const number = 1 + low + new Random(seed, year, index, 'number').int(high - low)
    const text = String(blocks[block]! * 1000 + number).padStart(4, '0')
    return { id: `CVE-${year}-${text}`, year, through: (position + 0.5) / size }
  }
}

/** Returns the index range of each year, and its blocks of a thousand, ascending. */
function plan(total: number) {
  const whole = IDS_BY_YEAR.reduce((sum, [, thousands]) => sum + thousands, 0)
  let before = 0
  return IDS_BY_YEAR.map(([year, thousands]) => {
    const start = Math.round((before / whole) * total)
    before += thousands
    const end = Math.round((before / whole) * total)
    return { year, start, end, blocks: blocksOf(year, thousands, end - start) }
  })
}

/** Returns blocks spread over the year's numbers, which reach about 1.4 times the number of records. */
function blocksOf(year: number, thousands: number, size: number): number[] {
  const reach = Math.ceil(thousands * 1.4)
  const count = Math.max(1, Math.ceil(size / FULL_BLOCK), Math.min(reach, Math.ceil(size / PER_BLOCK)))
  const blocks = Array.from({ length: count }, (_, i) => Math.floor((i * Math.max(count, reach)) / count))
  // Ids of 2016 to 2019 were also assigned from one million on.
  if (year >= 2016 && year <= 2019 && count > 1) blocks[count - 1] = 1000
  return blocks
}
