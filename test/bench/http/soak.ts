/**
 * A long load below the gateway's capacity, with one swap of snapshots. It checks that memory stays flat, no errors
 * occur and latencies stay steady. Other work on the machine changes its speed from minute to minute. So each interval
 * first measures the capacity of the gateway and of a server that does nothing. A loss of both is caused by the
 * machine.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { idAt } from '../../../corpus/snapshot/derive/index-table.ts'
import { readManifest } from '../../../corpus/snapshot/files/layout.ts'
import { openSnapshot } from '../../../gateway/snapshots/open-snapshot.ts'
import type { BenchCorpus } from '../report/line.ts'
import { openCatalog } from './catalog.ts'
import { type Client, createClient, headerOf } from './client.ts'
import { type DistView, lastPointers, viewOf } from './dist-view.ts'
import { latencyOf } from './figures.ts'
import { drawMix, type Mix, readMix } from './mix.ts'
import {
  type Load,
  type Measured,
  makeToken,
  type ReferenceServer,
  startGateway,
  startLoad,
  startReference,
} from './processes.ts'
import { RIGHT_STATUSES } from './request-kinds.ts'
import { requestHeaders } from './sites.ts'
import { type SoakMinute, type SoakReport, verdictOf } from './soak-report.ts'
import type { LoadResult } from './tally.ts'
import { memoryOf, settled } from './usage.ts'

export interface SoakOptions {
  corpus: BenchCorpus
  /** For temporary files; the caller empties it. */
  folder: string
  /** The folder of the gateway. */
  root: string
  /** A mix of `mixes/` by name, or any by path. */
  mix?: string
  /** Duration of the load. */
  minutes?: number
  /** Share of the capacity. */
  share?: number
  connections?: number
  /** Additional options of `serve`: `--workers 2`. */
  serve?: readonly string[]
  say(line: string): void
  /** Called after each minute with the report so far, without a verdict. */
  onMinute?(report: SoakReport): void
}

/** Different requests per minute: they are drawn again for each. */
const REQUESTS = 20_000
/** Share of an interval for measuring each of the two capacities, and the maximum in seconds. */
const CALIBRATING = 1 / 20
const MOST_CALIBRATING_SECONDS = 2
/** Minimum number of intervals in a soak. */
const LEAST_RANGES = 12
const WATCH_MS = 200

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { corpus, folder, root, minutes = 60, share = 0.7, connections = 64, serve = [], say } = options
  const mix = readMix(options.mix ?? 'day')
  const own = join(folder, 'soak')
  mkdirSync(own, { recursive: true })
  const token = makeToken(own, `${Math.ceil(minutes / 60) + 2}h`)
  const { first, second } = lastPointers(corpus.dist)
  const view = viewOf(corpus.dist, join(own, 'dist'), [first, second])
  const gateway = await startGateway({ name: 'soak', dist: view.path, folder: own, root, options: serve })
  const reference = await startReference('node')
  const load = startLoad()
  const client = createClient(gateway.port, token)
  try {
    await settled(gateway.pid)
    const bench: Soak = { mix, load, gateway, reference, client, connections, token, without: goneIn(corpus.dist) }
    const range = Math.min(60, (minutes * 60) / LEAST_RANGES)
    const calibrating = Math.min(MOST_CALIBRATING_SECONDS, range * CALIBRATING)
    const seconds = range - 2 * calibrating
    await drawRequests(view, bench)
    await prepareReference(bench, range * CALIBRATING)

    const ranges = Math.round((minutes * 60) / range)
    const swapIn = Math.floor(ranges / 3)
    const report: SoakReport = {
      mix: mix.title,
      cves: corpus.cves,
      share,
      minutes: [],
      swap: { from: first.snapshot, to: second.snapshot, seenAfter: null },
      verdict: [],
    }
    for (let i = 0; i < ranges; i++) {
      await drawRequests(view, bench)
      const rates = {
        reference: await rateOf(bench, 'reference', calibrating),
        capacity: await rateOf(bench, 'mix', calibrating),
      }
      const rate = rates.capacity * share
      const swapping =
        i === swapIn
          ? swap(bench, {
              to: second.snapshot,
              afterMs: (seconds * 1000) / 4,
              mostMs: seconds * 1000,
              activate: () => view.activate(second),
            })
          : null
      report.minutes.push(await expectLoad(bench, { at: (i + 1) * range, seconds, rate, ...rates, swap: i === swapIn }))
      if (swapping) report.swap.seenAfter = await swapping
      const { requests, errors, p99, rssMb } = report.minutes.at(-1)!
      say(
        `soak: ${i + 1} of ${ranges}: ${rate.toFixed(0)}/s of ${rates.capacity.toFixed(0)} (reference ${rates.reference.toFixed(0)}), ${requests} requests, ${errors} errors, p99 ${p99.toFixed(2)} ms, ${rssMb.toFixed(0)} MB`,
      )
      options.onMinute?.(report)
    }
    report.verdict = verdictOf(report)
    return report
  } finally {
    client.close()
    await load.stop()
    await reference.stop()
    await gateway.stop()
  }
}

