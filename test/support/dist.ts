/** Corpora and snapshots for tests: made from the sample generator's feeds, or from the real ones beside the checkout. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '../../builder/build/build.ts'
import { type Effects, realEffects } from '../../builder/effects.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { noProgress } from '../../builder/progress.ts'
import { generateSample } from '../../corpus/sample/generate.ts'

/** Effects on the real disk that say nothing. */
export const quietEffects = (): Effects => realEffects(() => {})

/** A folder for the files of a test file; `remove` goes into its `after`. */
export function temporaryFolder(name: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `vulnshelf-${name}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export interface SampleDist {
  feeds: string
  corpus: string
  dist: string
  /** Dates of the nights, ascending. */
  nights: string[]
}

/** Sample feeds of two nights, ingested as of the first and built: the second night is still to come. */
export async function sampleDist(folder: string, cves: number): Promise<SampleDist> {
  const made = { feeds: join(folder, 'feeds'), corpus: join(folder, 'corpus.db'), dist: join(folder, 'dist') }
  const { nights } = await generateSample({ feeds: made.feeds, cves, nights: 2 })
  await ingestAndBuild({ ...made, asOf: nights[0]! })
  return { ...made, nights }
}

/** One night: ingest as of a date, then build. */
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

/** The real feeds, a folder beside the checkout. */
export const REAL_FEEDS = join(import.meta.dirname, '../../../shared/feeds')

/**
 * Whether the real feeds are there. Without them the tests on them fail, and say so, unless `VULNSHELF_NO_FEEDS=1`
 * declares that they are left out on purpose.
 */
export function haveRealFeeds(): boolean {
  if (existsSync(REAL_FEEDS)) return true
  if (process.env.VULNSHELF_NO_FEEDS === '1') {
    console.log('the real feeds are not beside the checkout; tests on them are left out (VULNSHELF_NO_FEEDS=1)')
    return false
  }
  throw new Error(
    'the real feeds are not beside the checkout (../shared/feeds); VULNSHELF_NO_FEEDS=1 leaves their tests out',
  )
}
