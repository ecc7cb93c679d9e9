/**
 * `npm run bench`: the request path measured against constant servers in the same run, because machines differ
 * (DESIGN, "Budgets"). Every piece is a process of its own; the servers take turns, so that whatever else the machine
 * does meets all of them.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { build } from '../../builder/build/build.ts'
import { realEffects } from '../../builder/effects.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { noProgress } from '../../builder/progress.ts'
import { generateSample } from '../../corpus/sample/generate.ts'
import { readCurrent } from '../../corpus/snapshot/layout.ts'
import { ratio, serverFigures } from './figures.ts'
import { createClient } from './http/client.ts'
import { type Catalogue, LINES, type Line, readCatalogue } from './http/lines.ts'
import type { LoadResult } from './http/load.ts'
import {
  type Load,
  type Measured,
  makeToken,
  type ReferenceServer,
  startGateway,
  startLoad,
  startReference,
} from './http/processes.ts'
import { typicalAnswer } from './http/sample-answers.ts'
import { type BenchReport, conditions, type LineReport, loadNote, table } from './report/text.ts'

interface Options {
  dist?: string
  cves: number
  seconds: number
  rounds: number
  connections: number
  only: Line[]
  against?: string
  profile?: string
  json?: boolean
}

const WARM_UP_SECONDS = 0.5

const say = (line: string) => void process.stderr.write(`${line}\n`)

const positive = (text: string) => {
  const number = Number(text)
  if (!(number > 0)) throw new InvalidArgumentError('must be a number above 0.')
  return number
}

function linesNamed(text: string): Line[] {
  return text.split(',').map((name) => {
    const line = LINES.find((one) => one.name === name)
    if (!line) throw new InvalidArgumentError(`must be among ${LINES.map((one) => one.name).join(', ')}.`)
    return line
  })
}

const { only, ...options } = new Command('bench')
  .description('requests per second of the gateway, next to those of constant servers')
  .option('--dist <folder>', 'a snapshot to serve (default: a synthetic one, made for this run)')
  .option('--cves <n>', 'CVEs of the synthetic snapshot', positive, 13_000)
  .option('--seconds <n>', 'length of a round', positive, 0.8)
  .option('--rounds <n>', 'rounds of each server', positive, 5)
  .option('--connections <n>', 'connections of the load', positive, 16)
  .option('--only <lines>', `some of ${LINES.map(({ name }) => name).join(',')}`, linesNamed, [...LINES])
  .option('--against <checkout>', 'measure the gateway of another checkout in the same rounds')
  .option('--profile <folder>', 'write a CPU profile of the gateway there')
  .option('--json', 'print the figures as JSON')
  .parse()
  .opts<Options>()

/** A synthetic snapshot, the whole way from its feeds. */
async function makeSnapshot(folder: string, cves: number): Promise<string> {
  say(`making a snapshot of ${cves.toLocaleString('en')} synthetic CVEs`)
  const effects = realEffects(() => {})
  const [feeds, corpus, dist] = ['feeds', 'corpus.db', 'dist'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await generateSample({ feeds, cves, nights: 1 })
  await ingest({ feeds, corpus }, effects)
  await build({ corpus, dist }, effects, noProgress)
  return dist
}

interface Bench {
  catalogue: Catalogue
  load: Load
  token: string
  /** In the order in which they take their turns. */
  servers: readonly Measured[]
  references: readonly ReferenceServer[]
}

async function measureLine(line: Line, { catalogue, load, token, servers, references }: Bench): Promise<LineReport> {
  const targets = await line.targets(catalogue)
  if (targets.length === 0) throw new Error(`this snapshot is too small for '${line.name}': it gives no request of it`)
  const constant = await typicalAnswer(catalogue.client, line, targets)
  for (const reference of references) await reference.answer(constant)
  load.prepare(targets, ['Host: bench', `Authorization: Bearer ${token}`, 'Accept-Encoding: gzip'])

  const { connections, seconds, rounds } = options
  const results = new Map<string, LoadResult[]>(servers.map(({ name }) => [name, []]))
  for (const { port } of servers) await load.run(port, connections, WARM_UP_SECONDS)
  for (let round = 0; round < rounds; round++) {
    for (const { name, port } of servers) results.get(name)!.push(await load.run(port, connections, seconds))
  }
  const gateway = results.get('gateway')!
  const { name, title, budget } = line
  return {
    name,
    title,
    budget,
    targets: targets.length,
    bodyBytes: constant.body.length,
    servers: Object.fromEntries([...results].map(([server, runs]) => [server, serverFigures(runs)])),
    ratios: Object.fromEntries(
      [...results].filter(([server]) => server !== 'gateway').map(([server, runs]) => [server, ratio(gateway, runs)]),
    ),
  }
}

async function bench(folder: string): Promise<BenchReport> {
  const dist = options.dist === undefined ? await makeSnapshot(folder, options.cves) : resolve(options.dist)
  const { manifest } = readCurrent(dist)
  const token = makeToken(folder)
  const stops: (() => Promise<void> | void)[] = []
  const started = <T extends { stop(): Promise<void> }>(process: T): T => {
    stops.push(process.stop)
    return process
  }
  try {
    const { against, profile } = options
    const gateway = started(await startGateway({ name: 'gateway', dist, folder, profile }))
    const references = [started(await startReference('polka')), started(await startReference('node'))]
    const servers: Measured[] = [gateway, ...references]
    if (against !== undefined) {
      servers.splice(1, 0, started(await startGateway({ name: 'other', dist, folder, root: resolve(against) })))
    }
    const load = started(startLoad())
    const client = createClient(gateway.port, token)
    stops.push(client.close)
    const catalogue = await readCatalogue(client)
    const lines: LineReport[] = []
    for (const line of only) {
      say(`measuring ${line.name}: ${line.title}`)
      lines.push(await measureLine(line, { catalogue, load, token, servers, references }))
    }
    const { connections, rounds, seconds } = options
    return {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      snapshot: manifest.snapshot,
      cves: manifest.files.filter(({ role }) => role === 'cve').reduce((sum, { count }) => sum + count, 0),
      connections,
      rounds,
      seconds,
      lines,
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'vulnshelf-bench-'))
try {
  if (options.dist !== undefined && !existsSync(join(options.dist, 'latest.json'))) {
    throw new Error(`${options.dist} holds no snapshot: latest.json is missing`)
  }
  const report = await bench(folder)
  process.stdout.write(
    options.json
      ? `${JSON.stringify(report, null, 1)}\n`
      : `${conditions(report)}\n${table(report)}\n\n${loadNote(report)}\n`,
  )
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
