/**
 * npm's bulk endpoint: one request at a time for all packages of a lock file. In turn with Fastify and better-sqlite3,
 * which has the same answers: one row for each package, with the JSON of its advisories.
 */
import { join } from 'node:path'
import type { Random } from '../../../corpus/sample/random.ts'
import { databaseOf } from '../alternatives/database.ts'
import { expectEqual } from '../alternatives/equal.ts'
import { startFastify } from '../alternatives/fastify-process.ts'
import type { Catalog } from '../http/catalog.ts'
import { createClient } from '../http/client.ts'
import { latencyOf, perRequest } from '../http/figures.ts'
import type { LoadRequest } from '../http/load.ts'
import { versionsOf } from '../http/package-requests.ts'
import type { Load, Measured } from '../http/processes.ts'
import { shuffled } from '../http/search-texts.ts'
import { openSites, type Site, type Sites } from '../http/sites.ts'
import type { LoadResult } from '../http/tally.ts'
import { type Usage, usageOf, usedBetween } from '../http/usage.ts'
import { type BenchContext, type BenchGroup, type BenchLine, isWanted } from '../report/line.ts'
import { median, ratioOf } from '../report/spread.ts'

const OPTIONS = ['--compat', 'npm', '--compat-port', '0']
const TARGET = '/-/npm/v1/security/advisories/bulk'
const NAMES = 3000
/** Different requests of a line. Together they name more packages than a gateway caches. */
const REQUESTS = 20
const MOST_MS = 100
const WARM_UP_SECONDS = 0.5

interface BulkLine {
  name: string
  title: string
  /** Share of the names that have advisories. */
  known: number
  /** Draws them from the packages with the most advisories. */
  most: number
}

const LINES: readonly BulkLine[] = [
  { name: 'compat/bulk', title: 'one in ten has advisories, often several', known: 0.1, most: 1000 },
  { name: 'compat/bulk-all', title: 'each has advisories', known: 1, most: Number.POSITIVE_INFINITY },
]

export const compatLines: BenchGroup = async function* (context) {
  const wanted = LINES.filter(({ name }) => isWanted(context, name))
  if (wanted.length === 0) return
  const sites = await openSites(context, 'compat', OPTIONS)
  try {
    const load = sites.load()
    for (const site of sites.sites) {
      const servers = await openServers(site, sites, context)
      for (const line of wanted) {
        context.say(`${line.name}: ${titleOf(line)}`)
        yield await measure(line, site, servers, load, sites.headers, context)
      }
    }
  } finally {
    await sites.close()
  }
}

const titleOf = ({ title }: BulkLine) => `npm audit of ${NAMES.toLocaleString('en')} packages, ${title}`

type Servers = Record<'gateway' | 'fastify', Measured>

async function openServers({ corpus, gateway }: Site, sites: Sites, context: BenchContext): Promise<Servers> {
  const own = join(context.folder, 'compat')
  const [jwks, log] = [join(own, 'keys', 'jwks.json'), join(own, `fastify-${corpus.cves}.log`)]
  const start = { database: databaseOf(corpus.dist, context.say), jwks, log, gzip: 'none' } as const
  return { gateway: { ...gateway, port: gateway.compatPort! }, fastify: sites.keep(await startFastify(start)) }
}

interface Turn {
  result: LoadResult
  used: Usage
}

async function measure(
  line: BulkLine,
  { corpus, catalog }: Site,
  servers: Servers,
  load: Load,
  headers: readonly string[],
  { rounds, seconds }: BenchContext,
): Promise<BenchLine> {
  const requests = Array.from({ length: REQUESTS }, bulkRequests(line, catalog))
  await expectSame(servers, headers, requests)
  const of = `${line.name} ${corpus.cves}`
  load.prepare(of, requests, headers)
  const run = async ({ port, pid }: Measured, length: number): Promise<Turn> => {
    const before = usageOf(pid)
    const how = { kind: 'closed', polling: true, connections: 1, expect: [200] } as const
    const result = await load.run({ ...how, of, port, seconds: length })
    return { result, used: usedBetween(before, usageOf(pid)) }
  }
  const turns: Record<keyof Servers, Turn[]> = { gateway: [], fastify: [] }
  for (const server of Object.values(servers)) await run(server, Math.min(seconds, WARM_UP_SECONDS))
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? (['gateway', 'fastify'] as const) : (['fastify', 'gateway'] as const)) {
      turns[name].push(await run(servers[name], seconds))
    }
  }
  return lineOf(line, corpus.cves, requests, turns)
}

async function expectSame(
  { gateway, fastify }: Servers,
  headers: readonly string[],
  requests: readonly LoadRequest[],
): Promise<void> {
  const [authorization = ''] = headers.filter((one) => one.startsWith('Authorization'))
  const client = createClient(gateway.port, authorization.replace('Authorization: Bearer ', ''))
  try {
    await expectEqual(client, fastify.port, headers, requests, requests)
  } finally {
    client.close()
  }
}

/**
 * Returns a function that draws requests with one or two versions of each package.
 * @throws Error if the snapshot has too few packages of npm
 */
export function bulkRequests({ known, most }: Pick<BulkLine, 'known' | 'most'>, catalog: Catalog): () => LoadRequest {
  const { snapshot, random } = catalog
  const draw = versionsOf(snapshot, random)
  const ordinals = snapshot.lists.packages.filters.ecosystem!.of('npm').subarray(0, most)
  const count = Math.min(Math.round(NAMES * known), Math.floor(ordinals.length / 2))
  if (count === 0) throw new Error('this snapshot is too small: it has no packages of npm')
  return () => {
    const asked = new Map<string, string[]>()
    while (asked.size < count) {
      const { entry, version } = draw(ordinals[random.int(ordinals.length)]!)
      asked.set(entry.name, [...new Set([version, ...(asked.get(entry.name) ?? [])])])
    }
    while (known < 1 && asked.size < NAMES) asked.set(`${unknownName(random)}-${asked.size}`, ['1.2.3'])
    const body = JSON.stringify(Object.fromEntries(shuffled([...asked], random)))
    return { target: TARGET, headers: ['Content-Type: application/json'], body }
  }
}

const unknownName = (random: Random) => `no-advisory-names-${random.hex(6)}`

function lineOf(
  line: BulkLine,
  cves: number,
  requests: readonly LoadRequest[],
  { gateway, fastify }: Record<keyof Servers, Turn[]>,
): BenchLine {
  const p50s = (turns: readonly Turn[]) => turns.map(({ result }) => latencyOf([result]).p50)
  const of = (turns: readonly Turn[]) => ({
    ...latencyOf(turns.map(({ result }) => result)),
    ...perRequest(turns),
  })
  const [ours, theirs] = [of(gateway), of(fastify)]
  const [first] = requests
  return {
    name: line.name,
    title: titleOf(line),
    cves,
    unit: 'ms',
    figure: median(p50s(gateway)),
    reference: { title: 'Fastify + better-sqlite3, a row for each package', figure: median(p50s(fastify)) },
    ratio: ratioOf(p50s(gateway), p50s(fastify)),
    growth: null,
    budget: { of: 'figure', most: MOST_MS },
    details: {
      'p99 ms': ours.p99,
      'its p99 ms': theirs.p99,
      'CPU ms': ours.cpuMicroseconds / 1000,
      'its CPU ms': theirs.cpuMicroseconds / 1000,
      packages: Object.keys(JSON.parse(first!.body!)).length,
      'request bytes': first!.body!.length,
      'response bytes': ours.bodyBytes,
    },
  }
}
