/**
 * `npm run bench`: DESIGN's table of budgets, measured. Every line takes turns with what it is held against, because
 * machines differ and whatever else one does should meet both. A missed budget is a result, not a failure.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type CorpusSource, corpusOf, lastNights } from './corpora.ts'
import { GROUPS } from './groups.ts'
import { type BenchOptions, benchCommand, SHORT_REMARK } from './options.ts'
import { type BenchContext, type BenchCorpus, isWanted } from './report/line.ts'
import { thisMachine } from './report/machine.ts'
import { plot } from './report/plot.ts'
import { type BenchReport, reportText } from './report/report.ts'

const say = (line: string) => void process.stderr.write(`${line}\n`)

async function sourcesOf({ cves, feeds, nights }: BenchOptions): Promise<CorpusSource[]> {
  if (feeds === undefined) return cves.map((count) => ({ cves: count }))
  return [{ feeds: resolve(feeds), nights: nights ?? (await lastNights(resolve(feeds))) }]
}

async function bench(options: BenchOptions): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'vulnshelf-bench-'))
  process.once('SIGINT', () => {
    rmSync(scratch, { recursive: true, force: true })
    process.exit(130)
  })
  try {
    const report = await measure(options, scratch)
    process.stdout.write(`${reportText(report)}\n`)
    if (report.failures.length > 0) process.exitCode = 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function measure(options: BenchOptions, scratch: string): Promise<BenchReport> {
  const { rounds, seconds, only, longRounds, against, profile, short } = options
  const began = new Date()
  const machine = thisMachine()
  const work = resolve(options.work ?? scratch)
  const corpora: BenchCorpus[] = []
  for (const source of await sourcesOf(options)) {
    corpora.push(await corpusOf(source, { work, fresh: options.fresh ?? false, say }))
  }
  const context: BenchContext = {
    corpora: corpora.sort((a, b) => a.cves - b.cves),
    folder: join(scratch, 'groups'),
    rounds,
    seconds,
    say,
    ...(against === undefined ? {} : { against }),
    ...(profile === undefined ? {} : { profile: resolve(profile) }),
    ...(only === undefined ? {} : { only }),
    ...(longRounds === undefined ? {} : { longRounds }),
  }
  const report: BenchReport = {
    machine,
    command: process.argv.slice(2).join(' '),
    began: began.toISOString(),
    seconds: 0,
    corpora: corpora.map(({ cves, nights }) => ({ cves, nights, feeds: options.feeds ? 'real' : 'synthetic' })),
    rounds,
    roundSeconds: seconds,
    lines: [],
    failures: [],
    remarks: short ? [SHORT_REMARK] : [],
  }
  /** After each line, so that nothing measured is lost however a long run ends. */
  const write = () => {
    report.seconds = (Date.now() - began.getTime()) / 1000
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 1)}\n`)
    if (options.plot !== undefined) writeFileSync(options.plot, plot(report.lines))
  }
  for (const name of Object.keys(GROUPS)) await measureGroup(name, context, report, write)
  for (const name of only ?? []) {
    if (!report.lines.some((line) => isWanted({ only: [name] }, line.name)))
      report.remarks.push(`no line is called ${name}`)
  }
  write()
  return report
}

/** Measures what is wanted of a group. A fault in it is told, and the others are measured all the same. */
async function measureGroup(
  name: string,
  context: BenchContext,
  report: BenchReport,
  write: () => void,
): Promise<void> {
  if (!isWanted(context, name)) return
  for (const group of GROUPS[name]!) {
    mkdirSync(context.folder, { recursive: true })
    try {
      for await (const line of group(context)) {
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
}

benchCommand(bench)
  .parseAsync()
  .catch((error: unknown) => {
    say(`bench: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  })
