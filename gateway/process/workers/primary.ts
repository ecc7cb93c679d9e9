/**
 * The primary process of several workers. It watches the pointer, counts the limits, keeps the log and the metrics,
 * and replaces workers that end. It answers no requests.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readCurrent, SnapshotError } from '../../../corpus/snapshot/index.ts'
import { GatewayError } from '../../http/errors.ts'
import { openLimits } from '../../limits/limits.ts'
import { startMetricsListener } from '../../metrics/listener.ts'
import { stampOf, watchPointer } from '../../snapshots/watch.ts'
import { MAX_CONNECTIONS } from '../bounds.ts'
import { whileGrowing } from '../drain.ts'
import type { GatewayOptions } from '../gateway.ts'
import type { OpenLog } from '../log.ts'
import type { RunningServer } from '../serve.ts'
import { countFor } from './limits.ts'
import { type Ended, type Member, startMember } from './member.ts'
import { mergedMetrics } from './metrics.ts'
import type { LimitAsk } from './protocol.ts'

export interface RunningWorkers extends Omit<RunningServer, 'stopListening'> {
  metricsUrl: string | null
  compatUrl: string | null
  /** Checks for a new snapshot and a changed access policy. */
  refresh(): Promise<void>
  /** Rejects when no worker can be started. Everything is closed then. */
  failed: Promise<never>
}

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 30_000
/** Consecutive failures before the gateway gives up, if no worker answers. */
const MOST_FAILURES = 6
/** A worker that ran this long did not fail at its start. */
const SETTLED_MS = 60_000
/** After the workers' own time to drain. */
const STOP_MS = 15_000
/** Longest wait for workers that accept connections late, and for those that stop listening late. */
const STOP_LISTENING_MS = 2000
const ACCEPT_ROUND_MS = 5
const SCRAPE_MS = 2000
/** Loading a snapshot is slow at low priority on a busy machine. */
const ANSWER_MS = 180_000

/**
 * Resolves when all workers answer.
 * @throws SnapshotError without a valid snapshot; GatewayError for an invalid option or an unavailable port
 */
