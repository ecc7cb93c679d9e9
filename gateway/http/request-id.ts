/** The id of a request: in `X-Request-Id` of its answer, and in its log lines (rule 17). */
import { randomBytes } from 'node:crypto'

/** 1 to 128 visible ASCII characters without `"` and `\`. Such an id needs no escapes in a header or in JSON. */
const VALID = /^[!#-[\]-~]{1,128}$/

/** Distinguishes processes. The counter distinguishes the requests of this process. */
const PREFIX = `${randomBytes(6).toString('hex')}-`
let count = 0

/** Returns the client's id if it is valid, else a new one. */
export const requestId = (given?: string): string =>
  given !== undefined && VALID.test(given) ? given : PREFIX + (++count).toString(36)
