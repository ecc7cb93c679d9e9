/** Mixes of requests: the load of a soak, and of a gateway whose memory is measured. */
import type { Random } from '../../../corpus/sample/random.ts'
import type { Catalog } from './catalog.ts'
import { type Draw, type KindName, kindOf } from './request-kinds.ts'

/** The weights of kinds of requests. The share of a kind is its weight divided by the sum of all weights. */
export type Mix = Partial<Record<KindName, number>>

export const MIXES = {
  /** Mirrors that read in bulk and poll, tools that look CVEs up, people who search. */
  day: {
    page25: 12,
    page100: 8,
    'unchanged-page': 8,
    detail: 18,
    'detail-any': 8,
    'detail-all': 4,
    'unchanged-detail': 10,
    part: 8,
    batch: 2,
    critical: 4,
    kev: 4,
    narrow: 3,
    weakness: 2,
    combined: 3,
    nothing: 1,
    ascending: 1,
    lists: 2,
    affected: 4,
    'affected-popular': 2,
    advisory: 2,
    suggest: 1,
    search: 0.6,
    q: 0.4,
  },
  /** Mirrors that read everything in pages and batches, and again with the tags of known answers. */
  mirrors: { page100: 60, batch: 15, 'unchanged-page': 25 },
  /** People who get suggestions while they type, then results, filters and details. */
  people: { suggest: 30, search: 10, q: 5, combined: 15, lists: 5, detail: 20, 'detail-any': 15 },
} satisfies Record<string, Mix>

export type MixName = keyof typeof MIXES

/**
 * Returns a function that draws the requests of a mix.
 * @throws Error if the snapshot is too small for one of its kinds
 */
export async function drawMix(mix: Mix, catalog: Catalog): Promise<Draw> {
  const draws: Draw[] = []
  for (const kind of Object.keys(mix) as KindName[]) draws.push(await kindOf(kind).draw(catalog))
  const chosen = chooser(Object.values(mix))
  return () => draws[chosen(catalog.random)]!()
}

/** Returns a function that draws an index of `weights`, with probability by weight. */
export function chooser(weights: readonly number[]): (random: Pick<Random, 'float'>) => number {
  let sum = 0
  const ends = weights.map((weight) => (sum += weight))
  return (random) => {
    const at = random.float() * sum
    return ends.findIndex((end) => at < end)
  }
}
