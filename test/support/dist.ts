/** Corpora and snapshots for tests, built from generated feeds or from the real feeds next to the checkout. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ingest } from '../../builder/ingest/ingest.ts'
import { build } from '../../builder/snapshot/build.ts'
import { type Effects, realEffects } from '../../corpus/command/effects.ts'
import { noProgress } from '../../corpus/command/progress.ts'
import { generateSample } from '../../corpus/sample/generate.ts'
import { type FeedFiles, putFeeds } from './feeds.ts'
import { REAL_FEEDS } from './needs.ts'

/** Effects on the real disk without output. */
export const quietEffects = (): Effects => realEffects(() => {})

const folders: string[] = []
const removeFolder = (path: string) => rmSync(path, { recursive: true, force: true })
process.on('exit', () => folders.forEach(removeFolder))

/** Creates a folder for the files of a test file. Call `remove` in `after`; what stays is removed when the process ends. */
export function temporaryFolder(name: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `vulnshelf-${name}-`))
  folders.push(path)
  return { path, remove: () => removeFolder(path) }
}

export interface SampleDist {
  feeds: string
  corpus: string
  dist: string
  /** Dates of the nights, ascending. */
  nights: string[]
}

/** Generates feeds of two nights, ingests the first and builds it. */
export function sampleDist(folder: string, cves: number): Promise<SampleDist> {
  return madeOnce(`sample-${cves}`, folder, async (made) => {
    const { nights } = await generateSample({ feeds: made.feeds, cves, nights: 2 })
    await ingestAndBuild({ ...made, asOf: nights[0]! })
    return nights
  })
}

/**
 * Like `sampleDist`, with the second night ingested and built on the first. `change` changes the feeds of the second
 * night; its name says which sample this is.
 */
export function sampleOfTwoNights(
  folder: string,
  cves: number,
  change?: (sample: SampleDist) => void,
): Promise<SampleDist> {
  return madeOnce(`nights-${cves}-${change?.name ?? 'sample'}`, folder, async (_, path) => {
    const sample = await sampleDist(path, cves)
    change?.(sample)
    await ingestAndBuild({ ...sample, asOf: sample.nights[1]! })
    return sample.nights
  })
}

/** Ingests and builds all real feeds. */
export async function realDist(folder: string): Promise<Pick<SampleDist, 'corpus' | 'dist'>> {
  return madeOnce('real', folder, async ({ corpus, dist }) => {
    await ingestAndBuild({ feeds: REAL_FEEDS, corpus, dist, jobs: 2 })
    return []
  })
}

/** Ingests and builds feeds that a test has written. */
export function distOf(folder: string, files: FeedFiles): Promise<SampleDist> {
  const digest = createHash('sha256')
  for (const [name, content] of Object.entries(files))
    digest.update(`${name}\0${content?.length}\0`).update(content ?? '')
  return madeOnce(`feeds-${digest.digest('hex')}`, folder, async (made) => {
    putFeeds(made.feeds, files)
    await ingestAndBuild(made)
    return []
  })
}

/**
 * Builds data in `folder`, or copies it if another test file of the same run built it: many tests use the same sample.
 * `test/run.ts` sets the cache folder (`VULNSHELF_TEST_CACHE`). Without the variable, everything is built again.
 */
async function madeOnce(
  name: string,
  folder: string,
  make: (made: Omit<SampleDist, 'nights'>, path: string) => Promise<string[]>,
): Promise<SampleDist> {
  const within = (path: string) => ({
    feeds: join(path, 'feeds'),
    corpus: join(path, 'corpus.db'),
    dist: join(path, 'dist'),
  })
  const cache = process.env.VULNSHELF_TEST_CACHE
  if (cache === undefined) return { ...within(folder), nights: await make(within(folder), folder) }
  const kept = join(cache, name)
  const nightsFile = 'nights.json'
  if (!existsSync(kept)) {
    const own = `${kept}.${process.pid}`
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, nightsFile), JSON.stringify(await make(within(own), own)))
    activate(own, kept)
  }
  for (const part of ['feeds', 'corpus.db', 'dist']) {
    if (existsSync(join(kept, part))) cpSync(join(kept, part), join(folder, part), { recursive: true })
  }
  return { ...within(folder), nights: JSON.parse(readFileSync(join(kept, nightsFile), 'utf8')) as string[] }
}

/** If another file built the same meanwhile, its result stays. */
function activate(own: string, kept: string): void {
  try {
    renameSync(own, kept)
  } catch (error) {
    if (!existsSync(kept)) throw error
    rmSync(own, { recursive: true })
  }
}

/**
 * Returns copies of one `dist` after each of some nights of a sample, each built on the previous one. `after` changes
 * the folder before the copy, for example signs it.
 */
export async function distOfEachNight(
  folder: string,
  { cves, nights, after = async () => {} }: { cves: number; nights: number; after?(dist: string): Promise<unknown> },
): Promise<string[]> {
  const at = (name: string) => join(folder, name)
  const made = await generateSample({ feeds: at('feeds'), cves, nights })
  const dists: string[] = []
  for (const [i, asOf] of made.nights.entries()) {
    await ingestAndBuild({ feeds: at('feeds'), corpus: at('corpus.db'), dist: at('dist'), asOf })
    await after(at('dist'))
    cpSync(at('dist'), at(`night-${i}`), { recursive: true })
    dists.push(at(`night-${i}`))
  }
  return dists
}

/** Runs one night: ingest as of a date, then build. */
export async function ingestAndBuild(options: {
  feeds: string
  corpus: string
  dist: string
  asOf?: string
  jobs?: number
}) {
  const { feeds, corpus, dist, asOf, jobs = 0 } = options
  await ingest(asOf === undefined ? { feeds, corpus } : { feeds, corpus, asOf }, quietEffects())
  return build({ corpus, dist, jobs }, quietEffects(), noProgress)
}
