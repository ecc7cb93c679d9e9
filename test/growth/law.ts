/**
 * The law of growth: twice the input costs less than 2.5 times as much. An input that breaks the law is doubled again. Work
 * that takes another path from some size on jumps once; work that grows too fast breaks the law at both doublings.
 */
import { Random } from '../../corpus/sample/random.ts'
import type { Growing, Subject } from './subject.ts'

export const MOST_GROWTH = 2.5
export const GENERATED = 50

export interface Growth {
  /** `versions PyPI, generated 7`. */
  name: string
  /** At n and 2n, and at 4n if the first doubling breaks the law. */
  costs: [one: number, two: number, four?: number]
  /** The smaller ratio of the doublings. */
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
  const costAt = async (n: number) => costOf(await input(n))
  const [one, two] = [await costAt(size), await costAt(2 * size)]
  if (two / one < MOST_GROWTH) return { name, costs: [one, two], ratio: two / one }
  const four = await costAt(4 * size)
  return { name, costs: [one, two, four], ratio: Math.min(two / one, four / two) }
}
