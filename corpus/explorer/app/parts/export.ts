/** Files of the rows of a list: CSV and NDJSON. */
import { type Cell, csvLine } from '../../../reader/csv.ts'
import type { Page } from '../data/answers.ts'
import { type Api, MAX_LIMIT, type Params } from '../data/api.ts'
import { patiently, type WaitOptions } from '../data/wait.ts'

export type Format = 'csv' | 'ndjson'

/** More rows need the API or a copy of the snapshot: a tab has all of them in memory. */
export const MOST_ROWS = 50_000

/**
 * Yields the rows of a list page by page, at most `MOST_ROWS`. After a 429 or 503 with `Retry-After` it waits, then
 * continues with the same cursor. Finally returns whether these are all rows.
 * @throws ApiFailure; DOMException `AbortError`
 */
export async function* walk<Row extends object>(
  api: Pick<Api, 'get'>,
  path: string,
  params: Params,
  options: WaitOptions,
): AsyncGenerator<Row[], boolean> {
  let cursor: string | null = null
  for (let count = 0; count < MOST_ROWS; ) {
    const ask = () => api.get<Page<Row>>(path, { ...params, limit: MAX_LIMIT, cursor }, options.signal)
    const { data, pagination } = await patiently(ask, options)
    count += data.length
    yield data
    cursor = pagination.next_cursor
    if (cursor === null) return true
  }
  return false
}

/** Returns the lines of a file: the JSON of each row, or records of RFC 4180 with the names of the columns first. */
export function linesOf(rows: readonly object[], format: Format): string[] {
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`)
  const columns = new Map<string, number>()
  // A field is an object in some rows and null in others. Then it has no column of its own.
  const objects = new Set<string>()
  const cells = rows.map((row) => cellsOf(row, columns, objects))
  const shown = [...columns].filter(([name]) => !objects.has(name))
  return [shown.map(([name]) => name), ...cells.map((row) => shown.map(([, at]) => row[at] ?? null))].map(csvLine)
}

/** Returns the cells of a row. Adds the names of its columns: fields of an object have its name as prefix. */
function cellsOf(row: object, columns: Map<string, number>, objects: Set<string>): Cell[] {
  const cells: Cell[] = []
  const add = (fields: object, prefix: string) => {
    for (const [field, value] of Object.entries(fields)) {
      const name = `${prefix}${field}`
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        objects.add(name)
        add(value, `${name}_`)
        continue
      }
      const at = columns.get(name) ?? columns.size
      columns.set(name, at)
      cells[at] = Array.isArray(value) ? listCell(value) : value
    }
  }
  add(row, '')
  return cells
}

/** Items with `;` between them. A list of objects is JSON. */
const listCell = (values: readonly unknown[]): string =>
  values.every((value) => typeof value !== 'object') ? values.join(';') : JSON.stringify(values)

/** Returns a file name with the snapshot and the filters: `cves-94ac31b8bb2f-kev-true.csv`. */
export function fileName(list: string, snapshotId: string | null, params: Params, format: Format): string {
  const filters = Object.entries(params).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' || ROW_FIELDS.has(name) ? [] : `${name}-${value}`,
  )
  const parts = [list, snapshotId?.slice(0, 12) ?? '', ...filters]
  const name = parts.map((part) => part.replace(/[^\w.,-]+/g, '_')).filter((part) => part !== '')
  return `${name.join('-').slice(0, 150)}.${format}`
}

/** Parameters that select fields, not rows. */
const ROW_FIELDS: ReadonlySet<string> = new Set(['fields', 'include'])
