/** Parses JSON of clients within bounds that are checked before any value exists. */

import { invalidParameter } from '../../corpus/answers/errors.ts'
import { contentTooLarge } from '../http/errors.ts'

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * `most` limits the members of a list or object by its depth, the outermost first. Its length limits the depth.
 * @throws ApiError 400 if the text is no JSON, 413 beyond the limits
 */
export function parseJson(bytes: Buffer, most: readonly number[]): unknown {
  assertBounds(bytes, most)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalidParameter(undefined, 'the body is not valid JSON in UTF-8')
  }
}

/** Counts brackets and commas outside strings. Text that is no JSON passes or not; the parser refuses it. */
function assertBounds(bytes: Buffer, most: readonly number[]): void {
  const members: number[] = []
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (inString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === COMMA && members.length > 0) {
      const depth = members.length - 1
      if (++members[depth]! > most[depth]!) throw tooMany(most[depth]!, depth)
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (members.push(1) > most.length)
        throw contentTooLarge(`the JSON is nested more than ${most.length} levels deep`)
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) members.pop()
  }
}

const tooMany = (most: number, depth: number) =>
  contentTooLarge(
    `the body has more than ${most} members ${depth === 0 ? 'in all' : 'in one of its lists'}; split the request`,
  )
