/** Calls the route table without a server, as an administrator, for tests with tens of thousands of requests. */

import type { Context } from '../../corpus/answers/context.ts'
import type { Route } from '../../corpus/answers/route.ts'
import { ROUTES } from '../../corpus/answers/routes.ts'
import { openAccess } from '../../gateway/access/access.ts'
import type { EncodedAnswer } from '../../gateway/http/encoded-answer.ts'
import { createEngine } from '../../gateway/http/engine.ts'
import { openQueries } from '../../gateway/query/queries.ts'
import { textsOf } from '../../gateway/query/texts.ts'
import { gatewayHistory } from '../../gateway/snapshots/history.ts'
import { openRegistry } from '../../gateway/snapshots/registry.ts'
import type { Ask } from './combinations.ts'
import { listLog } from './server.ts'

/** An administrator. */
const SUBJECT = { sub: 'alice', logName: 'alice', admin: true, tier: Number.POSITIVE_INFINITY }

/** Calls a route with the values of its path and a query, as the gateway does. */
export type CallRoute = (
  route: Route<Context>,
  path: Record<string, string>,
  query: string,
) => EncodedAnswer | Promise<EncodedAnswer>

/** Opens the newest snapshot of `dist` for `call`. */
export function openRoutes(dist: string) {
  const queries = openQueries({ deadlineMs: 30_000 })
  const registry = openRegistry(dist, {
    log: listLog().log,
    pollMs: 0,
    onOpen(snapshot) {
      snapshot.texts = textsOf(queries, snapshot.query.path)
    },
  })
  const earlier = async () => {
    throw new Error('an earlier snapshot needs a gateway')
  }
  const engine = createEngine({ registry, history: gatewayHistory(registry), access: openAccess, earlier })
  const call: CallRoute = (route, path, query) =>
    engine(route, route.read(path, query), SUBJECT, `${route.path} ${JSON.stringify(path)} ${query}`, () => {})
  return {
    registry,
    call,
    async close() {
      registry.close()
      await queries.close()
    },
  }
}

export interface Asked {
  ask: Ask
  /** Returns every row of a list, page by page. */
  all<Row>(path: string): Promise<Row[]>
  close(): Promise<void>
}

/** Opens the newest snapshot of `dist`. */
export function askDirectly(dist: string): Asked {
  const { call, close } = openRoutes(dist)
  const routes = ROUTES.map((route) => ({ parts: route.path.split('/'), route }))

  /** Returns the first matching route of the table, and the values of its parameters. */
  function routed(path: string) {
    const given = path.split('/')
    const fits = (part: string, i: number) => part.startsWith(':') || part === given[i]
    const found = routes.find(({ parts }) => parts.length === given.length && parts.every(fits))
    if (!found) throw new Error(`no route answers ${path}`)
    const names = found.parts.flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), given[i]!] as const] : []))
    return { route: found.route, values: Object.fromEntries(names) }
  }

  const ask: Ask = async (path, query) => {
    const { route, values } = routed(path)
    const answer = await call(route, values, query)
    return { text: answer.identity().toString(), servedFrom: answer.servedFrom }
  }
  return {
    ask,
    all: allOver(ask),
    close,
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
