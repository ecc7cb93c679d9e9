/**
 * Request performance over HTTP: the gateway of each corpus, compared to a polka server that sends a typical answer.
 * All take turns in the same rounds (README.md, "Budgets").
 */
import { type BenchContext, type BenchGroup, type BenchLine, type Budget, isWanted } from '../report/line.ts'
import { median, ratioOf } from '../report/spread.ts'
import { latencyOf, perRequest } from './figures.ts'
import { HTTP_LINES, type HttpLine } from './lines.ts'
import type { LoadRun } from './load.ts'
import type { Load, Measured, ReferenceServer } from './processes.ts'
import { startReference } from './processes.ts'
import type { Constant } from './reference.ts'
import { kindOf, RIGHT_STATUSES } from './request-kinds.ts'
import { typicalAnswer } from './sample-answers.ts'
import { openSites, type Site, type Sites } from './sites.ts'
import type { LoadResult } from './tally.ts'
import { type Usage, usageOf, usedBetween } from './usage.ts'

const CONNECTIONS = 16
const MOST_WARM_UP_SECONDS = 0.5

export const httpLines: BenchGroup = async function* (context) {
  const wanted = HTTP_LINES.filter(({ name }) => isWanted(context, `http/${name}`))
  if (wanted.length === 0) return
  const sites = await openSites(context, 'http')
  try {
    const bench: Bench = {
      ...sites,
      context,
      generator: sites.load(),
      polka: sites.keep(await startReference('polka')),
      node: sites.keep(await startReference('node')),
    }
    for (const line of wanted) {
      context.say(`http/${line.name}: ${titleOf(line)}`)
      yield* measureLine(line, bench)
    }
  } finally {
    await sites.close()
  }
}

interface Bench extends Sites {
  context: BenchContext
  generator: Load
  polka: ReferenceServer
  node: ReferenceServer
}

interface Turn {
  result: LoadResult
  used: Usage
}

/** The measurements at one site, and their inputs. */
interface Measuring {
  site: Site
  /** The name of its prepared requests. */
  of: string
  constant: Constant
  turns: Record<'gateway' | 'other' | 'polka' | 'node', Turn[]>
}

async function* measureLine(line: HttpLine, bench: Bench): AsyncGenerator<BenchLine> {
  const { rounds, seconds, say } = bench.context
  const all: Measuring[] = []
  for (const site of bench.sites) {
    try {
      all.push(await prepare(line, site, bench))
    } catch (error) {
      // A line that needs a larger corpus is omitted and reported.
      say(`  ${site.corpus.cves} CVEs: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const connections = line.latency === undefined ? CONNECTIONS : 1
  const turn = (port: Measured, of: string, seconds: number) =>
    takeTurn(bench.generator, port, { of, seconds, connections })
  for (const { site, of } of all) {
    for (const one of [site.gateway, site.other]) if (one) await turn(one, of, Math.min(seconds, MOST_WARM_UP_SECONDS))
  }
  for (let round = 0; round < rounds; round++) {
    for (const { site, of, constant, turns } of round % 2 === 0 ? all : all.toReversed()) {
      turns.gateway.push(await turn(site.gateway, of, seconds))
      if (site.other) turns.other.push(await turn(site.other, of, seconds))
      for (const name of ['polka', 'node'] as const) {
        await bench[name].answer(constant)
        turns[name].push(await turn(bench[name], of, seconds))
      }
    }
  }
  for (const measuring of all) yield lineOf(line, measuring, all[0]!)
}

async function prepare({ kind, different, name }: HttpLine, site: Site, bench: Bench): Promise<Measuring> {
  const draw = await kindOf(kind).draw(site.catalog)
  const requests = Array.from({ length: different }, draw)
  const constant = await typicalAnswer(site.catalog.client, kindOf(kind), requests)
  const of = `${name} ${site.corpus.cves}`
  bench.generator.prepare(of, requests, bench.headers)
  return { site, of, constant, turns: { gateway: [], other: [], polka: [], node: [] } }
}

async function takeTurn(
  load: Load,
  { port, pid }: Measured,
  run: Pick<LoadRun, 'of' | 'connections' | 'seconds'>,
): Promise<Turn> {
  const before = usageOf(pid)
  const result = await load.run({ kind: 'closed', polling: true, ...run, port, expect: RIGHT_STATUSES })
  return { result, used: usedBetween(before, usageOf(pid)) }
}

const titleOf = ({ kind, title }: HttpLine) => [kindOf(kind).title, title].filter(Boolean).join(': ')

const rates = (turns: readonly Turn[]) => turns.map(({ result }) => result.requests / result.seconds)
const p99s = (turns: readonly Turn[]) => turns.map(({ result }) => latencyOf([result]).p99)
const resultsOf = (turns: readonly Turn[]) => turns.map(({ result }) => result)

function budgetOf({ budget, latency }: HttpLine): Budget | null {
  if (latency !== undefined) return { of: 'figure', most: latency }
  return budget === null ? null : { of: 'ratio', least: budget }
}

function lineOf(line: HttpLine, { site, constant, turns }: Measuring, smallest: Measuring): BenchLine {
  const { gateway, other, polka, node } = turns
  const [latency, polkaLatency] = [gateway, polka].map((of) => latencyOf(resultsOf(of))) as [Latency, Latency]
  const [used, polkaUsed] = [gateway, polka].map(perRequest) as [PerRequest, PerRequest]
  const figures = line.latency === undefined ? rates : p99s
  return {
    name: `http/${line.name}`,
    title: titleOf(line),
    cves: site.corpus.cves,
    unit: line.latency === undefined ? 'requests/s' : 'ms',
    figure: median(figures(gateway)),
    reference: { title: 'node:http + polka, a typical answer as a constant', figure: median(figures(polka)) },
    ratio: ratioOf(figures(gateway), figures(polka)),
    growth: site === smallest.site ? null : ratioOf(figures(gateway), figures(smallest.turns.gateway)),
    budget: budgetOf(line),
    details: {
      'p50 ms': latency.p50,
      'p99 ms': latency.p99,
      'polka p50 ms': polkaLatency.p50,
      'polka p99 ms': polkaLatency.p99,
      'CPU µs/request': used.cpuMicroseconds,
      'polka CPU µs/request': polkaUsed.cpuMicroseconds,
      'reads/request': used.reads,
      'writes/request': used.writes,
      'bytes read/request': used.bytesRead,
      'response bytes': used.bodyBytes,
      'constant bytes': constant.body.length,
      'bare node:http requests/s': median(rates(node)),
      'of bare node:http': ratioOf(rates(gateway), rates(node)).median,
      'different requests': line.different,
      'generator busy, at most': Math.max(...[...gateway, ...polka, ...node].map(({ result }) => result.busy)),
      ...(other.length === 0
        ? {}
        : { 'other requests/s': median(rates(other)), 'to other': ratioOf(rates(gateway), rates(other)).median }),
    },
  }
}

type Latency = ReturnType<typeof latencyOf>
type PerRequest = ReturnType<typeof perRequest>
