/** A mix of requests, defined by a file of `mixes/`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../../corpus/sample/random.ts'
import type { Catalog } from './catalog.ts'
import { type Draw, isKindName, type KindName, kindOf, REQUEST_KINDS } from './request-kinds.ts'

export interface Mix {
  title: string
  requests: { kind: KindName; weight: number }[]
}

/**
 * Reads a mix of this folder by its name, or any file by its path.
 * @throws Error that names the file and its fault
 */
export function readMix(nameOrPath: string): Mix {
  const path = /[./]/.test(nameOrPath) ? nameOrPath : join(import.meta.dirname, 'mixes', `${nameOrPath}.json`)
  try {
    return parseMix(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** @throws Error that describes the fault */
export function parseMix(text: string): Mix {
  const { title, requests } = onlyWith(JSON.parse(text), ['title', 'requests'], 'a mix')
  if (typeof title !== 'string' || title === '') throw new Error("'title' must be a text")
  if (!Array.isArray(requests) || requests.length === 0) throw new Error("'requests' must be a list, and not empty")
  const kinds = new Set<string>()
  return {
    title,
    requests: requests.map((request: unknown) => {
      const { kind, weight } = onlyWith(request, ['kind', 'weight'], 'a request')
      if (typeof kind !== 'string' || !isKindName(kind)) {
        throw new Error(`'${String(kind)}' is no kind of request; known are ${Object.keys(REQUEST_KINDS).join(', ')}`)
      }
      if (typeof weight !== 'number' || !(weight > 0 && weight < Number.POSITIVE_INFINITY)) {
        throw new Error(`'weight' of ${kind} must be a number above 0`)
      }
      if (kinds.has(kind)) throw new Error(`${kind} comes twice`)
      kinds.add(kind)
      return { kind, weight }
    }),
  }
}

function onlyWith(value: unknown, names: readonly string[], what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`)
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) throw new Error(`${what} has ${names.join(' and ')}, not '${name}'`)
  }
  return { ...value }
}

/**
 * Returns a function that draws the requests of a mix.
 * @throws Error if the snapshot is too small for one of its kinds
 */
export async function drawMix({ requests }: Mix, catalog: Catalog): Promise<Draw> {
  const draws: Draw[] = []
  for (const { kind } of requests) draws.push(await kindOf(kind).draw(catalog))
  const chosen = chooser(requests.map(({ weight }) => weight))
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
