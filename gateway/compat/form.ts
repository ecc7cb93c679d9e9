/** Parses `application/x-www-form-urlencoded` of clients within bounds that are checked before any value exists. */

import { invalidParameter } from '../../corpus/answers/errors.ts'
import { contentTooLarge } from '../http/errors.ts'

const AMPERSAND = 0x26

/**
 * Returns the pairs of a form or query in their order. Empty pairs are ignored.
 * @throws ApiError 400 if it is not percent-encoded UTF-8, 413 with more than `most` pairs
 */
export function parseForm(bytes: Buffer, most: number): [name: string, value: string][] {
  let pairs = 1
  for (const byte of bytes) if (byte === AMPERSAND) pairs++
  if (pairs > most) throw contentTooLarge(`the form has more than ${most} fields; split the request`)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const mark = pair.indexOf('=')
        return mark === -1 ? [decoded(pair), ''] : [decoded(pair.slice(0, mark)), decoded(pair.slice(mark + 1))]
      })
  } catch {
    throw invalidParameter(undefined, 'the form is not percent-encoded UTF-8')
  }
}

const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))
