/** The metrics of all workers together, with what only the primary knows. */
import { AggregatorRegistry, Gauge, Registry } from 'prom-client'
import { counter, type Exposed, watchLimits } from '../metrics/metrics.ts'

export interface WorkerFigures {
  listening: number
  restarts: number
  swaps: number
  refusals: number
}

export interface MergedMetrics extends Exposed {
  /** A worker ended: what it had counted when it was last asked still counts. */
  ended(worker: number): Promise<void>
}

/**
 * `scrape` asks all workers; one that does not answer in time is left out. `limitsShared` is null where limits are not to
 * be shared with other gateways.
 */
export function mergedMetrics(
  scrape: () => Promise<Map<number, object[]>>,
  figures: () => WorkerFigures,
  limitsShared: (() => boolean) | null,
): MergedMetrics {
  const own = new Registry()
  const registers = [own]
  counter(
    'vulnshelf_worker_restarts_total',
    'Workers started in place of one that ended',
    registers,
    () => figures().restarts,
  )
  // By the names under which a single process counts them: those of the workers, who only follow, are 0.
  counter('vulnshelf_snapshot_swaps_total', 'New snapshots taken up', registers, () => figures().swaps)
  counter('vulnshelf_snapshot_refusals_total', 'New snapshots refused as unsound', registers, () => figures().refusals)
  new Gauge({
    name: 'vulnshelf_workers',
    help: 'Workers that answer',
    registers,
    collect() {
      this.set(figures().listening)
    },
  })
  watchLimits(limitsShared, registers)
  /** By worker, as they were last read. */
  const last = new Map<number, object[]>()
  let past: object[] = []

  return {
    contentType: own.contentType,
    async expose() {
      for (const [worker, metrics] of await scrape()) last.set(worker, metrics)
      const all = [await own.getMetricsAsJSON(), ...last.values(), past]
      return AggregatorRegistry.aggregate(all).metrics()
    },
    async ended(worker) {
      const metrics = last.get(worker)
      last.delete(worker)
      if (metrics) past = await AggregatorRegistry.aggregate([past, metrics.filter(isCount)]).getMetricsAsJSON()
    },
  }
}

/** A total that went down with a worker would look like one that began anew. */
const isCount = (metric: object) => 'type' in metric && (metric.type === 'counter' || metric.type === 'histogram')
