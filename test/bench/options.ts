/** The options of `npm run bench`, and its groups of lines. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { utcDate } from '../../corpus/model/values/date.ts'
import { alternativeLines } from './alternatives/lines.ts'
import { planLines } from './alternatives/plans.ts'
import { buildLines } from './build/build.ts'
import { compatLines } from './compat/bulk.ts'
import { growthLines } from './growth.ts'
import { processLines } from './http/footprint.ts'
import { fuzzLines } from './http/fuzz.ts'
import { httpLines } from './http/http.ts'
import { MIXES, type MixName } from './http/mix.ts'
import { stallLines } from './http/stall.ts'
import type { BenchGroup } from './report/line.ts'

/** The groups by the first part of their lines' names, in the order of measurement. */
export const GROUPS: Readonly<Record<string, BenchGroup>> = {
  build: buildLines,
  http: httpLines,
  compat: compatLines,
  stall: stallLines,
  process: processLines,
  plans: planLines,
  alternatives: alternativeLines,
  growth: growthLines,
  fuzz: fuzzLines,
}

/** The measured corpora. */
export interface CorpusOptions {
  /** Sizes of synthetic corpora, ascending. */
  cves: number[]
  /** Real feeds instead. */
  feeds?: string
  nights?: [first: string, second: string]
  work?: string
  fresh?: boolean
  /** A folder in memory for the files that servers read. */
  memory?: string
  json?: string
}

export interface BenchOptions extends CorpusOptions {
  rounds: number
  seconds: number
  longRounds?: number
  only?: string[]
  short?: boolean
  against?: string
  profile?: string
}

export interface SoakCommandOptions extends CorpusOptions {
  mix: MixName
  minutes: number
  share: number
  connections: number
  serve?: string
}

const USUAL = { cves: [13_000], rounds: 5, seconds: 0.8 }
const SHORT = { cves: [10_000], rounds: 3, seconds: 0.3, longRounds: 2 }

/** What a short run omits. */
export const SHORT_REMARK =
  '--short: omits growth and the effects of full size (caches, memory, long builds); figures of few, short rounds vary widely'

const positive = (text: string) => {
  const number = Number(text)
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number above 0.')
  return number
}

const whole = (text: string) => {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.')
  return Number(text)
}

const sizes = (text: string) => [...new Set(text.split(',').map(whole))].sort((a, b) => a - b)

function nights(text: string): string[] {
  const days = text.split(',')
  if (days.length === 2 && days.every((day) => utcDate(day) === day) && days[0]! < days[1]!) return days
  throw new InvalidArgumentError('It must be two days, the earlier one first: 2024-10-26,2025-08-30.')
}

const GROUP_NAMES = Object.keys(GROUPS).join(', ')

function lineNames(text: string): string[] {
  const names = text.split(',')
  if (names.every((name) => Object.hasOwn(GROUPS, name.split('/')[0]!))) return names
  throw new InvalidArgumentError(`It takes groups (${GROUP_NAMES}) and lines of them (build/full).`)
}

const withCorpus = (command: Command): Command =>
  command
    .option('--cves <n,...>', `sizes of synthetic corpora (default: ${USUAL.cves})`, sizes)
    .option('--feeds <folder>', 'measure real feeds instead')
    .option(
      '--nights <first,second>',
      'two nights of --feeds (default: the last days of the CVE list and EPSS)',
      nights,
    )
    .option('--work <folder>', 'keep feeds, corpora and snapshots for the next run')
    .option('--fresh', 'create the corpora again')
    .option('--memory <folder>', 'copy the files that servers read into a folder in memory (/dev/shm)')
    .option('--json <file>', 'write the figures after each line, of a soak after each minute')

type Action<T> = (options: T) => Promise<void>

/** Returns the command; it passes its options to the actions. */
export function benchCommand(actions: { bench: Action<BenchOptions>; soak: Action<SoakCommandOptions> }): Command {
  const { bench, soak } = actions
  const program = withCorpus(new Command('bench').enablePositionalOptions())
    .description('Measure the budgets. Each line alternates with its reference in the same run')
    .option('--only <names>', `measure only these groups (${GROUP_NAMES}) or lines (build/full)`, lineNames)
    .option('--short', `take five minutes at most: ${SHORT.cves} CVEs, ${SHORT.rounds} rounds`)
    .option('--rounds <n>', `number of rounds of each line (default: ${USUAL.rounds})`, whole)
    .option('--seconds <n>', `length of a round of requests, in seconds (default: ${USUAL.seconds})`, positive)
    .option('--long-rounds <n>', 'rounds of full ingest and build (default: --rounds, fewer on large corpora)', whole)
    .option('--against <checkout>', 'alternate with the programs of another checkout')
    .option('--profile <folder>', 'write CPU profiles to this folder')
    .action((given: Partial<BenchOptions>) => bench({ ...USUAL, ...(given.short ? SHORT : {}), ...given }))
  withCorpus(program.command('soak'))
    .description('Run a steady load below the capacity of its mix, with one swap of snapshots')
    .addOption(new Option('--mix <name>', 'mix of requests').choices(Object.keys(MIXES)).default('day'))
    .option('--minutes <n>', 'duration in minutes', positive, 60)
    .option('--share <n>', 'share of the capacity', positive, 0.7)
    .option('--connections <n>', 'number of connections', whole, 64)
    .option('--serve <words>', "more options of the gateway: '--workers 2'")
    .action((given: Omit<SoakCommandOptions, 'cves'>) => soak({ ...USUAL, ...given }))
  return program
}
