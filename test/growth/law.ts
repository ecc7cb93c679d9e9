/**
 * The law of growth: twice the input costs less than 2.5 times as much. Two doublings are measured. Work that takes another
 * path from some size on jumps once; work that grows too fast breaks the law at both.
 */
import { Random } from '../../corpus/sample/random.ts'
import type { Growing, Subject } from './subject.ts'

export const MOST_GROWTH = 2.5
export const GENERATED = 50

export interface Growth {
  /** `versions PyPI, generated 7`. */
  name: string
  /** At n, 2n and 4n. */
  costs: [number, number, number]
  /** The smaller one of the two ratios. */
  ratio: number
}

/** Returns all kinds of input of a subject by name: the worst known, and as many generated ones as stated. */
export function inputsOf({ name, worst, generated }: Subject, count = GENERATED): [name: string, input: Growing][] {
  const named = Object.entries(worst).map(([input, growing]): [string, Growing] => [`${name}, ${input}`, growing])
  const seeds = Array.from({ length: count }, (_, seed): [string, Growing] => {
    return [`${name}, generated ${seed}`, generated(new Random(`${name} ${seed}`))]
  })
  return [...named, ...seeds]
}

/** Returns how the cost of an input grows, by a measure of its work. */
export async function growthOf(
  [name, input]: [name: string, input: Growing],
  size: number,
  costOf: (work: () => unknown) => Promise<number>,
): Promise<Growth> {
  const costs: number[] = []
  for (const n of [size, 2 * size, 4 * size]) costs.push(await costOf(await input(n)))
  const [one, two, four] = costs as Growth['costs']
  return { name, costs: [one, two, four], ratio: Math.min(two / one, four / two) }
}
