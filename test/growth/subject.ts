/** What the law of growth is tested on. */
import type { Random } from '../../corpus/sample/random.ts'

/** Returns the work on an input of size `n`. Only the work is measured, not what prepares it. */
export type Growing = (n: number) => (() => unknown) | Promise<() => unknown>

export interface Subject {
  /** `versions PyPI`. */
  name: string
  /** The smallest input. The others are twice and four times as large. */
  size: number
  /** The inputs that are known to cost most, by name. */
  worst: Readonly<Record<string, Growing>>
  /** Returns a kind of input by a seed: the same one at every size. */
  generated(random: Random): Growing
}

/** What the modules of `subjects/` export. */
export type OpenSubjects = (...given: string[]) => Promise<{ subjects: Subject[]; close?(): Promise<void> }>

/** Returns a text of about `n` characters: a random unit of some of the parts, repeated, between random ends. */
export function repeated(random: Random, parts: readonly string[]): (n: number) => string {
  const some = (count: number) => Array.from({ length: count }, () => random.pick(parts)).join('')
  const [head, unit, tail] = [some(random.int(3)), some(1 + random.int(4)), some(random.int(3))]
  // Whole units, because half of one can be read in another way.
  return (n) => head + unit.repeat(Math.floor(n / unit.length)) + tail
}
