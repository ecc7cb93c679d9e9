/**
 * The law of growth by CPU time (test/growth/law.ts): also the work that has no blocks to count, such as a regular
 * expression. Each input is measured at one, two and four times its size.
 */
import { join } from 'node:path'
import { generateSample } from '../../corpus/sample/generate.ts'
import { growingFeeds } from '../growth/growing-feeds.ts'
import { type Growth, growthOf, inputsOf, MOST_GROWTH } from '../growth/law.ts'
import type { OpenSubjects } from '../growth/subject.ts'
import { open as feeds } from '../growth/subjects/feeds.ts'
import { open as lockFiles } from '../growth/subjects/lock-files.ts'
import { ROUTE_SIZES, open as routes } from '../growth/subjects/routes.ts'
import { open as versions } from '../growth/subjects/versions.ts'
import { ingestAndBuild } from '../support/dist.ts'
import { putFeeds } from '../support/feeds.ts'
import { type BenchContext, type BenchGroup, isWanted, lineOf } from './report/line.ts'

interface GrowthLine {
  name: string
  title: string
  open: OpenSubjects
  /** Returns what `open` gets, in a folder. */
  given?(folder: string): Promise<string[]>
}

const LINES: readonly GrowthLine[] = [
  { name: 'growth/versions', title: 'comparing two versions of an ecosystem', open: versions },
  { name: 'growth/lock-files', title: 'reading a lock file or SBOM', open: lockFiles },
  { name: 'growth/feeds', title: 'reading a feed', open: feeds, given: sampleFeeds },
  { name: 'growth/routes', title: 'answering a request', open: routes, given: grownSnapshots },
]

async function sampleFeeds(folder: string): Promise<string[]> {
  const feeds = join(folder, 'feeds')
  await generateSample({ feeds, cves: 60, nights: 2 })
  return [feeds, folder]
}

async function grownSnapshots(folder: string): Promise<string[]> {
  const dists: string[] = []
  for (const n of ROUTE_SIZES) {
    const [feeds, corpus, dist] = ['feeds', 'corpus.db', 'dist'].map((name) => join(folder, `${n}`, name)) as [
      string,
      string,
      string,
    ]
    putFeeds(feeds, growingFeeds(n))
    await ingestAndBuild({ feeds, corpus, dist })
    dists.push(dist)
  }
  return dists
}

export const growthLines: BenchGroup = async function* (context) {
  for (const line of LINES) {
    if (!isWanted(context, line.name)) continue
    context.say(`${line.name}: ${line.title}, of input that doubles`)
    yield await measured(line, context)
  }
}

async function measured({ name, title, open, given }: GrowthLine, context: BenchContext) {
  const { subjects, close } = await open(...((await given?.(join(context.folder, name))) ?? []))
  let worst: Growth | null = null
  let inputs = 0
  for (const subject of subjects) {
    for (const input of inputsOf(subject)) {
      let growth = await growthOf(input, subject.size, cpuOf)
      // A collection of garbage costs as much as a short input.
      if (growth.ratio >= MOST_GROWTH) growth = smaller(growth, await growthOf(input, subject.size, cpuOf))
      inputs++
      if (worst === null || growth.ratio > worst.ratio) worst = growth
    }
  }
  await close?.()
  const { name: input, costs, ratio } = worst!
  const [one, two, four] = costs
  context.say(`${name}: ${input} grows most`)
  const further = four === undefined ? {} : { 'CPU ms of four times': four }
  const details = { inputs, 'CPU ms': one, 'CPU ms of twice': two, ...further }
  const what = `${title}: growth of the worst of all inputs when it doubles`
  return lineOf({
    name,
    title: what,
    cves: 0,
    unit: 'times',
    figure: ratio,
    budget: { of: 'figure', most: MOST_GROWTH },
    details,
  })
}

const smaller = (a: Growth, b: Growth): Growth => (a.ratio <= b.ratio ? a : b)

const BEST_OF = 5
/** Shorter work is repeated. */
const LEAST_MS = 2

/** Returns the CPU time of some work in milliseconds: the best of five. */
async function cpuOf(work: () => unknown): Promise<number> {
  const once = await msOf(work, 1)
  const times = Math.ceil(Math.min(10_000, LEAST_MS / Math.max(once, 1e-3)))
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < BEST_OF; round++) best = Math.min(best, await msOf(work, times))
  return best
}

async function msOf(work: () => unknown, times: number): Promise<number> {
  const began = process.cpuUsage()
  for (let i = 0; i < times; i++) await work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000 / times
}
