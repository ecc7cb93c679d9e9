/** Time to the first answer of a gateway, and its memory (README.md, "Budgets"). */
import { join } from 'node:path'
import { runProgram } from '../build/program.ts'
import {
  type BenchContext,
  type BenchCorpus,
  type BenchGroup,
  type BenchLine,
  isWanted,
  lineOf,
  median,
} from '../report/line.ts'
import { openCatalog } from './catalog.ts'
import { createClient } from './client.ts'
import { lastPointers, viewOf } from './dist-view.ts'
import { drawMix, MIXES } from './mix.ts'
import type { PackageMemory } from './package-memory.ts'
import { type Load, startGateway, startLoad } from './processes.ts'
import { tokenIn } from './sites.ts'
import { RIGHT_STATUSES } from './turns.ts'
import { memoryOf, settled } from './usage.ts'

const MEGABYTE = 1e6
const REQUESTS = 40_000
const CONNECTIONS = 32
/** Rounds of load before memory is measured. */
const LOAD_ROUNDS = 10

export const processLines: BenchGroup = async function* (context) {
  const names = ['first-answer', 'memory', 'memory-retained']
  if (names.some((name) => isWanted(context, `process/${name}`))) {
    const load = startLoad()
    try {
      for (const corpus of context.corpora) yield* measureCorpus(corpus, load, context)
    } finally {
      await load.stop()
    }
  }
  if (isWanted(context, 'process/memory-packages')) {
    for (const corpus of context.corpora) yield await packagesLine(corpus, context)
  }
}

/** The same in each round, so it is measured once. */
async function packagesLine({ cves, dist }: BenchCorpus, { folder }: BenchContext): Promise<BenchLine> {
  const { output } = await runProgram(join(import.meta.dirname, 'package-memory.ts'), [dist], { folder })
  const { tables, used, advisories, packages } = JSON.parse(output) as PackageMemory
  return lineOf({
    name: 'process/memory-packages',
    title: 'memory of packages: heap and buffers of an open snapshot, with a full cache of packages',
    cves,
    unit: 'MB',
    figure: used / MEGABYTE,
    budget: { of: 'figure', most: 30 },
    details: { 'tables MB': tables / MEGABYTE, advisories, packages },
  })
}

/** Measurements of one process, in seconds and MB. */
interface Seen {
  firstAnswer: number
  started: number
  loaded: number
  peak: number
}

async function* measureCorpus(corpus: BenchCorpus, load: Load, context: BenchContext): AsyncGenerator<BenchLine> {
  const { cves, dist } = corpus
  context.say(`process: a gateway started ${2 * context.rounds} times on ${cves} CVEs`)
  const folder = join(context.folder, `process-${cves}`)
  const access = await tokenIn(folder)
  const { first, second } = lastPointers(dist)
  const one = viewOf(dist, join(folder, 'one'), [second])
  const two = viewOf(dist, join(folder, 'two'), [second, first])
  const measuring = { ...access, folder, load, root: context.root, seconds: context.seconds }
  const alone: Seen[] = []
  const retained: Seen[] = []
  for (let round = 0; round < context.rounds; round++) {
    alone.push(await measureProcess(one.path, measuring))
    retained.push(await measureProcess(two.path, measuring))
  }
  const of = (what: keyof Seen) => median(alone.map((round) => round[what]))
  const more = (what: keyof Seen) => median(retained.map((round, i) => round[what] - alone[i]![what]))
  yield lineOf({
    name: 'process/first-answer',
    title: 'from the start to the first 200, files in the page cache',
    cves,
    unit: 's',
    figure: of('firstAnswer'),
    budget: { of: 'figure', most: 1 },
    details: { 'most s': Math.max(...alone.map(({ firstAnswer }) => firstAnswer)) },
  })
  yield lineOf({
    name: 'process/memory',
    title: 'resident memory with one snapshot, under the load of a day',
    cves,
    unit: 'MB',
    figure: of('loaded'),
    budget: { of: 'figure', most: 700 },
    details: { 'after the start MB': of('started'), 'peak MB': of('peak') },
  })
  yield lineOf({
    name: 'process/memory-retained',
    title: 'memory of one more snapshot, under the same load',
    cves,
    unit: 'MB',
    figure: more('loaded'),
    budget: { of: 'figure', most: 60 },
    details: { 'after the start MB': more('started'), 'peak MB': more('peak') },
  })
}

interface Measuring extends Awaited<ReturnType<typeof tokenIn>> {
  folder: string
  load: Load
  root: string
  seconds: number
}

async function measureProcess(
  dist: string,
  { folder, token, jwks, headers, load, root, seconds }: Measuring,
): Promise<Seen> {
  const began = performance.now()
  const gateway = await startGateway({ name: 'process', dist, folder, jwks, root, options: ['--memory', '700M'] })
  const client = createClient(gateway.port, token)
  try {
    await client.body('/api/v1/cves')
    const firstAnswer = (performance.now() - began) / 1000
    await settled(gateway.pid)
    const started = memoryOf(gateway.pid).rssMb
    const catalog = openCatalog(dist, client)
    try {
      const draw = await drawMix(MIXES.day, catalog)
      load.prepare('mix', Array.from({ length: REQUESTS }, draw), headers)
    } finally {
      catalog.close()
    }
    const task = { kind: 'closed', polling: false, of: 'mix', port: gateway.port, connections: CONNECTIONS } as const
    await load.run({ ...task, seconds: seconds * LOAD_ROUNDS, expect: [...RIGHT_STATUSES, 503] })
    const { rssMb, peakMb } = memoryOf(gateway.pid)
    return { firstAnswer, started, loaded: rssMb, peak: peakMb }
  } finally {
    await client.close()
    await gateway.stop()
  }
}
