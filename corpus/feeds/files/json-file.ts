/** Reads feeds that are one JSON file, small enough to be read whole. */
import { FeedError } from '../error.ts'
import { utf8Text } from '../json.ts'
import { readPlain } from './plain-file.ts'

const MAX_FILE_BYTES = 256 << 20

/** Returns the parsed content of a plain or gzipped file. Errors call it `name`. Does not limit nesting. */
export function readJsonFile(path: string, name: string): unknown {
  const bytes = readPlain({ path, name }, MAX_FILE_BYTES)
  const invalid = (what: string, cause?: unknown) => new FeedError('file_invalid', `${name} ${what}`, { cause })
  let text: string
  try {
    // Some publishers write a byte order mark.
    text = utf8Text(bytes)
  } catch (cause) {
    throw invalid('is not UTF-8', cause)
  }
  if (text.trim() === '') throw invalid('is empty')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid(`is no JSON: ${(cause as Error).message}`, cause)
  }
}
