/** EPSS: one gzipped CSV a night with a score and its percentile for every published CVE; scores move a little each night. */
import { gzipSync } from 'node:zlib'
import { nightDate } from '../calendar.ts'
import { EPSS_SCORE } from '../figures.ts'
import { stateAt, type World } from '../world.ts'
import type { SampleFeed, WrittenFile } from './feed.ts'

const MODEL = 'v2025.03.14'
/** Scores have five decimals. */
const UNIT = 100_000
const LARGEST = 94_582
/** What is known to be exploited is among the upper tenth. */
const KEV_LEAST_EVEN = 0.9

export const epss: SampleFeed = {
  name: 'epss',
  write: async (world, folder) => {
    const files: WrittenFile[] = []
    for (let night = 0; night < world.nights; night++) {
      const { text, records } = scores(world, night)
      const path = `epss_scores-${nightDate(night)}.csv.gz`
      // `gzipSync` writes no time into the header, so the bytes depend on the text alone.
      files.push(await folder.write(path, gzipSync(text), records))
    }
    return files
  },
}

function scores(world: World, night: number): { text: string; records: number } {
  const ids: string[] = []
  const values = new Uint32Array(world.records)
  for (let index = 0; index < world.records; index++) {
    const facts = world.facts(index)
    if (stateAt(facts, night) !== 'PUBLISHED') continue
    values[ids.length] = scoreOf(world, facts.id, facts.kevNight >= 0, night)
    ids.push(facts.id)
  }
  const atMost = new Uint32Array(UNIT + 1)
  const scored = values.subarray(0, ids.length)
  for (const value of scored) atMost[value]!++
  for (let value = 1; value <= UNIT; value++) atMost[value]! += atMost[value - 1]!
  const lines = ids.map((id, i) => `${id},${scored[i]! / UNIT},${decimal(atMost[scored[i]!]! / ids.length)}\n`)
  const head = `#model_version:${MODEL},score_date:${nightDate(night)}T12:55:00Z\ncve,epss,percentile\n`
  return { text: head + lines.join(''), records: ids.length }
}

/** In units of 0.00001. Each night it differs from the night before by up to a tenth, and by one unit at least. */
function scoreOf(world: World, id: string, listed: boolean, night: number): number {
  const random = world.random(id, 'epss')
  const even = listed ? KEV_LEAST_EVEN + random.float() * (1 - KEV_LEAST_EVEN) : random.float()
  let score = Math.max(1, Math.round(EPSS_SCORE(even) * UNIT))
  for (let i = 0; i < night; i++) {
    const step = Math.max(1, Math.round(score * 0.1 * random.float()))
    score += random.chance(0.5) && score > step ? -step : step
    if (score > LARGEST) score -= 2 * step
  }
  return score
}

/** Five decimals and no trailing zeros; the smallest are written out (0.00001), as upstream does. */
function decimal(value: number): string {
  return String(Number(value.toFixed(5)))
}
