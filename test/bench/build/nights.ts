/** Runs two nights with the commands, as an operator does: a full first night, then the second on it. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildReport } from '../../../builder/snapshot/build.ts'
import type { BenchCorpus } from '../report/line.ts'
import { type ProgramOptions, type Run, runProgram } from './program.ts'

export interface Night {
  ingest: Run
  build: Run
  report: BuildReport
}

export interface Nights {
  /** The first night, from nothing. */
  full: Night
  /** The second night, on the first. */
  after: Night
}

export const secondsOf = ({ ingest, build }: Night): number => ingest.seconds + build.seconds
export const cpuSecondsOf = ({ ingest, build }: Night): number => ingest.cpuSeconds + build.cpuSeconds
/** The higher of the two peaks: they run one after the other. */
export const peakBytesOf = ({ ingest, build }: Night): number => Math.max(ingest.peakBytes, build.peakBytes)

/** The folders of a corpus and its builds. */
export interface NightFolders {
  corpus: string
  dist: string
}

const PROGRAM = 'builder/bin.js'

export async function runNight(
  feeds: string,
  night: string,
  { corpus, dist }: NightFolders,
  options: ProgramOptions,
): Promise<Night> {
  const ingest = await runProgram(PROGRAM, ['ingest', feeds, '--corpus', corpus, '--as-of', night], options)
  const build = await runProgram(PROGRAM, ['build', '--corpus', corpus, '--out', dist, '--json'], options)
  return { ingest, build, report: JSON.parse(build.output) as BuildReport }
}

/** Runs both nights in a temporary folder. */
export async function runNights(
  { feeds, nights: [first, second] }: BenchCorpus,
  options: ProgramOptions,
): Promise<Nights> {
  const folder = join(options.folder, 'nights')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    const positions = { corpus: join(folder, 'corpus.db'), dist: join(folder, 'dist') }
    const full = await runNight(feeds, first, positions, { ...options, folder })
    return { full, after: await runNight(feeds, second, positions, { ...options, folder }) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
