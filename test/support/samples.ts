/** Corpora and snapshots of generated and of real feeds. A run makes each once; tests open them in place. */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type IngestReport, ingest } from '../../builder/ingest/ingest.ts'
import { type BuildReport, build } from '../../builder/snapshot/build.ts'
import { noProgress } from '../../corpus/command/progress.ts'
import { generateSample } from '../../corpus/sample/generate.ts'
import { linkFeeds, SMALL_FEEDS } from '../real/feeds-folder.ts'
import { ingestAndBuild, quietEffects } from './dist.ts'
import { type FeedFiles, putFeeds } from './feeds.ts'
import { addHostileRecords } from './hostile-records.ts'
import { madeOnce } from './made-once.ts'
import { REAL_FEEDS, REAL_PACKAGES } from './needs.ts'
import { addOddRecords } from './odd-records.ts'

export interface SampleDist {
  feeds: string
  corpus: string
  dist: string
  /** Dates of the nights, ascending. */
  nights: string[]
}

/**
 * `small` is built as of the first of its two nights, for tests that build the second; the others as of the second.
 * `usual` has odd and hostile records, which the generator does not make; `plain` is the same without them.
 */
const SAMPLES = {
  small: { cves: 60, built: 1 },
  usual: { cves: 400, built: 2 },
  plain: { cves: 400, built: 2 },
  large: { cves: 2000, built: 2 },
}
export type SampleName = keyof typeof SAMPLES

/** Returns a sample that the test files of a run share. They only read it. */
export async function sharedSample(name: SampleName): Promise<SampleDist> {
  const { cves, built } = SAMPLES[name]
  return sampleIn(
    await madeOnce(name, async (folder) => {
      const made = pathsIn(folder)
      const { nights } = await generateSample({ feeds: made.feeds, cves, nights: 2 })
      if (name === 'usual') for (const add of [addOddRecords, addHostileRecords]) add(made.feeds, nights[1]!)
      for (const asOf of nights.slice(0, built)) await ingestAndBuild({ ...made, asOf })
      writeNights(folder, nights)
    }),
  )
}

/** Returns a copy in `folder` of a sample, which the test may change. */
export async function ownSample(name: SampleName, folder: string): Promise<SampleDist> {
  return copyOf(await sharedSample(name), folder)
}

/** Returns a sample that is built in `folder`, as of the first night. */
export async function ownFirstNight(name: SampleName, folder: string): Promise<SampleDist> {
  const { feeds, nights } = await sharedSample(name)
  const made = { ...pathsIn(folder), feeds, nights }
  await ingestAndBuild({ ...made, asOf: nights[0]! })
  return made
}

const NIGHTS = ['first', 'second', 'third', 'fourth'] as const
export type Nights = Record<(typeof NIGHTS)[number], string>

/** Returns the `dist` of a small sample after each of four nights, built one upon the other. Tests only read them. */
export async function sampleNights(): Promise<Nights & Pick<SampleDist, 'feeds'>> {
  const folder = await madeOnce('nights', async (folder) => {
    const made = pathsIn(folder)
    const { nights } = await generateSample({ feeds: made.feeds, cves: SAMPLES.small.cves, nights: NIGHTS.length })
    for (const [i, asOf] of nights.entries()) {
      await ingestAndBuild({ ...made, asOf })
      cpSync(made.dist, join(folder, NIGHTS[i]!), { recursive: true })
    }
  })
  const dists = NIGHTS.map((night) => [night, join(folder, night)])
  return { ...(Object.fromEntries(dists) as Nights), feeds: pathsIn(folder).feeds }
}

/** Returns copies in `folder` of the nights, each changed by `change`, for example signed. */
export async function ownNights(folder: string, change: (dist: string) => Promise<unknown>): Promise<Nights> {
  const nights = await sampleNights()
  for (const night of NIGHTS) {
    cpSync(nights[night], join(folder, night), { recursive: true })
    await change(join(folder, night))
  }
  return Object.fromEntries(NIGHTS.map((night) => [night, join(folder, night)])) as Nights
}

interface RealDist extends Pick<SampleDist, 'corpus' | 'dist'> {
  ingested: IngestReport
  built: BuildReport
}

/**
 * Returns the corpus and the `dist` of all real feeds, and the reports. `.ci/run` makes them before the tests, with the
 * commands. Tests only read them.
 */
