/**
 * A page of `/cves` in SQL. One statement returns the rows with a sort key, another one those without, which come last
 * (rule 6). A page continues after the key of the last row (keyset), so a deep page costs no more.
 */
import type { Database, Statement } from 'better-sqlite3'
import type { CveSort } from '../../../corpus/snapshot/cursor/order.ts'
import type { CveFilters } from '../../../corpus/snapshot/filter/filters.ts'
import { SEVERITY_CODES, SORT_COLUMNS } from './schema.ts'

export interface ListRequest {
  sort: { key: CveSort; descending: boolean }
  filters: CveFilters
  limit: number
  after: SqlKey | null
}

/** The position after which a page continues: the sort key of its last row, and its `n`. */
export type SqlKey = [key: number | null, n: number]

/** A row of a page: its `n`, its sort key and the JSON of its summary record. */
export type ListRow = [n: number, key: number | null, json: string]

export interface ListPage {
  rows: ListRow[]
  /** The position after the last row; null if nothing follows. */
  next: SqlKey | null
}

interface Condition {
  sql: string
  values: (string | number)[]
}

/** Returns a function that answers pages. Statements are prepared once for each form of a query. */
export function listQueries(database: Database): (request: ListRequest) => ListPage {
  const prepared = new Map<string, Statement>()
  const rowsOf = (request: ListRequest, keyed: boolean, most: number): ListRow[] => {
    const { sql, values } = statementOf(request, keyed)
    let statement = prepared.get(sql)
    if (!statement) {
      statement = database.prepare(sql).raw()
      prepared.set(sql, statement)
    }
    return statement.all(...values, most) as ListRow[]
  }
  return (request) => {
    // One more than requested, to detect a next page.
    const most = request.limit + 1
    const rows = request.after?.[0] === null ? [] : rowsOf(request, true, most)
    if (rows.length < most && !boundsKey(request)) rows.push(...rowsOf(request, false, most - rows.length))
    const page = rows.slice(0, request.limit)
    const last = page.at(-1)
    return { rows: page, next: rows.length > request.limit && last ? [last[1], last[0]] : null }
  }
}

/** Returns whether a filter bounds the sort key, so that rows without one do not match. */
function boundsKey({ sort: { key }, filters }: ListRequest): boolean {
  if (key === 'published') return filters.published_since !== undefined || filters.published_until !== undefined
  if (key === 'updated') return filters.updated_since !== undefined
  return key === 'epss' && filters.epss_min !== undefined
}

/** Returns the statement for rows with a sort key, or for those without. Its last parameter is the number of rows. */
export function statementOf(request: ListRequest, keyed: boolean): Condition {
  const { sort, after } = request
  const column = SORT_COLUMNS[sort.key]
  const [direction, beyond] = sort.descending ? ['DESC', '<'] : ['ASC', '>']
  const conditions = conditionsOf(request.filters)
  conditions.push({ sql: `${column} IS ${keyed ? 'NOT NULL' : 'NULL'}`, values: [] })
  if (keyed && after && after[0] !== null) {
    conditions.push({ sql: `(${column}, n) ${beyond} (?, ?)`, values: [after[0], after[1]] })
  }
  if (!keyed && after?.[0] === null) conditions.push({ sql: `n ${beyond} ?`, values: [after[1]] })
  const where = conditions.map(({ sql }) => sql).join(' AND ')
  const order = keyed ? `${column} ${direction}, n ${direction}` : `n ${direction}`
  // A covering index selects the rows; JSON is read only for the rows of the page.
  const page = `SELECT n, ${column} AS key FROM cve WHERE ${where} ORDER BY ${order} LIMIT ?`
  return {
    sql: `SELECT n, key, json FROM (${page}) CROSS JOIN summary USING (n)`,
    values: conditions.flatMap(({ values }) => values),
  }
}

/** Values of small sets are literals in the SQL, so that the planner and partial indexes can use them. */
function conditionsOf(filters: CveFilters): Condition[] {
  const conditions: Condition[] = []
  const add = (sql: string, ...values: (string | number)[]) => conditions.push({ sql, values })
  const { severity, assigner, cwe, epss_min, published_since, published_until, updated_since, ids, q } = filters
  if (severity) add(`severity IN (${severity.map((band) => SEVERITY_CODES[band]).sort()})`)
  for (const name of ['kev', 'has_exploit', 'has_patch', 'has_detection'] as const) {
    if (filters[name] !== undefined) add(`${name} = ${filters[name] ? 1 : 0}`)
  }
  if (assigner !== undefined) add('assigner = (SELECT assigner FROM assigner WHERE name = ?)', assigner)
  if (cwe) add('cwe = ?', cwe.number)
  if (epss_min !== undefined) add('epss >= ?', epss_min)
  if (published_since !== undefined) add('published >= ?', published_since)
  if (published_until !== undefined) add('published <= ?', published_until)
  if (updated_since !== undefined) add('updated >= ?', updated_since)
  if (ids)
    add('n IN (SELECT one.n FROM json_each(?) AS given JOIN cve AS one ON one.id = given.value)', JSON.stringify(ids))
  // The trigram index cannot search texts of fewer than three characters.
  if (q !== undefined && [...q].length < 3) {
    add('n IN (SELECT n FROM text WHERE instr(id, ?) OR instr(title, ?))', q, q)
  } else if (q !== undefined) {
    add('n IN (SELECT rowid FROM search WHERE search MATCH ?)', `"${q.replaceAll('"', '""')}"`)
  }
  return conditions
}

/** Returns the body of a page. Its rows are JSON already. */
export function pageJson({ rows }: ListPage, limit: number, nextCursor: string | null): string {
  const cursor = nextCursor === null ? 'null' : `"${nextCursor}"`
  return `{"data":[${rows.map((row) => row[2]).join(',')}],"pagination":{"limit":${limit},"next_cursor":${cursor}}}`
}

/** A cursor for servers with this database only. It grants no access, whatever its content. */
export const cursorOf = (key: SqlKey): string => Buffer.from(JSON.stringify(key)).toString('base64url')
