/** The parts of the bench by the first word of their lines' names, in the order in which they are measured. */
import { alternativeLines } from './alternatives/http.ts'
import { planLines } from './alternatives/plans.ts'
import { buildLines } from './build/build.ts'
import { httpLines } from './http/http.ts'
import type { BenchGroup } from './report/line.ts'

export const GROUPS: Readonly<Record<string, readonly BenchGroup[]>> = {
  build: [buildLines],
  http: [httpLines],
  plans: [planLines],
  alternatives: [alternativeLines],
}
