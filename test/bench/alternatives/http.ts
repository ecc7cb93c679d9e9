/**
 * Alternatives over HTTP, measured in turn with the gateway in the same rounds: Fastify with better-sqlite3, and nginx
 * with files. These lines have no budget; they inform.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { latencyOf, perRequest } from '../http/figures.ts'
import type { LoadRequest } from '../http/load.ts'
import type { Load, Measured } from '../http/processes.ts'
import { type KindName, kindOf } from '../http/request-kinds.ts'
import { openSites, type Site, type Sites } from '../http/sites.ts'
import type { LoadResult } from '../http/tally.ts'
import { type Usage, usageOf, usedBetween } from '../http/usage.ts'
import { type BenchContext, type BenchGroup, type BenchLine, isWanted } from '../report/line.ts'
import { median, ratioOf } from '../report/spread.ts'
import { databaseOf } from './database.ts'
import { expectEqual } from './equal.ts'
import { fastifyTarget, startFastify } from './fastify-process.ts'
import { haveNginx, type Nginx, NO_NGINX, startNginx } from './nginx.ts'

const CONNECTIONS = 16
const MOST_WARM_UP_SECONDS = 0.5
/** Different requests per line, as in the other HTTP lines; number of files. */
const REQUESTS = 20_000
const FILES = 2000

/** The alternatives, by the suffix of a line's name. */
const ALTERNATIVES = {
  fastify: 'Fastify + better-sqlite3, gzip -6',
  'fastify-gzip1': 'Fastify + better-sqlite3, gzip -1',
  'fastify-plain': 'Fastify + better-sqlite3, not compressed',
  nginx: 'nginx, gzip_static, files of the same answers, no token',
} as const
type Alternative = keyof typeof ALTERNATIVES

const LEVELS = { fastify: 6, 'fastify-gzip1': 1, 'fastify-plain': 'none' } as const

const ALL = Object.keys(ALTERNATIVES) as Alternative[]

const LINES: readonly { kind: KindName; against: readonly Alternative[] }[] = [
  { kind: 'page25', against: ALL },
  { kind: 'page100', against: ALL },
  { kind: 'detail', against: ALL },
  { kind: 'detail-all', against: ALL },
  { kind: 'any-sort', against: ['fastify'] },
  { kind: 'ascending', against: ['fastify'] },
  { kind: 'critical', against: ALL },
  { kind: 'kev', against: ['fastify'] },
  { kind: 'narrow', against: ['fastify'] },
  { kind: 'combined', against: ['fastify'] },
  { kind: 'nothing', against: ['fastify'] },
]

const nameOf = (kind: KindName, alternative: Alternative) => `alternatives/${kind}-${alternative}`

/** A corpus with its gateway and the alternatives. */
interface Stand {
  site: Site
  others: Partial<Record<Alternative, Measured>>
  nginx: Nginx | null
}

interface Turn {
  result: LoadResult
  used: Usage
}

interface Measuring {
  stand: Stand
  /** The gateway and the alternatives, each with its requests. */
  servers: { name: Alternative | 'gateway'; server: Measured; of: string; turns: Turn[] }[]
}

export const alternativeLines: BenchGroup = async function* (context) {
  const lines = LINES.map(({ kind, against }) => ({
    kind,
    against: against.filter((one) => isWanted(context, nameOf(kind, one))),
  })).filter(({ against }) => against.length > 0)
  if (lines.length === 0) return
  const sites = await openSites(context, 'alternatives')
  try {
    const wanted = new Set(lines.flatMap(({ against }) => against))
    const stands: Stand[] = []
    for (const site of sites.sites) stands.push(await openStand(site, wanted, sites, context))
    const load = sites.load()
    for (const { kind, against } of lines) {
      context.say(`alternatives/${kind}: ${kindOf(kind).title}`)
      const all: Measuring[] = []
      for (const stand of stands) all.push(await prepare(stand, kind, against, load, sites.headers))
      await takeTurns(all, load, context)
      for (const measuring of all) yield* linesOf(kind, measuring, all[0]!)
    }
  } finally {
    await sites.close()
  }
}

