/** The filters of a CVE list, and their canonical form. */

import type { CveId } from '../../model/ids/cve-id.ts'
import type { Severity } from '../../model/record.ts'
import { type DateBound, untilMs } from '../../model/values/date-bound.ts'
import { fold } from '../codec/fold.ts'
import { cweNumber } from '../derive/facts.ts'

/** The filters of a request. Time bounds are inclusive, in ms since the epoch. */
export interface CveFilters {
  q?: string | undefined
  severity?: readonly Severity[] | undefined
  kev?: boolean | undefined
  has_exploit?: boolean | undefined
  has_patch?: boolean | undefined
  has_detection?: boolean | undefined
  assigner?: string | undefined
  /** A weakness number, as the primary weakness or in any mapping (API 20.2). */
  cwe?: { number: number; scope: 'primary' | 'any' } | undefined
  /** Slug of a CNA; its names are joined by folding (rule 27). */
  cna?: string | undefined
  epss_min?: number | undefined
  published_since?: number | undefined
  published_until?: number | undefined
  updated_since?: number | undefined
  ids?: readonly CveId[] | undefined
}

/** Filters before normalization: original texts, dates as days or instants, a weakness as `cwe-79`. */
export interface GivenFilters extends Omit<CveFilters, 'cwe' | 'cna' | TimeFilter> {
  cwe?: string | undefined
  published_since?: DateBound | undefined
  published_until?: DateBound | undefined
  updated_since?: DateBound | undefined
}
type TimeFilter = 'published_since' | 'published_until' | 'updated_since'

/**
 * Returns filters in the canonical form of cursors, where key order matters. `severity` and `ids` must be free of
 * duplicates; `severity` sorted by band, worst first.
 */
export function canonicalFilters(given: GivenFilters): CveFilters {
  return {
    q: given.q && fold(given.q),
    severity: given.severity,
    kev: given.kev,
    has_exploit: given.has_exploit,
    has_patch: given.has_patch,
    has_detection: given.has_detection,
    assigner: given.assigner && fold(given.assigner),
    cwe: given.cwe === undefined ? undefined : { number: cweNumber(given.cwe), scope: 'primary' },
    epss_min: given.epss_min,
    published_since: given.published_since?.ms,
    published_until: given.published_until && untilMs(given.published_until),
    updated_since: given.updated_since?.ms,
    ids: given.ids && [...given.ids].sort(),
  }
}
