/** The EPSS scores of a snapshot as two columns, and the JSON that they add to answers. SPEC.md, "EPSS". */
import { utcDate } from '../model/date.ts'
import type { Epss } from '../model/record.ts'
import { SnapshotError } from './error.ts'
import { column, decodeTable, encodeTable } from './table.ts'

/** EPSS of all CVEs of a snapshot; row `i` is the CVE `i` in the order of ids. */
export interface EpssColumns {
  /** `YYYY-MM-DD`; null, as is the model's version, where the corpus has no EPSS. */
  date: string | null
  modelVersion: string | null
  /** Score and percentile in billionths, which holds every published figure exactly; `NO_EPSS` where there is none. */
  scores: Uint32Array
  percentiles: Uint32Array
}

export const NO_EPSS = 0xffffffff
const UNIT = 1e9

/** A figure from 0 to 1 in billionths. */
export const toBillionths = (value: number): number => Math.round(value * UNIT)

/** The figure again: dividing two exact integers rounds to the same double as reading its decimals does. */
export const fromBillionths = (value: number): number => value / UNIT

export function encodeEpss({ date, modelVersion, scores, percentiles }: EpssColumns): Buffer {
  return encodeTable({ about: { date, model_version: modelVersion }, columns: { scores, percentiles } })
}

/** @throws SnapshotError `malformed` */
export function decodeEpss(bytes: Uint8Array): EpssColumns {
  const table = decodeTable(bytes)
  const { date, model_version: modelVersion } = table.about
  const scores = column(table, 'scores', 'u32')
  const percentiles = column(table, 'percentiles', 'u32')
  const release = readRelease(date, modelVersion)
  if (!release || scores.length !== percentiles.length)
    throw new SnapshotError('malformed', 'the EPSS table is damaged')
  return { ...release, scores, percentiles }
}

/** A day and the name of a model, or neither; null for anything else. */
function readRelease(date: unknown, modelVersion: unknown): Pick<EpssColumns, 'date' | 'modelVersion'> | null {
  if (date === null && modelVersion === null) return { date, modelVersion }
  if (typeof date !== 'string' || utcDate(date) !== date) return null
  if (typeof modelVersion !== 'string' || modelVersion === '') return null
  return { date, modelVersion }
}

/** EPSS of row `row`, or null where the feed has none. */
export function epssAt(epss: EpssColumns, row: number): Epss | null {
  const { date, modelVersion } = epss
  const score = epss.scores[row]
  if (score === undefined || score === NO_EPSS || date === null || modelVersion === null) return null
  return {
    score: fromBillionths(score),
    percentile: fromBillionths(epss.percentiles[row]!),
    date,
    model_version: modelVersion,
  }
}

/** What closes a core segment into a summary record: its last key, without the brace. */
export function epssMember(epss: Epss | null): string {
  if (!epss) return ',"epss":{"score":null,"percentile":null,"date":null}'
  // As JSON.stringify writes it, in a third of the time: a day was checked, so there is nothing to escape.
  return `,"epss":{"score":${epss.score},"percentile":${epss.percentile},"date":"${epss.date}"}`
}

/** The value of `current` in `epss_detail`. */
export function epssCurrent(epss: Epss | null): string {
  if (!epss) return 'null'
  const { date, score, percentile, model_version } = epss
  const model = JSON.stringify(model_version)
  return `{"date":"${date}","epss_score":${score},"percentile":${percentile},"model_version":${model}}`
}
