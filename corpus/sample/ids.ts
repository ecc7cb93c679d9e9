/** The CVE ids of a sample: upstream's proportions per year, in blocks of a thousand as CNAs reserve them. */
import type { CveId } from '../model/ids/cve-id.ts'
import { IDS_BY_YEAR } from './figures.ts'
import { Random } from './random.ts'

/** Ids per block in small samples. The real selection of 12,280 has 40. */
const PER_BLOCK = 25
/** Maximum ids per block of a thousand, because some reserved numbers are never used. */
const FULL_BLOCK = 850
/** Ids of 2016 to 2019 were also assigned from one million on. */
const MILLION_YEARS = new Map([
  [2016, 1000],
  [2017, 1000],
  [2018, 1000],
  [2019, 1010],
])

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
    const year = years.find((one) => index < one.end)!
    const size = year.end - year.start
    const position = index - year.start
    const block = Math.floor((position * year.blocks.length) / size)
    const first = Math.ceil((block * size) / year.blocks.length)
    const held = Math.ceil(((block + 1) * size) / year.blocks.length) - first
    // Each id has its own range within the block, so that numbers ascend and never collide.
    const low = Math.floor(((position - first) * 999) / held)
    const high = Math.floor(((position - first + 1) * 999) / held)
    const number = 1 + low + new Random(seed, year.year, index, 'number').int(high - low)
    const text = String(year.blocks[block]! * 1000 + number).padStart(4, '0')
    return { id: `CVE-${year.year}-${text}`, year: year.year, through: (position + 0.5) / size }
  }
}

interface Year {
  year: number
  start: number
  end: number
  /** Thousands, ascending. */
  /** Ascending. Block 3 contains the ids 3000 to 3999. */
  blocks: number[]
}

function plan(total: number): Year[] {
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
  const count = Math.max(
    1,
    Math.ceil(size / FULL_BLOCK),
    Math.min(Math.ceil(thousands * 1.4), Math.ceil(size / PER_BLOCK)),
  )
  const reach = Math.max(count, Math.ceil(thousands * 1.4))
  const blocks = Array.from({ length: count }, (_, i) => Math.floor((i * reach) / count))
  const million = MILLION_YEARS.get(year)
  if (million !== undefined && count > 1) blocks[count - 1] = million
  return blocks
}