async function openStand(
  site: Site,
  wanted: ReadonlySet<Alternative>,
  sites: Sites,
  context: BenchContext,
): Promise<Stand> {
  const { dist, cves } = site.corpus
  const [own, folder] = [join(context.folder, 'alternatives'), join(context.folder, 'alternatives', `nginx-${cves}`)]
  const stand: Stand = { site, others: {}, nginx: null }
  for (const [name, gzip] of Object.entries(LEVELS) as [keyof typeof LEVELS, number | 'none'][]) {
    if (!wanted.has(name)) continue
    const [jwks, log] = [join(own, 'keys', 'jwks.json'), join(own, `${name}-${cves}.log`)]
    stand.others[name] = sites.keep(await startFastify({ database: databaseOf(dist, context.say), jwks, log, gzip }))
  }
  if (!wanted.has('nginx')) return stand
  if (haveNginx()) {
    mkdirSync(folder, { recursive: true })
    stand.nginx = sites.keep(await startNginx(folder))
    stand.others.nginx = stand.nginx
  } else context.say(NO_NGINX)
  return stand
}

async function prepare(
  stand: Stand,
  kind: KindName,
  against: readonly Alternative[],
  load: Load,
  headers: readonly string[],
): Promise<Measuring> {
  const { site, others, nginx } = stand
  const draw = await kindOf(kind).draw(site.catalog)
  const requests = Array.from({ length: REQUESTS }, draw)
  const servers: Measuring['servers'] = []
  const add = (name: Alternative | 'gateway', server: Measured, asked: readonly LoadRequest[]) => {
    const of = `${kind} ${site.corpus.cves} ${name}`
    load.prepare(of, asked, headers)
    servers.push({ name, server, of, turns: [] })
  }
  add('gateway', site.gateway, requests)
  const translated = requests.map(({ target }) => ({ target: fastifyTarget(target, site.catalog.snapshot.index) }))
  for (const name of against) {
    const server = others[name]
    if (!server) continue
    if (name === 'nginx') {
      add(name, server, await filesOf(nginx!, `${kind}-${site.corpus.cves}`, requests.slice(0, FILES), site))
    } else {
      await expectEqual(site.catalog.client, server.port, headers, requests, translated)
      add(name, server, translated)
    }
  }
  return { stand, servers }
}

/** Stores the gateway's own answers as files. */
async function filesOf(nginx: Nginx, name: string, requests: readonly LoadRequest[], { catalog }: Site) {
  const files: LoadRequest[] = []
  for (const [i, request] of requests.entries()) {
    const { body } = await catalog.client.receive(request, 'gzip')
    files.push({ target: nginx.add(`${name}-${i}`, body) })
  }
  return files
}

async function takeTurns(all: readonly Measuring[], load: Load, { rounds, seconds }: BenchContext): Promise<void> {
  const run = async ({ server, of }: Measuring['servers'][number], length: number): Promise<Turn> => {
    const before = usageOf(server.pid)
    const { port } = server
    const how = { kind: 'closed', polling: true, connections: CONNECTIONS, expect: [200] } as const
    const result = await load.run({ ...how, of, port, seconds: length })
    return { result, used: usedBetween(before, usageOf(server.pid)) }
  }
  const servers = all.flatMap((measuring) => measuring.servers)
  for (const server of servers) await run(server, Math.min(seconds, MOST_WARM_UP_SECONDS))
  for (let round = 0; round < rounds; round++) {
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) server.turns.push(await run(server, seconds))
  }
}

const rates = (turns: readonly Turn[]) => turns.map(({ result }) => result.requests / result.seconds)
const resultsOf = (turns: readonly Turn[]) => turns.map(({ result }) => result)

function* linesOf(kind: KindName, { stand, servers }: Measuring, smallest: Measuring): Generator<BenchLine> {
  const [gateway, ...others] = servers
  const [latency, used] = [latencyOf(resultsOf(gateway!.turns)), perRequest(gateway!.turns)]
  for (const { name, turns } of others) {
    if (name === 'gateway') continue
    const [itsLatency, itsUse] = [latencyOf(resultsOf(turns)), perRequest(turns)]
    yield {
      name: nameOf(kind, name),
      title: kindOf(kind).title,
      cves: stand.site.corpus.cves,
      unit: 'requests/s',
      figure: median(rates(gateway!.turns)),
      reference: { title: ALTERNATIVES[name], figure: median(rates(turns)) },
      ratio: ratioOf(rates(gateway!.turns), rates(turns)),
      growth: stand === smallest.stand ? null : ratioOf(rates(gateway!.turns), rates(smallest.servers[0]!.turns)),
      budget: null,
      details: {
        'p99 ms': latency.p99,
        'its p99 ms': itsLatency.p99,
        'CPU µs/request': used.cpuMicroseconds,
        'its CPU µs/request': itsUse.cpuMicroseconds,
        'response bytes': used.bodyBytes,
        'its response bytes': itsUse.bodyBytes,
      },
    }
  }
}
