/**
 * A page of `/cves` in SQL. One statement returns the rows with a sort key, another one those without, which come last
 * (rule 6). A page continues after the key of the last row (keyset), so a deep page costs no more.
 */
import type { Database, Statement } from 'better-sqlite3'
import type { CveListRequest } from '../../../corpus/answers/plan/cve-page.ts'
import { cursorAfter, type NamedSnapshot } from '../../../corpus/snapshot/cursor/cursor.ts'
import { SEVERITIES } from '../../../corpus/snapshot/derive/facts.ts'
import type { CveFilters } from '../../../corpus/snapshot/filter/filters.ts'
import { fromBillionths, toBillionths } from '../../../corpus/snapshot/record/epss.ts'

/** The position after which a page continues: the sort key of its last row, and its `n`. */
type SqlKey = readonly [key: number | null, n: number]

/** A request with its position in the database. */
export type SqlRequest = Pick<CveListRequest, 'sort' | 'filters'> & { after: SqlKey | null }

/** A row of a page: its `n`, its sort key and the JSON of its summary record. */
type ListRow = [n: number, key: number | null, json: string]

interface Condition {
  sql: string
  values: (string | number)[]
}

/** Returns a function that answers pages as JSON. Statements are prepared once for each form of a query. */
export function listQueries(database: Database, snapshot: NamedSnapshot): (request: CveListRequest) => string {
  const prepared = new Map<string, Statement>()
  const numberOf = database.prepare('SELECT n FROM cve WHERE id = ?').pluck()
  const idOf = database.prepare('SELECT id FROM cve WHERE n = ?').pluck()
  const rowsOf = (request: SqlRequest, keyed: boolean, most: number): ListRow[] => {
    const { sql, values } = statementOf(request, keyed)
    const statement = prepared.get(sql) ?? database.prepare(sql).raw()
    prepared.set(sql, statement)
    return statement.all(...values, most) as ListRow[]
  }
  return ({ binding, sort, filters, limit, after }) => {
    // Cursors have EPSS in billionths.
    const isEpss = sort.key === 'epss'
    const key = (value: number | null) => (isEpss && value !== null ? fromBillionths(value) : value)
    const request = {
      sort,
      filters,
      after: after && ([key(after.value as number | null), numberOf.get(after.id) as number] as const),
    }
    // One more than requested, to detect a next page.
    const most = limit + 1
    const rows = request.after?.[0] === null ? [] : rowsOf(request, true, most)
    if (rows.length < most && !boundsKey(request)) rows.push(...rowsOf(request, false, most - rows.length))
    const page = rows.slice(0, limit)
    let cursor = 'null'
    if (rows.length > limit) {
      const [n, value] = page.at(-1)!
      const last = { value: isEpss && value !== null ? toBillionths(value) : value, id: idOf.get(n) as string }
      cursor = `"${cursorAfter(snapshot, binding, last)}"`
    }
    return `{"data":[${page.map((row) => row[2]).join(',')}],"pagination":{"limit":${limit},"next_cursor":${cursor}}}`
  }
}

/** Returns whether a filter bounds the sort key, so that rows without one do not match. */
function boundsKey({ sort: { key }, filters }: SqlRequest): boolean {
  if (key === 'published') return filters.published_since !== undefined || filters.published_until !== undefined
  if (key === 'updated') return filters.updated_since !== undefined
  return key === 'epss' && filters.epss_min !== undefined
}

/** Returns the statement for rows with a sort key, or for those without. Its last parameter is the number of rows. */
export function statementOf({ sort, filters, after }: SqlRequest, keyed: boolean): Condition {
  const [direction, beyond] = sort.descending ? ['DESC', '<'] : ['ASC', '>']
  const conditions = conditionsOf(filters)
  conditions.push({ sql: `${sort.key} IS ${keyed ? 'NOT NULL' : 'NULL'}`, values: [] })
  if (keyed && after && after[0] !== null) {
    conditions.push({ sql: `(${sort.key}, n) ${beyond} (?, ?)`, values: [after[0], after[1]] })
  }
  if (!keyed && after?.[0] === null) conditions.push({ sql: `n ${beyond} ?`, values: [after[1]] })
  const where = conditions.map(({ sql }) => sql).join(' AND ')
  const order = keyed ? `${sort.key} ${direction}, n ${direction}` : `n ${direction}`
  // A covering index selects the rows; JSON is read only for the rows of the page.
  const page = `SELECT n, ${sort.key} AS key FROM cve WHERE ${where} ORDER BY ${order} LIMIT ?`
  return {
    sql: `SELECT n, key, json FROM (${page}) CROSS JOIN summary USING (n)`,
    values: conditions.flatMap(({ values }) => values),
  }
}

/** Values of small sets are literals in the SQL, so that the planner and partial indexes can use them. */
function conditionsOf(filters: CveFilters): Condition[] {
  const conditions: Condition[] = []
  const add = (sql: string, ...values: (string | number)[]) => conditions.push({ sql, values })
  const { severity, assigner, cwe, ids } = filters
  if (severity) {
    const bands = severity.flatMap((band) => (band === 'unscored' ? [] : SEVERITIES.indexOf(band))).sort()
    const isUnscored = severity.includes('unscored') ? ' OR severity IS NULL' : ''
    add(isUnscored ? `(severity IN (${bands})${isUnscored})` : `severity IN (${bands})`)
  }
  for (const name of ['kev', 'has_exploit', 'has_patch', 'has_detection'] as const) {
    if (filters[name] !== undefined) add(`${name} = ${Number(filters[name])}`)
  }
  if (assigner !== undefined) add('assigner = (SELECT assigner FROM assigner WHERE name = ?)', assigner)
  if (cwe) add('cwe = ?', cwe.number)
  if (filters.epss_min !== undefined) add('epss >= ?', filters.epss_min)
  if (filters.published_since !== undefined) add('published >= ?', filters.published_since)
  if (filters.published_until !== undefined) add('published <= ?', filters.published_until)
  if (filters.updated_since !== undefined) add('updated >= ?', filters.updated_since)
  if (ids)
    add('n IN (SELECT one.n FROM json_each(?) AS given JOIN cve AS one ON one.id = given.value)', JSON.stringify(ids))
  return conditions
}
