/** Calls the route table without a server, as an administrator, for tests with tens of thousands of requests. */
import { openQueries } from '../../gateway/query/queries.ts'
import { ROUTES } from '../../gateway/routes/table.ts'
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
    const answer = await read(params, query)(context)
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

/** Returns a function that reads every row of a list, page by page. */
export function allOver(ask: Ask): Asked['all'] {
  return async <Row>(path: string) => {
    const rows: Row[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { text } = await ask(path, `limit=100${cursor && `&cursor=${cursor}`}`)
      const page = JSON.parse(text) as { data: Row[]; pagination: { next_cursor: string | null } }
      rows.push(...page.data)
      cursor = page.pagination.next_cursor
    }
    return rows
  }
}
