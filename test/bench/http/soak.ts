/**
 * A long load below the gateway's capacity, with one swap of snapshots. It checks that memory stays flat, no errors
 * occur and latencies stay steady. Other work on the machine changes its speed from minute to minute. So each interval
 * first measures the capacity of the gateway and of a server that does nothing. A loss of both is caused by the
 * machine.
 */
import { join } from 'node:path'
import { idAt } from '../../../corpus/snapshot/derive/index-table.ts'
import { readManifest } from '../../../corpus/snapshot/files/layout.ts'
import { openSnapshot } from '../../../corpus/snapshot/memory/open-snapshot.ts'
import type { BenchCorpus } from '../report/line.ts'
import { openCatalog } from './catalog.ts'
import { type Client, createClient, headerOf } from './client.ts'
import { lastPointers, viewOf } from './dist-view.ts'
import type { LoadResult } from './load.ts'
import { drawMix, MIXES, type MixName } from './mix.ts'
import { startGateway, startLoad, startReference } from './processes.ts'
import { tokenIn } from './sites.ts'
import { type SoakMinute, type SoakReport, verdictOf } from './soak-report.ts'
import { latencyOf, RIGHT_STATUSES } from './turns.ts'
import { memoryOf, settled } from './usage.ts'

export interface SoakOptions {
  corpus: BenchCorpus
  /** For temporary files; the caller empties it. */
  folder: string
  /** The folder of the gateway. */
  root: string
  mix: MixName
  /** Duration of the load. */
  minutes: number
  /** Share of the capacity. */
  share: number
  connections: number
  /** Additional options of `serve`: `--workers 2`. */
  serve: readonly string[]
  say(line: string): void
  /** Called after each minute with the report so far, without a verdict. */
  onMinute(report: SoakReport): void
}

/** Different requests per minute: they are drawn again for each. */
const REQUESTS = 20_000
/** Share of an interval for measuring each of the two capacities, and the maximum in seconds. */
const CALIBRATING = 1 / 20
const MOST_CALIBRATING_SECONDS = 2
/** Minimum number of intervals in a soak. */
const LEAST_RANGES = 12
const WATCH_MS = 200
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { corpus, root, mix, minutes, share, connections, serve, say, onMinute } = options
  const folder = join(options.folder, 'soak')
  const { token, jwks, headers } = await tokenIn(folder, `${Math.ceil(minutes / 60) + 2}h`)
  const { first, second } = lastPointers(corpus.dist)
  const view = viewOf(corpus.dist, join(folder, 'dist'), [first, second])
  const gateway = await startGateway({ name: 'soak', dist: view.path, folder, jwks, root, options: serve })
  const reference = await startReference()
  const load = startLoad()
  const client = createClient(gateway.port, token)
  const without = goneIn(corpus.dist)

  /** Draws requests from the active snapshot. */
  const drawRequests = async () => {
    const catalog = openCatalog(view.path, client, without)
    try {
      const draw = await drawMix(MIXES[mix], catalog)
      load.prepare('mix', Array.from({ length: REQUESTS }, draw), headers)
    } finally {
      catalog.close()
    }
  }
  const closedLoop = (of: 'mix' | 'reference', seconds: number): Promise<LoadResult> => {
    const { port } = of === 'mix' ? gateway : reference
    return load.run({ kind: 'closed', polling: false, of, port, connections, seconds, expect: RIGHT_STATUSES })
  }
  const rateOf = async (of: 'mix' | 'reference', length: number) => {
    const { requests, seconds } = await closedLoop(of, length)
    return requests / seconds
  }

  try {
    await settled(gateway.pid)
    const range = Math.min(60, (minutes * 60) / LEAST_RANGES)
    const calibrating = Math.min(MOST_CALIBRATING_SECONDS, range * CALIBRATING)
    const seconds = range - 2 * calibrating
    await drawRequests()
    // The reference sends bodies of the mix's average length. The run that measures it also warms up the gateway.
    const { bytes, requests } = await closedLoop('mix', range * CALIBRATING)
    const body = Buffer.alloc(Math.round(bytes / requests))
    await reference.answer({ status: 200, headers: ['Content-Length', `${body.length}`], body })
    load.prepare('reference', [{ target: '/api/v1/cves' }], headers)

    const ranges = Math.round((minutes * 60) / range)
    const swapIn = Math.floor(ranges / 3)
    const report: SoakReport = {
      mix,
      cves: corpus.cves,
      share,
      minutes: [],
      swap: { from: first.snapshot, to: second.snapshot, seenAfter: null },
      verdict: [],
    }
    for (let i = 0; i < ranges; i++) {
      await drawRequests()
      const rates = { reference: await rateOf('reference', calibrating), capacity: await rateOf('mix', calibrating) }
      const rate = rates.capacity * share
      const activate = async () => {
        await pause((seconds * 1000) / 4)
        view.activate(second)
        return secondsUntilServed(client, second.snapshot, seconds * 1000)
      }
      const swapping = i === swapIn ? activate() : null
      const task = { kind: 'open', of: 'mix', port: gateway.port, connections, seconds, perSecond: rate } as const
      const result = await load.run({ ...task, expect: RIGHT_STATUSES })
      const answers = Object.values(result.statuses).reduce((sum, count) => sum + count, 0)
      const { rssMb, peakMb } = memoryOf(gateway.pid)
      const minute: SoakMinute = {
        at: (i + 1) * range,
        seconds,
        rate,
        ...rates,
        swap: i === swapIn,
        requests: result.requests,
        errors: answers - result.requests + result.unanswered,
        statuses: result.statuses,
        ...latencyOf([result]),
        rssMb,
        peakMb,
      }
      report.minutes.push(minute)
      if (swapping) report.swap.seenAfter = await swapping
      say(
        `soak: ${i + 1} of ${ranges}: ${rate.toFixed(0)}/s of ${rates.capacity.toFixed(0)} (reference ${rates.reference.toFixed(0)}), ${minute.requests} requests, ${minute.errors} errors, p99 ${minute.p99.toFixed(2)} ms, ${rssMb.toFixed(0)} MB`,
      )
      onMinute(report)
    }
    report.verdict = verdictOf(report)
    return report
  } finally {
    await client.close()
    await load.stop()
    await reference.stop()
    await gateway.stop()
  }
}

/** Returns the ids of the first snapshot that the second one lacks: their 404 would be correct. */
function goneIn(dist: string): Set<string> {
  const { first, second } = lastPointers(dist)
  const [before, after] = [first, second].map(({ manifest }) => {
    const { index, close } = openSnapshot(dist, readManifest(dist, manifest.sha256), { checkQuery: false })
    close()
    return new Set(Array.from({ length: index.count }, (_, row) => idAt(index, row) as string))
  })
  return before!.difference(after!)
}

/** Returns the seconds until the gateway serves a snapshot; null if it does not. */
async function secondsUntilServed(client: Client, snapshot: string, mostMs: number): Promise<number | null> {
  const began = performance.now()
  // The swap can end after the interval: the gateway checks a large snapshot before it serves it.
  while (performance.now() - began < mostMs + 60_000) {
    const received = await client.receive({ target: '/api/v1/snapshot' }, 'identity')
    if (headerOf(received, 'snapshot-id') === snapshot) return (performance.now() - began) / 1000
    await pause(WATCH_MS)
  }
  return null
}
