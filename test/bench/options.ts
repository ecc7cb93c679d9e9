/** The options of `npm run bench`. */
import { Command, InvalidArgumentError } from 'commander'
import { utcDate } from '../../corpus/model/values/date.ts'
import { GROUPS } from './groups.ts'

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
}

export interface BenchOptions extends CorpusOptions {
  rounds: number
  seconds: number
  longRounds?: number
  only?: string[]
  short?: boolean
  json?: string
  plot?: string
  against?: string
  profile?: string
}

export interface SoakCommandOptions extends CorpusOptions {
  mix?: string
  minutes?: number
  share?: number
  connections?: number
  serve?: string
  json?: string
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

function nights(text: string): [string, string] {
  const [first, second, ...more] = text.split(',')
  const isNight = (day: string | undefined): day is string => day !== undefined && utcDate(day) === day
  if (!isNight(first) || !isNight(second) || more.length > 0 || first >= second) {
    throw new InvalidArgumentError('It must be two days, the earlier one first: 2024-10-26,2025-08-30.')
  }
  return [first, second]
}

function lineNames(text: string): string[] {
  const names = text.split(',')
  for (const name of names) {
    if (!Object.hasOwn(GROUPS, name.split('/')[0]!)) {
      throw new InvalidArgumentError(
        `It takes groups (${Object.keys(GROUPS).join(', ')}) and lines of them (build/full).`,
      )
    }
  }
  return names
}

const withCorpus = (command: Command): Command =>
  command
    .option('--cves <n,...>', `sizes of synthetic corpora (default: ${USUAL.cves.join()})`, sizes)
    .option('--feeds <folder>', 'measure real feeds instead')
    .option(
      '--nights <first,second>',
      'two nights of --feeds (default: the last days of the CVE list and EPSS)',
      nights,
    )
    .option('--work <folder>', 'keep feeds, corpora and snapshots for the next run')
    .option('--fresh', 'create the corpora again')
    .option('--memory <folder>', 'copy the files that servers read into a folder in memory (/dev/shm)')

export interface BenchActions {
  bench(options: BenchOptions): Promise<void>
  soak(options: SoakCommandOptions): Promise<void>
}

/** Returns the command; it passes its options to `actions`. */
export function benchCommand({ bench, soak }: BenchActions): Command {
  const groups = Object.keys(GROUPS).join(', ')
  const program = withCorpus(new Command('bench').enablePositionalOptions())
    .description('Measure the budgets. Each line alternates with its reference in the same run')
    .option('--only <names>', `measure only these groups (${groups}) or lines (build/full)`, lineNames)
    .option('--short', `take five minutes at most: ${SHORT.cves.join()} CVEs, ${SHORT.rounds} rounds`)
    .option('--rounds <n>', `number of rounds of each line (default: ${USUAL.rounds})`, whole)
    .option('--seconds <n>', `length of a round of requests, in seconds (default: ${USUAL.seconds})`, positive)
    .option(
      '--long-rounds <n>',
      'number of rounds of full ingest and build (default: that of --rounds, fewer on large corpora)',
      whole,
    )
    .option('--json <file>', 'write the figures after each line')
    .option('--plot <file>', 'plot ratios by corpus size (SVG)')
    .option('--against <checkout>', 'alternate with the programs of another checkout')
    .option('--profile <folder>', 'write CPU profiles to this folder')
    .action(async (given: Partial<BenchOptions>) => {
      await bench({ ...USUAL, ...(given.short ? SHORT : {}), ...given })
    })
  withCorpus(program.command('soak'))
    .description('Run a steady load below the capacity of its mix, with one swap of snapshots')
    .option('--mix <name>', 'mix of requests: day, people, mirrors, or a file (default: day)')
    .option('--minutes <n>', 'duration in minutes (default: 60)', positive)
    .option('--share <n>', 'share of the capacity (default: 0.7)', positive)
    .option('--connections <n>', 'number of connections (default: 64)', whole)
    .option('--serve <words>', "more options of the gateway: '--workers 2'")
    .option('--json <file>', 'write the figures after each minute')
    .action(async (given: Partial<SoakCommandOptions>) => {
      await soak({ ...USUAL, ...given })
    })
  return program
}
