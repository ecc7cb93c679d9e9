/** Feeds that are one JSON file, small enough to be read whole. */
import { FeedError } from '../error.ts'
import { readPlain } from './plain-file.ts'

const MAX_FILE_BYTES = 256 << 20

/** The parsed content of a file, plain or gzipped, that `name` names in errors. */
export function readJsonFile(path: string, name: string): unknown {
  const text = readPlain({ path, name }, MAX_FILE_BYTES).toString('utf8')
  try {
    // Some publishers begin with a byte order mark.
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch (cause) {
    const what = text.trim() === '' ? 'is empty' : `is no JSON: ${(cause as Error).message}`
    throw new FeedError('file_invalid', `${name} ${what}`, { cause })
  }
}
