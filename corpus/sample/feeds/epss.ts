/** Writes EPSS: a gzipped CSV per night with every published CVE. Scores change a little each night. */
import { nightDate } from '../calendar.ts'
import { EPSS_SCORE } from '../figures.ts'
import { textFile } from '../text-file.ts'
import { type Facts, stateAt, type World } from '../world.ts'
import type { FeedFolder, SampleFeed, WrittenFile } from './feed.ts'

const MODEL = 'v2025.03.14'
/** Scores have five decimals. */
const UNIT = 100_000
const LARGEST = 94_582
/** Exploited CVEs are in the upper tenth. */
const KEV_LEAST_EVEN = 0.9

interface Night {
  records: number
  /** Number of CVEs with at most this score, by score. Percentiles are computed from it. */
  atMost: Uint32Array
}

export const epss: SampleFeed = {
  name: 'epss',
  write: async (world, folder) => {
    // A percentile needs all scores. They are counted first and generated again, which saves memory.
    const nights = countedScores(world)
    const outputs = []
    for (let night = 0; night < world.nights; night++) outputs.push(await open(folder, night))
    for (let index = 0; index < world.records; index++) {
      const facts = world.facts(index)
      for (const [night, score] of scoresOf(world, facts).entries()) {
        if (stateAt(facts, night) !== 'PUBLISHED') continue
        const { atMost, records } = nights[night]!
        await outputs[night]!.file.write(`${facts.id},${score / UNIT},${decimal(atMost[score]! / records)}\n`)
      }
    }
    const files: WrittenFile[] = []
    for (const [night, { path, file }] of outputs.entries()) {
      files.push({ path: folder.named(path), records: nights[night]!.records, bytes: await file.end() })
    }
    return files
  },
}

async function open(folder: FeedFolder, night: number) {
  const path = `epss_scores-${nightDate(night)}.csv.gz`
  const file = await textFile(await folder.create(path), true)
  await file.write(`#model_version:${MODEL},score_date:${nightDate(night)}T12:55:00Z\ncve,epss,percentile\n`)
  return { path, file }
}

function countedScores(world: World): Night[] {
  const nights = Array.from({ length: world.nights }, (): Night => ({ records: 0, atMost: new Uint32Array(UNIT + 1) }))
  for (let index = 0; index < world.records; index++) {
    const facts = world.facts(index)
    for (const [night, score] of scoresOf(world, facts).entries()) {
      if (stateAt(facts, night) !== 'PUBLISHED') continue
      nights[night]!.records++
      nights[night]!.atMost[score]!++
    }
  }
  for (const { atMost } of nights) {
    for (let score = 1; score <= UNIT; score++) atMost[score]! += atMost[score - 1]!
  }
  return nights
}

/** Returns scores by night, in units of 0.00001. Each differs from the previous one by 1 unit or up to a tenth. */
function scoresOf(world: World, facts: Facts): number[] {
  const random = world.random(facts.id, 'epss')
  const even = random.float()
  const position = facts.kevNight >= 0 ? KEV_LEAST_EVEN + even * (1 - KEV_LEAST_EVEN) : even
  let score = Math.max(1, Math.round(EPSS_SCORE(position) * UNIT))
  const scores = [score]
  while (scores.length < world.nights) {
    const step = Math.max(1, Math.round(score * 0.1 * random.float()))
    score += random.chance(0.5) && score > step ? -step : step
    if (score > LARGEST) score -= 2 * step
    scores.push(score)
  }
  return scores
}

/** Returns five decimals without trailing zeros. Small values have no exponent (0.00001), as upstream. */
function decimal(value: number): string {
  return String(Number(value.toFixed(5)))
}
