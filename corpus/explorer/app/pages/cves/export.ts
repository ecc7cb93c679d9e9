/** Files of the rows of a CVE list: CSV and NDJSON. */

import { type Cell, csvLine } from '../../../../reader/csv.ts'
import type { CveRow, Page } from '../../data/answers.ts'
import { type Api, MAX_LIMIT, type Params } from '../../data/api.ts'
import { patiently, type WaitOptions } from '../../data/wait.ts'

export type Format = 'csv' | 'ndjson'

/** More rows need the API or a copy of the snapshot: a tab has all of them in memory. */
export const MOST_ROWS = 50_000

/**
 * Yields the rows of a list page by page, at most `MOST_ROWS`. After a 429 or 503 with `Retry-After` it waits, then
 * continues with the same cursor. Finally returns whether these are all rows.
 * @throws ApiFailure; DOMException `AbortError`
 */
export async function* walk(
  api: Pick<Api, 'get'>,
  params: Params,
  options: WaitOptions,
): AsyncGenerator<CveRow[], boolean> {
  let cursor: string | null = null
  for (let count = 0; count < MOST_ROWS; ) {
    const ask = () => api.get<Page<CveRow>>('/cves', { ...params, limit: MAX_LIMIT, cursor }, options.signal)
    const { data, pagination } = await patiently(ask, options)
    count += data.length
    yield data
    cursor = pagination.next_cursor
    if (cursor === null) return true
  }
  return false
}

/** The columns of the CSV file: the fields of a summary record. Fields of objects have the name of the object as prefix. */
const COLUMNS: readonly (readonly [string, (row: CveRow) => Cell])[] = [
  ['cve_id', (row) => row.cve_id],
  ['state', (row) => row.state],
  ['title', (row) => row.title],
  ['description', (row) => row.description],
  ['severity', (row) => row.severity],
  ['cvss_score', (row) => row.cvss_score],
  ['cvss_score_source', (row) => row.cvss_score_source],
  ['date_published', (row) => row.date_published],
  ['date_updated', (row) => row.date_updated],
  ['assigner', (row) => row.assigner],
  ['kev_listed', (row) => row.kev.listed],
  ['kev_date_added', (row) => row.kev.date_added],
  ['ssvc_exploitation', (row) => row.ssvc.exploitation],
  ['ssvc_automatable', (row) => row.ssvc.automatable],
  ['ssvc_technical_impact', (row) => row.ssvc.technical_impact],
  ['ssvc_decision', (row) => row.ssvc.decision],
  ['epss_score', (row) => row.epss.score],
  ['epss_percentile', (row) => row.epss.percentile],
  ['epss_date', (row) => row.epss.date],
  ['has_patch', (row) => row.has_patch],
  ['has_workaround', (row) => row.has_workaround],
  ['has_exploit', (row) => row.has_exploit],
  ['has_detection', (row) => row.has_detection],
  ['detection_layers', (row) => row.detection_layers.join(';')],
  ['primary_cwe_id', (row) => row.primary_cwe_id],
]

const withChange: typeof COLUMNS = [...COLUMNS, ['epss_change', (row) => row.epss_change ?? null]]
const columnsOf = (hasChange: boolean) => (hasChange ? withChange : COLUMNS)

/** Returns the first line of a file, or an empty text. `hasChange`: rows have the change of the EPSS score. */
export const headOf = (format: Format, hasChange = false): string =>
  format === 'csv'
    ? `${columnsOf(hasChange)
        .map(([name]) => name)
        .join(',')}\r\n`
    : ''

/** Returns the lines of a row: a record of RFC 4180, or the JSON of the row. */
export function lineOf(row: CveRow, format: Format, hasChange = false): string {
  if (format === 'ndjson') return `${JSON.stringify(row)}\n`
  return csvLine(columnsOf(hasChange).map(([, value]) => value(row)))
}

/** Returns a file name with the snapshot and the filters: `cves-94ac31b8bb2f-kev-true.csv`. */
export function fileName(snapshotId: string | null, params: Params, format: Format): string {
  const filters = Object.entries(params).map(([name, value]) => `${name}-${value}`)
  const parts = ['cves', snapshotId?.slice(0, 12) ?? '', ...filters]
  const name = parts.map((part) => part.replace(/[^\w.,-]+/g, '_')).filter((part) => part !== '')
  return `${name.join('-').slice(0, 150)}.${format}`
}