interface Soak {
  mix: Mix
  load: Load
  gateway: Measured
  reference: ReferenceServer
  client: Client
  connections: number
  token: string
  /** Ids that the second snapshot lacks: their 404 would be correct. */
  without: ReadonlySet<string>
}

/** Returns the ids of the first snapshot that the second one lacks. */
function goneIn(dist: string): Set<string> {
  const { first, second } = lastPointers(dist)
  const [before, after] = [first, second].map(({ manifest }) => {
    const { index, close } = openSnapshot(dist, readManifest(dist, manifest.sha256), { checkQuery: false })
    close()
    return new Set(Array.from({ length: index.count }, (_, row) => idAt(index, row) as string))
  })
  return before!.difference(after!)
}

/** Draws requests from the active snapshot. */
async function drawRequests({ path }: DistView, { mix, load, client, token, without }: Soak): Promise<void> {
  const catalog = openCatalog(path, client, without)
  try {
    const draw = await drawMix(mix, catalog)
    load.prepare('mix', Array.from({ length: REQUESTS }, draw), requestHeaders(token))
  } finally {
    catalog.close()
  }
}

/** The reference sends bodies of the mix's average length. The run that measures it also warms up the gateway. */
async function prepareReference(bench: Soak, seconds: number): Promise<void> {
  const { bytes, requests } = await closedLoop(bench, 'mix', seconds)
  await bench.reference.answer({ status: 200, headers: [], body: Buffer.alloc(Math.round(bytes / requests)) })
  bench.load.prepare('reference', [{ target: '/' }], requestHeaders(bench.token))
}

/** Returns requests/s in a closed loop. */
async function rateOf(bench: Soak, of: 'mix' | 'reference', forSeconds: number): Promise<number> {
  const { requests, seconds } = await closedLoop(bench, of, forSeconds)
  return requests / seconds
}

function closedLoop(bench: Soak, of: 'mix' | 'reference', seconds: number): Promise<LoadResult> {
  const { port } = of === 'mix' ? bench.gateway : bench.reference
  const { load, connections } = bench
  return load.run({ kind: 'closed', polling: false, of, port, connections, seconds, expect: RIGHT_STATUSES })
}

type Range = Pick<SoakMinute, 'at' | 'seconds' | 'capacity' | 'reference' | 'rate' | 'swap'>

async function expectLoad(bench: Soak, range: Range): Promise<SoakMinute> {
  const { seconds, rate } = range
  const { load, gateway, connections } = bench
  let peakRssMb = 0
  const watch = setInterval(() => {
    peakRssMb = Math.max(peakRssMb, memoryOf(gateway.pid).rssMb)
  }, WATCH_MS)
  try {
    const { port } = gateway
    const task = { kind: 'open', of: 'mix', port, connections, seconds, perSecond: rate } as const
    const result = await load.run({ ...task, expect: RIGHT_STATUSES })
    const { statuses, unanswered, requests } = result
    const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0)
    const { rssMb } = memoryOf(gateway.pid)
    return {
      ...range,
      requests,
      errors: answers - requests + unanswered,
      statuses,
      ...latencyOf([result]),
      rssMb,
      peakRssMb: Math.max(peakRssMb, rssMb),
    }
  } finally {
    clearInterval(watch)
  }
}

interface Swap {
  to: string
  afterMs: number
  mostMs: number
  activate(): void
}

/** Activates the second snapshot during the load. Returns the seconds until the gateway served it. */
async function swap({ client }: Soak, { to, afterMs, mostMs, activate }: Swap): Promise<number | null> {
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  await pause(afterMs)
  const began = performance.now()
  activate()
  // The swap can end after the interval: the gateway checks a large snapshot before it serves it.
  while (performance.now() - began < mostMs + 60_000) {
    const received = await client.receive({ target: '/api/v1/snapshot' }, 'identity')
    if (headerOf(received, 'snapshot-id') === to) return (performance.now() - began) / 1000
    await pause(WATCH_MS)
  }
  return null
}
