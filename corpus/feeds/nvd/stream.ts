/** The members of `vulnerabilities` in an NVD file, one by one: a yearly feed has hundreds of MB. */
import { JSONParser } from '@streamparser/json'
import { FeedError } from '../error.ts'
import { type NamedFile, plainChunks } from '../files/plain-file.ts'
import { shown } from '../json.ts'

/** What the envelope of the API and of the feeds, version 2.0, calls itself. */
const FORMAT = 'NVD_CVE'

/** Room for texts while a chunk is parsed: far faster than growing a string by bytes. */
const TEXT_BUFFER_BYTES = 64 << 10

/** In the file's order. Throws `FeedError` for a file that is no such JSON, or ends early, when it comes to that. */
export async function* nvdVulnerabilities(file: NamedFile): AsyncIterable<unknown> {
  const parser = new JSONParser({
    paths: ['$.format', '$.vulnerabilities.*'],
    keepStack: false,
    stringBufferSize: TEXT_BUFFER_BYTES,
  })
  let format: unknown
  let values: unknown[] = []
  parser.onValue = ({ key, value }) => {
    if (key === 'format') format = value
    else values.push(value)
  }
  for await (const chunk of plainChunks(file)) {
    parse(file, () => parser.write(chunk))
    yield* values
    values = []
  }
  if (!parser.isEnded) throw new FeedError('file_damaged', `${file.name} ends in the middle of its JSON`)
  if (format !== FORMAT) {
    throw new FeedError('file_invalid', `${file.name} is no NVD file: its format is ${shown(format)}, not ${FORMAT}`)
  }
}

function parse(file: NamedFile, work: () => void): void {
  try {
    work()
  } catch (cause) {
    throw new FeedError('file_invalid', `${file.name} is no JSON: ${(cause as Error).message}`, { cause })
  }
}
