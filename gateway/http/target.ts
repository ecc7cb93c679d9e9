/** Splits request targets. */
import type { IncomingMessage } from 'node:http'

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
