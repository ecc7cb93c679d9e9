/** The groups of the bench by the first part of their lines' names, in the order of measurement. */
import { alternativeLines } from './alternatives/http.ts'
import { planLines } from './alternatives/plans.ts'
import { buildLines } from './build/build.ts'
import { compatLines } from './compat/bulk.ts'
import { processLines } from './http/footprint.ts'
import { httpLines } from './http/http.ts'
import { stallLines } from './http/stall.ts'
import { mirrorLines } from './mirror/mirror.ts'
import type { BenchGroup } from './report/line.ts'

export const GROUPS: Readonly<Record<string, BenchGroup>> = {
  build: buildLines,
  mirror: mirrorLines,
  http: httpLines,
  compat: compatLines,
  stall: stallLines,
  process: processLines,
  plans: planLines,
  alternatives: alternativeLines,
}
