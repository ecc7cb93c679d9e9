/**
 * `npm run bench`: measures the table of budgets (README.md). Each line takes turns with its reference, so that the load of the
 * machine affects both. A missed budget is a result, not a failure.
 */
import '../../corpus/command/node-version.js'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { installed, ROOT } from './build/program.ts'
import { type CorpusSource, corpusOf, lastNights, otherDistOf } from './corpora.ts'
import { soak } from './http/soak.ts'
import { type SoakReport, soakText } from './http/soak-report.ts'
import {
  type BenchOptions,
  benchCommand,
  type CorpusOptions,
  GROUPS,
  SHORT_REMARK,
  type SoakCommandOptions,
} from './options.ts'
import { type BenchContext, type BenchCorpus, isWanted } from './report/line.ts'
import { type BenchReport, commitOf, reportText, thisMachine } from './report/report.ts'

const say = (line: string) => void process.stderr.write(`${line}\n`)

async function sourcesOf({ cves, feeds, nights }: CorpusOptions): Promise<CorpusSource[]> {
  if (feeds === undefined) return cves.map((count) => ({ cves: count }))
  return [{ feeds: resolve(feeds), nights: nights ?? (await lastNights(resolve(feeds))) }]
}

interface Prepared extends Pick<BenchContext, 'root' | 'against'> {
  /** Ascending by size. */
  corpora: BenchCorpus[]
  /** Temporary folder of builds, next to the corpora. */
  builds: string
  /** Temporary folder of servers, in `--memory`. */
  servers: string
}

const SCRATCH = 'vulnshelf-bench-'

/** Prepares the programs and corpora, and runs `work` with them. */
async function withCorpora(
  options: CorpusOptions & Pick<BenchOptions, 'against'>,
  work: (prepared: Prepared) => Promise<void>,
): Promise<void> {
  const { memory, against } = options
  if (memory !== undefined && !existsSync(memory)) throw new Error(`--memory ${memory}: there is no such folder`)
  if (options.work !== undefined) mkdirSync(options.work, { recursive: true })
  const scratch = mkdtempSync(join(resolve(options.work ?? tmpdir()), SCRATCH))
  const inMemory = memory === undefined ? scratch : mkdtempSync(join(resolve(memory), SCRATCH))
  const clear = () => {
    for (const folder of [scratch, inMemory]) rmSync(folder, { recursive: true, force: true })
  }
  process.once('SIGINT', () => {
    clear()
    process.exit(130)
  })
  try {
    const making = { work: resolve(options.work ?? scratch), fresh: options.fresh ?? false, say }
    // First, because a corpus takes minutes.
    const root = installed(ROOT, join(scratch, 'package'))
    const other = against === undefined ? {} : { against: installed(resolve(against), join(scratch, 'other')) }
    const corpora: BenchCorpus[] = []
    for (const source of await sourcesOf(options)) {
      const corpus = await corpusOf(source, making)
      const { against: theirs } = other
      const served = (dist: string) => (memory === undefined ? dist : copyOf(dist, inMemory))
      const built = theirs && (await otherDistOf(corpus, { root: theirs, commit: commitOf(resolve(against!)) }, making))
      corpora.push({ ...corpus, dist: served(corpus.dist), ...(built && { otherDist: served(built) }) })
    }
    await work({ root, ...other, corpora, builds: join(scratch, 'groups'), servers: join(inMemory, 'groups') })
  } finally {
    clear()
  }
}

function copyOf(dist: string, folder: string): string {
  const copy = join(mkdtempSync(join(folder, 'corpus-')), 'dist')
  cpSync(dist, copy, { recursive: true })
  return copy
}

async function bench(options: BenchOptions): Promise<void> {
  const { json, profile, only = [], short, rounds, seconds } = options
  const began = new Date()
  // Before corpora are built, because that is a load itself.
  const machine = thisMachine()
  await withCorpora(options, async ({ builds, servers, ...prepared }) => {
    const report: BenchReport = {
      machine,
      command: process.argv.slice(2).join(' '),
      began: began.toISOString(),
      seconds: 0,
      corpora: prepared.corpora.map(({ cves, nights }) => ({
        cves,
        nights,
        feeds: options.feeds ? 'real' : 'synthetic',
      })),
      rounds,
      roundSeconds: seconds,
      lines: [],
      failures: [],
      remarks: short ? [SHORT_REMARK] : [],
    }
    /** Called after each line, so that a run that ends early loses no measurement. */
    const write = () => {
      report.seconds = (Date.now() - began.getTime()) / 1000
      if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 1)}\n`)
    }
    const profiling = profile === undefined ? {} : { profile: resolve(profile) }
    for (const name of Object.keys(GROUPS)) {
      const folder = name === 'build' ? builds : servers
      await measureGroup(name, { ...options, ...profiling, ...prepared, folder, say }, report, write)
    }
    for (const name of only) {
      if (!report.lines.some((line) => isWanted({ only: [name] }, line.name)))
        report.remarks.push(`no line is called ${name}`)
    }
    write()
    process.stdout.write(`${reportText(report)}\n`)
    if (report.failures.length > 0) process.exitCode = 1
  })
}

/** Measures the requested lines of a group. A failure is reported, and other groups still run. */
async function measureGroup(
  name: string,
  context: BenchContext,
  report: BenchReport,
  write: () => void,
): Promise<void> {
  if (!isWanted(context, name)) return
  mkdirSync(context.folder, { recursive: true })
  try {
    for await (const line of GROUPS[name]!(context)) {
      if (!isWanted(context, line.name)) continue
      say(`measured ${line.name} at ${line.cves.toLocaleString('en')} CVEs`)
      report.lines.push(line)
      write()
    }
  } catch (error) {
    say(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    report.failures.push({ group: name, message: error instanceof Error ? error.message : String(error) })
  }
  rmSync(context.folder, { recursive: true, force: true })
}

/** Runs one soak after the other for several corpora, and reports each when it ends. */
async function soakAll({ json, serve = '', ...options }: SoakCommandOptions): Promise<void> {
  await withCorpora(options, async ({ root, corpora, servers: folder }) => {
    const reports: SoakReport[] = []
    const write = (running: readonly SoakReport[]) => {
      if (json !== undefined) writeFileSync(json, `${JSON.stringify([...reports, ...running], null, 1)}\n`)
    }
    for (const corpus of corpora) {
      const onMinute = (running: SoakReport) => write([running])
      const words = serve.split(' ').filter(Boolean)
      const report = await soak({ ...options, corpus, folder, root, say, onMinute, serve: words })
      process.stdout.write(`${soakText(report)}\n`)
      reports.push(report)
      write([])
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

benchCommand({ bench, soak: soakAll })
  .parseAsync()
  .catch((error: unknown) => {
    say(`bench: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  })
