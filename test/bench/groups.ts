/** The parts of the bench by the first word of their lines' names, in the order in which they are measured. */
import { buildLines } from './build/build.ts'
import type { BenchGroup } from './report/line.ts'

export const GROUPS: Readonly<Record<string, readonly BenchGroup[]>> = {
  build: [buildLines],
}
