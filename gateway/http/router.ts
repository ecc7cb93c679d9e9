/** Splits request targets, and finds the route of a path. */
import type { IncomingMessage } from 'node:http'
import polka, { type Middleware, type Polka } from 'polka'

export interface Target {
  raw: string
  pathname: string
  /** Includes the `?`, or empty. */
  search: string
  query: Record<string, string>
  hash: string
}

const NO_QUERY: Record<string, string> = {}

/**
 * Splits a request target into path and query without decoding: parameters have their own rules (rule 2). Replaces
 * polka's parser. A target can be an absolute URL (RFC 9112 3.2.2).
 */
export function parseTarget(request: IncomingMessage): Target {
  const raw = request.url ?? '/'
  const start = raw.startsWith('/') ? 0 : pathStart(raw)
  const mark = raw.indexOf('?', start)
  const end = mark === -1 ? raw.length : mark
  return {
    raw,
    pathname: start === end ? '/' : raw.slice(start, end),
    search: mark === -1 ? '' : raw.slice(mark),
    query: NO_QUERY,
    hash: '',
  }
}

function pathStart(raw: string): number {
  return /^https?:\/\/[^/?]*/i.exec(raw)?.[0].length ?? 0
}

/**
 * Routes by their number of segments. Polka tries every route on every path. Routing takes 0.9 µs with all forty routes
 * in one table, and 0.3 µs with one table per depth.
 */
export interface RouteIndex {
  /** The last parameter of a route that `takesRest` also matches several segments, if no other route does. */
  get(path: string, handler: Middleware, takesRest?: boolean): void
  post(path: string, handler: Middleware): void
  /** Replaces polka's own `find`. */
  find: Polka['find']
}

export function routeIndex(): RouteIndex {
  const tables: Polka[] = []
  const rests = polka()
  const tableOf = (path: string): Polka => {
    const depth = depthOf(path)
    tables[depth] ??= polka()
    return tables[depth]
  }
  return {
    get(path, handler, takesRest = false) {
      tableOf(path).get(literal(path), handler)
      if (takesRest) rests.get(restPattern(path), handler)
    },
    post: (path, handler) => tableOf(path).post(literal(path), handler),
    find(method, path) {
      const found = tables[depthOf(path)]?.find(method, path)
      return found && found.handlers.length > 0 ? found : rests.find(method, path)
    },
  }
}

/** Polka makes a regular expression of a path, in which a dot matches every character. */
const literal = (path: string) => path.replaceAll('.', '\\.')

/** `/packages/:ecosystem/:name` as a pattern with a group for each parameter. */
function restPattern(path: string): RegExp {
  const start = path.lastIndexOf('/:')
  const before = path.slice(0, start).replace(/:(\w+)/g, '(?<$1>[^/]+)')
  return new RegExp(`^${before}/(?<${path.slice(start + 2)}>[^/].*?)/?$`, 'i')
}

/** Returns the number of segments; polka ignores one slash at the end. */
function depthOf(path: string): number {
  let depth = 0
  for (let at = path.indexOf('/'); at !== -1 && at < path.length - 1; at = path.indexOf('/', at + 1)) depth++
  return depth
}
