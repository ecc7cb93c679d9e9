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
  '--short: growth, and what only full size shows (caches, memory, long builds), is left out; few and short rounds scatter'

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
    .option('--feeds <folder>', 'measure on these feeds instead')
    .option(
      '--nights <first,second>',
      'two nights of --feeds (default: the last days of the CVE list and EPSS)',
      nights,
    )
    .option('--work <folder>', 'keep the corpora there for the next run')
    .option('--fresh', 'make the corpora anew')
    .option('--memory <folder>', 'keep what servers read there meanwhile: a file system in memory (/dev/shm)')

export interface BenchActions {
  bench(options: BenchOptions): Promise<void>
  soak(options: SoakCommandOptions): Promise<void>
}

/** Returns the command; it passes its options to `actions`. */
export function benchCommand({ bench, soak }: BenchActions): Command {
  const groups = Object.keys(GROUPS).join(', ')
  const program = withCorpus(new Command('bench').enablePositionalOptions())
    .description('Measure the budgets: each line in turn with its reference, in the same run')
    .option('--only <names>', `some groups (${groups}) or lines (build/full)`, lineNames)
    .option('--short', `five minutes at most: ${SHORT.cves.join()} CVEs, ${SHORT.rounds} rounds`)
    .option('--rounds <n>', `rounds of each line (default: ${USUAL.rounds})`, whole)
    .option('--seconds <n>', `length of a round of requests (default: ${USUAL.seconds})`, positive)
    .option(
      '--long-rounds <n>',
      'rounds of full ingest and build (default: as --rounds, fewer on large corpora)',
      whole,
    )
    .option('--json <file>', 'write the figures there')
    .option('--plot <file>', 'draw them over the size of the corpus (SVG)')
    .option('--against <checkout>', 'let the programs of another checkout take turns with these')
    .option('--profile <folder>', 'write CPU profiles of what is measured there')
    .action(async (given: Partial<BenchOptions>) => {
      await bench({ ...USUAL, ...(given.short ? SHORT : {}), ...given })
    })
  withCorpus(program.command('soak'))
    .description('a steady load below the capacity of its mix, with a swap of snapshots in it')
    .option('--mix <name>', 'the requests: day, people, mirrors, or a file (default: day)')
    .option('--minutes <n>', 'how long (default: 60)', positive)
    .option('--share <n>', 'of the capacity (default: 0.7)', positive)
    .option('--connections <n>', 'connections of the load (default: 64)', whole)
    .option('--serve <words>', "further words of the gateway's command: '--workers 2'")
    .option('--json <file>', 'write the figures there, after each minute')
    .action(async (given: Partial<SoakCommandOptions>) => {
      await soak({ ...USUAL, ...given })
    })
  return program
}
