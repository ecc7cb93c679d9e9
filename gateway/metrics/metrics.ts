/** The metrics of a gateway, in a registry of their own. The README lists names and labels. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { AUTH_FAULTS } from '../http/errors.ts'
import type { QueryFigures } from '../query/queries.ts'
import type { RegistryFigures } from '../snapshots/registry.ts'
import { LIMITS, type Meter } from './meter.ts'
import { type AnswerCount, createTally, type Tally } from './tally.ts'

export interface Watched {
  registry(): RegistryFigures
  queries(): QueryFigures
  /** Null if limits are not shared. */
  limitsShared: (() => boolean) | null
  /** Connections that were closed because too many were open. */
  connectionsRefused(): number
  /** Milliseconds since 1970. */
  now(): number
}

export interface Exposed {
  /** In Prometheus' text format. */
  expose(): Promise<string>
  contentType: string
}

export interface Metrics extends Exposed {
  meter: Meter
  /** For the aggregation of several processes. */
  collect(): Promise<object[]>
}

/** In seconds. Most answers take tens of microseconds; the slowest have a deadline of two seconds. */
const DURATION_BOUNDS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5]

export function createMetrics(watched: Watched): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const tally = createTally(DURATION_BOUNDS)
  watchAnswers(tally, registers)
  const refusals = new Counter({
    name: 'vulnshelf_rate_limited_total',
    help: 'Requests rejected by a limit: of the subject, of invalid tokens, or of requests without a token from one address',
    labelNames: ['limit'],
    registers,
  })
  const faults = new Counter({
    name: 'vulnshelf_auth_failures_total',
    help: 'Requests without a valid token, by reason',
    labelNames: ['fault'],
    registers,
  })
  // Series that exist from the start show their first increase.
  for (const limit of LIMITS) refusals.inc({ limit }, 0)
  for (const fault of AUTH_FAULTS) faults.inc({ fault }, 0)
  watchRegistry(watched, registers)
  watchQueries(watched, registers)
  counter(
    'vulnshelf_connections_refused_total',
    'Connections closed because too many were open',
    registers,
    watched.connectionsRefused,
  )
  watchLimits(watched.limitsShared, registers)
  collectDefaultMetrics({ register: registry })

  return {
    meter: {
      answered: tally.add,
      refused: (limit) => refusals.inc({ limit }),
      unrecognised: (fault) => faults.inc({ fault }),
    },
    expose: () => registry.metrics(),
    collect: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  }
}

function watchAnswers(tally: Tally, registers: Registry[]): void {
  const labelNames = ['route', 'status', 'served_from'] as const
  const counter = (name: string, help: string, read: (answers: AnswerCount) => number) =>
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        for (const row of tally.answers()) {
          this.inc({ route: row.route, status: row.status, served_from: row.servedFrom }, read(row))
        }
      },
    })
  counter('vulnshelf_requests_total', 'Requests answered, by route template, status and source', ({ count }) => count)
  counter('vulnshelf_response_bytes_total', 'Bytes of the bodies sent', ({ bytes }) => bytes)
  new TalliedDurations(tally, registers)
}

const DURATIONS = {
  name: 'vulnshelf_request_duration_seconds',
  help: 'Time from the parsed request until its answer is handed to the socket',
}

class TalliedDurations extends Histogram<string> {
  readonly #tally: Tally

  constructor(tally: Tally, registers: Registry[]) {
    super({ ...DURATIONS, labelNames: ['route'], buckets: DURATION_BOUNDS, registers })
    this.#tally = tally
  }

  /** For the text format. */
  async getForPromString() {
    const values = this.#tally.durations().flatMap(({ route, counts, sum }) => {
      let count = 0
      const sample = (suffix: string, value: number, le?: number | '+Inf') => ({
        metricName: `${DURATIONS.name}_${suffix}`,
        labels: le === undefined ? { route } : { le, route },
        value,
      })
      const buckets = counts.map((more, i) => {
        count += more
        return sample('bucket', count, DURATION_BOUNDS[i] ?? '+Inf')
      })
      return [...buckets, sample('sum', sum), sample('count', count)]
    })
    return { ...DURATIONS, type: 'histogram', values, aggregator: 'sum' }
  }

  /** For JSON. */
  override get() {
    return this.getForPromString() as unknown as ReturnType<Histogram<string>['get']>
  }
}

function watchRegistry({ registry, now }: Watched, registers: Registry[]): void {
  new Gauge({
    name: 'vulnshelf_snapshot_info',
    help: 'Always 1; the label names the snapshot that is served',
    labelNames: ['snapshot'],
    aggregator: 'first',
    registers,
    collect() {
      this.reset()
      this.set({ snapshot: registry().snapshot }, 1)
    },
  })
  const age = () => (now() - registry().createdAt) / 1000
  gauge('vulnshelf_snapshot_age_seconds', 'Time since the date of the served snapshot', registers, age, 'max')
  new Gauge({
    name: 'vulnshelf_feed_age_seconds',
    help: 'Time since the date of each feed in the served snapshot',
    labelNames: ['feed'],
    aggregator: 'max',
    registers,
    collect() {
      this.reset()
      for (const [feed, date] of registry().feeds) this.set({ feed }, (now() - date) / 1000)
    },
  })
  gauge(
    'vulnshelf_snapshots_open',
    'Snapshots kept open, the served one included',
    registers,
    () => registry().open,
    'max',
  )
  counter('vulnshelf_snapshot_swaps_total', 'New snapshots that were activated', registers, () => registry().swaps)
  counter('vulnshelf_snapshot_refusals_total', 'New snapshots refused as unsound', registers, () => registry().refusals)
}

function watchQueries({ queries }: Watched, registers: Registry[]): void {
  gauge('vulnshelf_queries_waiting', 'Text queries that wait for their turn', registers, () => queries().waiting)
  counter('vulnshelf_query_timeouts_total', 'Text queries past their deadline', registers, () => queries().timeouts)
  counter('vulnshelf_query_refusals_total', 'Text queries refused by a full queue', registers, () => queries().refusals)
}

/** Omitted without shared limits, because 0 would look like a fault. */
export function watchLimits(shared: (() => boolean) | null, registers: Registry[]): void {
  if (shared === null) return
  const help = 'Whether Redis counts the limits of all gateways together: 0 while it is away'
  gauge('vulnshelf_limits_shared', help, registers, () => Number(shared()))
}

/** `aggregator` combines processes. */
function gauge(
  name: string,
  help: string,
  registers: Registry[],
  read: () => number,
  aggregator: 'sum' | 'max' = 'sum',
): void {
  new Gauge({
    name,
    help,
    registers,
    aggregator,
    collect() {
      this.set(read())
    },
  })
}

/** The value is counted elsewhere. */
export function counter(name: string, help: string, registers: Registry[], read: () => number): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset()
      this.inc(read())
    },
  })
}
