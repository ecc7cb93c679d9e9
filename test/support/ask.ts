/** Calls the route table without a server, as an administrator, for tests with tens of thousands of requests. */

import { ROUTES } from '../../corpus/answers/routes.ts'
import { openQueries } from '../../gateway/query/queries.ts'
import { openRegistry } from '../../gateway/snapshots/registry.ts'
import type { Ask } from './combinations.ts'
import { asAdministrator } from './gateway.ts'
import { listLog } from './server.ts'

export interface Asked {
  ask: Ask
  /** Returns every row of a list, page by page. */
  all<Row>(path: string): Promise<Row[]>
  close(): Promise<void>
}

/** Opens the newest snapshot of `dist`. */
export function askDirectly(dist: string): Asked {
  const registry = openRegistry(dist, { log: listLog().log, pollMs: 0 })
  const queries = openQueries({ deadlineMs: 30_000 })
  const context = { registry, queries, ...asAdministrator }
  const routes = ROUTES.map(({ path, read }) => ({ parts: path.split('/'), read }))

  /** Returns the first matching route of the table, and the values of its parameters. */
  function routed(path: string) {
    const given = path.split('/')
    const fits = (part: string, i: number) => part.startsWith(':') || part === given[i]
    const route = routes.find(({ parts }) => parts.length === given.length && parts.every(fits))
    if (!route) throw new Error(`no route answers ${path}`)
    const names = route.parts.flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), given[i]!] as const] : []))
    return { read: route.read, params: Object.fromEntries(names) }
  }

  const ask: Ask = async (path, query) => {
    const { read, params } = routed(path)
    const answer = await read(params, query)({ ...context, target: `${path}?${query}` })
    return { text: answer.identity().toString(), servedFrom: answer.servedFrom }
  }
  return {
    ask,
    all: allOver(ask),
    async close() {
      registry.close()
      await queries.close()
    },
  }
}

/**
 * Every row of a list, by its cursors. `ask` gives the body of a page for a query string. `between` runs after every page
 * but the last. Throws for a page that is not full and has a cursor.
 */
export async function walk<Row>(
  ask: (query: string) => Promise<string>,
  limit = 100,
  between?: (page: number) => Promise<void>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1, cursor: string | null = ''; ; page++) {
    const { data, pagination } = JSON.parse(await ask(`limit=${limit}${cursor && `&cursor=${cursor}`}`)) as Page<Row>
    rows.push(...data)
    cursor = pagination.next_cursor
    if (cursor === null) return rows
    if (data.length !== limit) throw new Error(`a page of ${data.length} rows is followed by another`)
    await between?.(page)
  }
}

interface Page<Row> {
  data: Row[]
  pagination: { next_cursor: string | null }
}

/** Gives every row of a list, page by page. */
export const allOver =
  (ask: Ask): Asked['all'] =>
  (path) =>
    walk(async (query) => (await ask(path, query)).text)