export async function startWorkers(
  count: number,
  options: GatewayOptions,
  log: OpenLog,
  { answerMs = ANSWER_MS } = {},
): Promise<RunningWorkers> {
  const { dist, pollMs = 2000, maxConnections = MAX_CONNECTIONS } = options
  // The primary distributes connections in turn.
  const forWorkers = { ...options, maxConnections: Math.ceil(maxConnections / count) }
  const seen = stampOf(dist)
  const first = readCurrent(dist)
  const limits = await openLimits(options, log)
  const onLimits = async (asks: LimitAsk[], member: Member) => member.send(await countFor(limits, asks))
  let serving = { id: first.manifest.snapshot, digest: first.pointer.manifest.sha256 }
  /** Answering workers, with the digest of their manifest. */
  const members = new Map<Member, string>()
  const alive = new Set<Member>()
  const timers = new Set<NodeJS.Timeout>()
  let failures = 0
  let restarts = 0
  let numbered = 0
  let stopping: Promise<void> | null = null
  const failed = Promise.withResolvers<never>()
  // Prevents an unhandled rejection.
  failed.promise.catch(() => {})
  /** Admissions and activations run one at a time. */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }

  function start(): Member {
    const member = startMember({ log: log.options, pass: log.pass, onLimits, answerMs })
    alive.add(member)
    return member
  }

  async function load(member: Member): Promise<string> {
    await member.waitFor('hello')
    const { digest } = serving
    const loaded = member.waitFor('loaded')
    // Workers have no metrics listener; the primary scrapes them.
    member.send({ kind: 'start', options: forWorkers, digest })
    await loaded
    return digest
  }

  async function prepare(member: Member, digest: string): Promise<void> {
    const number = ++numbered
    const prepared = member.waitFor('prepared', (message) => message.number === number)
    member.send({ kind: 'prepare', digest, number })
    const { error } = await prepared
    if (error) throw new SnapshotError('malformed', error.message)
    log.info({ worker: member.id, digest }, 'worker loaded new snapshot')
  }

  /** Another snapshot may be active since the worker loaded `digest`. */
  async function admit(member: Member, digest: string) {
    if (digest !== serving.digest) {
      await prepare(member, serving.digest)
      member.send({ kind: 'commit' })
    }
    const listening = member.waitFor('listening')
    member.send({ kind: 'listen' })
    const { url, port, compatUrl } = await listening
    members.set(member, serving.digest)
    log.info({ worker: member.id, pid: member.pid }, 'worker listening')
    member.watch()
    void member.ended.then((ended) => replace(member, ended))
    return { url, port, compatUrl }
  }

  /** The delay increases with repeated failures. */
  function replace(member: Member, { code, signal, hung }: Ended): void {
    const { id, pid } = member
    members.delete(member)
    alive.delete(member)
    void merged?.ended(id)
    if (stopping) return
    const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures++)
    if (members.size === 0 && failures >= MOST_FAILURES) {
      log.error({ worker: id, pid, code, signal, hung }, 'worker ended')
      giveUp()
      return
    }
    log.error({ worker: id, pid, code, signal, hung, delayMs }, 'worker ended, restarting')
    later(() => void restart(), delayMs)
  }

  function giveUp(): void {
    const error = new GatewayError('worker_ended', `${failures} workers ended in a row; the log has the reasons`)
    log.error({ err: error }, 'all workers ended, stopping')
    void close().then(() => failed.reject(error))
  }

  async function restart(): Promise<void> {
    restarts++
    const member = start()
    try {
      const digest = await load(member)
      await inTurn(() => admit(member, digest))
      log.info({ worker: member.id, pid: member.pid }, 'worker restarted')
      later(() => {
        if (members.has(member)) failures = 0
      }, SETTLED_MS)
    } catch (error) {
      if (stopping) return
      log.error({ err: error, worker: member.id, pid: member.pid }, 'worker failed to start')
      member.kill()
      replace(member, await member.ended)
    }
  }

  function later(work: () => void, ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms).unref()
    timers.add(timer)
  }

  /** All workers load the snapshot before any serves it, so that its cursors work in all of them. */
  async function takeUp(digest: string, id: string): Promise<void> {
    const those = [...members.keys()]
    const outcomes = await Promise.allSettled(those.map((member) => prepare(member, digest)))
    // Ignores workers that died meanwhile: their replacements load the current snapshot.
    const refused = outcomes.find((outcome, i) => outcome.status === 'rejected' && !those[i]!.isGone())
    if (refused?.status === 'rejected') {
      for (const member of members.keys()) member.send({ kind: 'abandon' })
      throw refused.reason
    }
    serving = { id, digest }
    for (const member of members.keys()) {
      member.send({ kind: 'commit' })
      members.set(member, digest)
    }
  }

  const watch = watchPointer(dist, seen, {
    pollMs: 0,
    log,
    serving: () => serving.id,
    take: ({ pointer, manifest }) => inTurn(() => takeUp(pointer.manifest.sha256, manifest.snapshot)),
  })
  const figures = () => ({ listening: members.size, restarts, ...watch.figures })
  const merged =
    options.metricsPort === undefined ? null : mergedMetrics(() => scrape([...members.keys()]), figures, limits.shared)
  let metrics: RunningServer | null = null
  let poll: NodeJS.Timeout | null = null

  /**
   * Resolves when no worker listens. Before, the workers accept all connections that have arrived: each gets one at a
   * time, so none waits if every worker has accepted its last one. Connections stay open meanwhile, because a client
   * that connects again could reach another worker that is about to stop listening.
   */
  async function stopListening(): Promise<void> {
    const end = performance.now() + STOP_LISTENING_MS
    const connections = () => Array.from(members.keys(), (member) => member.connections())
    do {
      await sleep(ACCEPT_ROUND_MS)
      await whileGrowing(() => connections().reduce((sum, { handed }) => sum + handed, 0), end - performance.now())
    } while (connections().some(({ unaccepted }) => unaccepted > 0) && performance.now() < end)
    const stopped = Array.from(members.keys(), (member) => {
      member.send({ kind: 'stopListening' })
      return member.waitFor('stoppedListening')
    })
    await Promise.race([Promise.allSettled(stopped), sleep(STOP_LISTENING_MS, undefined, { ref: false })])
  }

  async function stop(): Promise<void> {
    for (const timer of timers) clearTimeout(timer)
    if (poll) clearInterval(poll)
    watch.close()
    await stopListening()
    for (const member of alive) member.send({ kind: 'stop' })
    const late = setTimeout(() => {
      for (const member of alive) member.kill()
    }, STOP_MS)
    await Promise.all([...alive].map(({ ended }) => ended))
    clearTimeout(late)
    limits.close()
    await metrics?.close()
  }
  const close = () => {
    stopping ??= stop()
    return stopping
  }

  async function scrape(those: readonly Member[]): Promise<Map<number, object[]>> {
    const found = new Map<number, object[]>()
    const late = new Promise<void>((resolve) => setTimeout(resolve, SCRAPE_MS).unref())
    const asked = those.map(async (member) => {
      const number = ++numbered
      const scraped = member.waitFor('scraped', (message) => message.number === number)
      member.send({ kind: 'scrape', number })
      found.set(member.id, (await scraped).metrics)
    })
    await Promise.race([Promise.allSettled(asked), late])
    return found
  }

  try {
    if (merged) {
      const { metricsPort: port = 0, metricsHost: host } = options
      metrics = await startMetricsListener(merged, { port, ...(host === undefined ? {} : { host }) })
    }
    const loading = Array.from({ length: count }, start).map(async (member) => ({ member, digest: await load(member) }))
    // All workers load before any accepts connections.
    const loaded = await Promise.all(loading)
    const listening = []
    for (const { member, digest } of loaded) listening.push(await inTurn(() => admit(member, digest)))
    log.info({ workers: count, snapshot: serving.id }, 'all workers ready')
    void watch.checkServed(first.manifest)
    if (pollMs > 0) poll = setInterval(() => void watch.refresh(), pollMs).unref()
    const { url, port, compatUrl } = listening[0]!
    const metricsUrl = metrics && `${metrics.url}/metrics`
    const refresh = async () => {
      for (const member of members.keys()) member.send({ kind: 'refresh' })
      await watch.refresh()
    }
    return { url, port, metricsUrl, compatUrl, refresh, close, failed: failed.promise }
  } catch (error) {
    stopping = Promise.resolve()
    for (const member of alive) member.kill()
    await Promise.all([...alive].map(({ ended }) => ended))
    watch.close()
    limits.close()
    await metrics?.close()
    throw error
  }
}
