/** The CVEs that a cell of the table of EPSS against CVSS counts, as filters of `GET /cves`. */

import type { Stats } from '../data/answers.ts'
import type { Params } from '../data/api.ts'

/** Scores have one decimal. */
const STEP = 0.1

type Bounds = Pick<Stats['epss_by_cvss'], 'epss_from' | 'cvss_from'>

/** A score on a bound belongs to the higher band; the last bands include 1 and 10. */
export function cellParams({ epss_from: epss, cvss_from: cvss }: Bounds, band: number, column: number): Params {
  const next = cvss[column + 1]
  return {
    epss_min: epss[band]!,
    epss_below: epss[band + 1],
    cvss_min: cvss[column]!,
    cvss_max: next === undefined ? undefined : Number((next - STEP).toFixed(1)),
  }
}
