/** Feeds that are one JSON file, small enough to be read whole. */
import { readFileSync, statSync } from 'node:fs'
import { FeedError } from './error.ts'

const MAX_FILE_BYTES = 256 << 20

/** The parsed content of a file that `name` names in errors. */
export function readJsonFile(path: string, name: string): unknown {
  let text: string
  try {
    const { size } = statSync(path)
    if (size > MAX_FILE_BYTES) throw new Error(`${size} bytes, the limit is ${MAX_FILE_BYTES}`)
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new FeedError('file_unreadable', `${name} cannot be read: ${(cause as Error).message}`, { cause })
  }
  try {
    // Some publishers begin with a byte order mark.
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch (cause) {
    const what = text.trim() === '' ? 'is empty' : `is no JSON: ${(cause as Error).message}`
    throw new FeedError('file_invalid', `${name} ${what}`, { cause })
  }
}
