/** The combined metrics of all workers, and the primary's own. */
import { AggregatorRegistry, Gauge, Registry } from 'prom-client'
import { counter, type Exposed, watchLimits } from '../../metrics/metrics.ts'

export interface WorkerFigures {
  listening: number
  restarts: number
  swaps: number
  refusals: number
}

export interface MergedMetrics extends Exposed {
  /** The worker's last known counts stay in the totals. */
  ended(worker: number): Promise<void>
}

/** Omits workers that do not answer in time. `limitsShared` is null if limits are not shared with other gateways. */
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
  // Names of a single process. Workers only follow, so their own counts are 0.
  counter('vulnshelf_snapshot_swaps_total', 'New snapshots that were activated', registers, () => figures().swaps)
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

/** A total that decreases with a worker's end would look like a reset. */
const isCount = (metric: object) => 'type' in metric && (metric.type === 'counter' || metric.type === 'histogram')
