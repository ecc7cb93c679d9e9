/** The log line of a request, in pino's format but put together by hand: it is written for every one of them. */

import { printableJson } from '../../corpus/command/printable.ts'

export interface AccessEntry {
  method: string
  path: string
  /** With its `?`; empty where the request was refused, for then it may hold anything. */
  query: string
  status: number
  /** Bytes of the body. */
  bytes: number
  /** Milliseconds until the answer was handed to the socket. */
  ms: number
  /** Digest of the token's subject, null where nobody was recognised. */
  subject: string | null
  /** `Served-From`, null without an answer. */
  from: string | null
}

/** pino's number for `info`. */
const INFO = 30

export function accessLine(entry: AccessEntry, nowMs: number): string {
  const { method, path, query, status, bytes, ms, subject, from } = entry
  const whose = subject === null ? '' : `,"subject":"${subject}"`
  const whence = from === null ? '' : `,"from":"${from}"`
  const what = `"method":"${method}","path":${quoted(path)},"query":${quoted(query)}`
  const how = `"status":${status},"bytes":${bytes},"ms":${Math.round(ms * 1000) / 1000}`
  return `{"level":${INFO},"time":${nowMs},${what},${how}${whose}${whence},"msg":"request"}\n`
}

/** Printable ASCII without quotes and backslashes, as nearly all requests have it. */
const PLAIN = /^[ !\x23-\x5b\x5d-\x7e]*$/

/** Methods come from the HTTP parser's list, digests and sources from us: only paths and queries are anybody's text. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : printableJson(text)
}
