/** Formats the log line of a request in pino's format. It is hand-written because every request logs one. */

import { printableJson } from '../../corpus/command/printable.ts'

export interface AccessEntry {
  /** Needs no escapes. */
  id: string
  method: string
  path: string
  /** Includes the `?`. Empty for a rejected request, because its query can contain secrets. */
  query: string
  status: number
  /** Bytes of the body. */
  bytes: number
  /** Milliseconds until the answer was passed to the socket. */
  ms: number
  /** Digest of the token's subject, null for an unauthenticated request. */
  subject: string | null
  /** Value of `Served-From`, null without an answer. */
  from: string | null
}

/** pino's number of the level `info`. */
const INFO = 30

export function accessLine(entry: AccessEntry, nowMs: number): string {
  const { id, method, path, query, status, bytes, ms, subject, from } = entry
  const whose = subject === null ? '' : `,"subject":"${subject}"`
  const whence = from === null ? '' : `,"from":"${from}"`
  const what = `"id":"${id}","method":"${method}","path":${quoted(path)},"query":${quoted(query)}`
  const how = `"status":${status},"bytes":${bytes},"ms":${Math.round(ms * 1000) / 1000}`
  return `{"level":${INFO},"time":${nowMs},${what},${how}${whose}${whence},"msg":"request"}\n`
}

/** Printable ASCII without quotes and backslashes: nearly all requests match. */
const PLAIN = /^[ !\x23-\x5b\x5d-\x7e]*$/

/** Quotes untrusted text: only the path and the query come from the client unchecked. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : printableJson(text)
}