export async function realDist(): Promise<RealDist> {
  const folder = process.env.VULNSHELF_TEST_REAL ?? (await madeOnce('real', makeReal))
  const reportOf = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
  return { ...pathsIn(folder), ingested: reportOf('ingest'), built: reportOf('build') }
}

async function makeReal(folder: string): Promise<void> {
  const { corpus, dist } = pathsIn(folder)
  const ingested = await ingest({ feeds: REAL_FEEDS, corpus }, quietEffects())
  const built = await build({ corpus, dist, jobs: 2 }, quietEffects(), noProgress)
  writeFileSync(join(folder, 'ingest.json'), JSON.stringify(ingested))
  writeFileSync(join(folder, 'build.json'), JSON.stringify(built))
}

/** The days of the editions of the CVE list among the real feeds. */
const REAL_NIGHTS = ['2024-06-30', '2024-09-30', '2024-10-24']

export interface RealNight extends Pick<RealDist, 'corpus' | 'dist' | 'ingested'> {
  date: string
}

/** Returns corpus and `dist` of all real feeds after each of three nights, built one upon the other. Tests only read them. */
export async function realNights(): Promise<RealNight[]> {
  const folder = await madeOnce('real-nights', async (folder) => {
    const { corpus, dist } = pathsIn(folder)
    for (const asOf of REAL_NIGHTS) {
      const ingested = await ingest({ feeds: REAL_FEEDS, corpus, asOf }, quietEffects())
      await build({ corpus, dist, jobs: 2 }, quietEffects(), noProgress)
      const night = join(folder, asOf)
      cpSync(dist, pathsIn(night).dist, { recursive: true })
      cpSync(corpus, pathsIn(night).corpus)
      writeFileSync(join(night, 'ingest.json'), JSON.stringify(ingested))
    }
  })
  return REAL_NIGHTS.map((date) => {
    const night = join(folder, date)
    const { corpus, dist } = pathsIn(night)
    return { date, corpus, dist, ingested: JSON.parse(readFileSync(join(night, 'ingest.json'), 'utf8')) }
  })
}

/** Exports of the ecosystems whose clients ask the gateway, and a small edition of the CVE list. */
export const REAL_EXPORTS = ['npm', 'PyPI', 'Packagist'].map((name) => `osv/${name}/all.zip`)
const SMALL_LIST = 'cvelistv5/2024-06-30_all_CVEs.zip'

/** Returns the `dist` of these exports. Tests only read it. */
export async function realPackages(): Promise<string> {
  const folder = await madeOnce('real-packages', async (folder) => {
    const { feeds, corpus, dist } = pathsIn(folder)
    linkFeeds(feeds, [...SMALL_FEEDS, SMALL_LIST])
    linkFeeds(feeds, REAL_EXPORTS, REAL_PACKAGES)
    await ingestAndBuild({ feeds, corpus, dist, jobs: 2 })
  })
  return pathsIn(folder).dist
}

/** Ingests and builds feeds that a test has written, and returns its own copy of them. */
export async function distOf(folder: string, files: FeedFiles): Promise<SampleDist> {
  const digest = createHash('sha256')
  for (const [name, content] of Object.entries(files))
    digest.update(`${name}\0${content?.length}\0`).update(content ?? '')
  const made = await madeOnce(`feeds-${digest.digest('hex')}`, async (folder) => {
    const { feeds, corpus, dist } = pathsIn(folder)
    putFeeds(feeds, files)
    await ingestAndBuild({ feeds, corpus, dist })
    writeNights(folder, [])
  })
  return copyOf(sampleIn(made), folder)
}

const pathsIn = (folder: string) => ({
  feeds: join(folder, 'feeds'),
  corpus: join(folder, 'corpus.db'),
  dist: join(folder, 'dist'),
})
const nightsFile = (folder: string) => join(folder, 'nights.json')
const writeNights = (folder: string, nights: readonly string[]) =>
  writeFileSync(nightsFile(folder), JSON.stringify(nights))
const sampleIn = (folder: string): SampleDist => ({
  ...pathsIn(folder),
  nights: JSON.parse(readFileSync(nightsFile(folder), 'utf8')) as string[],
})

function copyOf(made: SampleDist, folder: string): SampleDist {
  const own = { ...pathsIn(folder), nights: made.nights }
  mkdirSync(folder, { recursive: true })
  for (const part of ['feeds', 'corpus', 'dist'] as const) cpSync(made[part], own[part], { recursive: true })
  return own
}
