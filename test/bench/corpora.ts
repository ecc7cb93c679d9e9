/**
 * The measured corpora. The commands create them: sample (or real feeds), and two nights of ingest and build. They stay
 * in the work folder for the next run. `made.json`, written last, marks a complete corpus and its origin:
 *
 *     cves-13000/{feeds/,corpus.db,dist/,other/<commit>/,made.json}
 *     feeds-<name>/{corpus.db,dist/,made.json}
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { chooseFiles } from '../../corpus/feeds/files/choice.ts'
import { FEEDS, type FeedName } from '../../corpus/feeds/table.ts'
import { type NightFolders, runNight } from './build/nights.ts'
import { runProgram } from './build/program.ts'
import type { BenchCorpus } from './report/line.ts'
import { commitOf } from './report/report.ts'

/** The source of a corpus: a number of synthetic CVEs, or a folder of feeds and two of its nights. */
export type CorpusSource = { cves: number } | { feeds: string; nights: [first: string, second: string] }

interface Made {
  source: CorpusSource
  /** Commit of the checkout that built it. */
  commit: string
  /** Records in its second snapshot. */
  cves: number
  nights: [first: string, second: string]
}

export interface Making {
  work: string
  /** Builds them again, even if they exist. */
  fresh: boolean
  say(line: string): void
}

/**
 * Returns a stored corpus, or builds it if it is incomplete.
 * @throws Error if a command fails
 */
export async function corpusOf(source: CorpusSource, making: Making): Promise<BenchCorpus> {
  const name = 'cves' in source ? `cves-${source.cves}` : `feeds-${basename(resolve(source.feeds))}`
  const folder = join(making.work, name)
  const positions = { corpus: join(folder, 'corpus.db'), dist: join(folder, 'dist') }
  const feeds = 'feeds' in source ? source.feeds : join(folder, 'feeds')
  const marker = join(folder, 'made.json')
  let made = kept(marker, source, making)
  if (made === null) {
    made = await make(folder, feeds, positions, source, making)
    const staged = `${marker}.new`
    writeFileSync(staged, `${JSON.stringify(made, null, 1)}\n`)
    renameSync(staged, marker)
  }
  return { cves: 'feeds' in source ? made.cves : source.cves, feeds, nights: made.nights, ...positions }
}

/**
 * Returns the `dist` that the programs in `root` build from the feeds of a corpus. `commit` names them.
 * @throws Error if a command fails
 */
export async function otherDistOf(
  { feeds, nights, corpus }: BenchCorpus,
  { root, commit }: { root: string; commit: string },
  { fresh, say }: Making,
): Promise<string> {
  const folder = join(dirname(corpus), 'other', commit)
  const marker = join(folder, 'complete')
  const positions = { corpus: join(folder, 'corpus.db'), dist: join(folder, 'dist') }
  if (!fresh && existsSync(marker)) return positions.dist
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const night of nights) {
    say(`${folder}: ingest and build as of ${night} by ${commit}`)
    await runNight(feeds, night, positions, { folder, root })
  }
  rmSync(positions.corpus, { force: true })
  writeFileSync(marker, '')
  return positions.dist
}

/** Returns the description of a complete corpus from the same source, or null. */
function kept(marker: string, source: CorpusSource, { fresh, say }: Making): Made | null {
  if (fresh || !existsSync(marker)) return null
  const made = JSON.parse(readFileSync(marker, 'utf8')) as Made
  if (JSON.stringify(made.source) !== JSON.stringify(source)) return null
  const now = commitOf()
  const hint = made.commit === now ? '' : ` (this is ${now}; --fresh creates it again)`
  say(`${dirname(marker)}: kept, made by ${made.commit}${hint}`)
  return made
}

async function make(
  folder: string,
  feeds: string,
  positions: NightFolders,
  source: CorpusSource,
  { say }: Making,
): Promise<Made> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  if ('cves' in source) {
    say(`${folder}: writing ${source.cves.toLocaleString('en')} synthetic CVEs`)
    await runProgram('builder/bin.js', ['sample', feeds, '--cves', `${source.cves}`, '--nights', '2'], { folder })
  }
  const nights = 'feeds' in source ? source.nights : await lastNights(feeds)
  let cves = 0
  for (const night of nights) {
    say(`${folder}: ingest and build as of ${night}`)
    const { report } = await runNight(feeds, night, positions, { folder })
    cves = report.counts.cves!
  }
  return { source, commit: commitOf(), cves, nights }
}

/**
 * Returns the last two days with a new CVE list or EPSS file and an existing CVE list.
 * @throws Error if there are fewer than two
 */
export async function lastNights(feeds: string): Promise<[first: string, second: string]> {
  const filesOf = (name: FeedName) => FEEDS.find((feed) => feed.name === name)!.find(feeds)
  const [cveList, epss] = [await filesOf('cvelist'), await filesOf('epss')]
  const days = [...cveList, ...epss].flatMap(({ date }) => (date === null ? [] : [date.slice(0, 10)])).sort()
  const [first, second] = [...new Set(days)].filter((day) => chooseFiles(cveList, day).length > 0).slice(-2)
  if (first === undefined || second === undefined) throw new Error(`${feeds} has no two nights to be measured`)
  return [first, second]
}
