/** The members of `vulnerabilities` in an NVD file, one by one: a yearly feed has hundreds of MB. */
import { FeedError } from '../error.ts'
import { MAX_ITEM_BYTES } from '../feed.ts'
import { type JsonMember, jsonMembers } from '../files/json-members.ts'
import { type NamedFile, plainChunks } from '../files/plain-file.ts'
import { isObject, shown } from '../json.ts'

/** What the envelope of the API and of the feeds, version 2.0, calls itself. */
const FORMAT = 'NVD_CVE'

/** In the file's order. Throws `FeedError` for a file that is no such JSON, or ends early, when it comes to that. */
export function nvdVulnerabilities(file: NamedFile): AsyncIterable<JsonMember> {
  return jsonMembers({ name: file.name, chunks: plainChunks(file) }, 'vulnerabilities', MAX_ITEM_BYTES, (envelope) => {
    const format = isObject(envelope) ? envelope.format : undefined
    if (format !== FORMAT) {
      throw new FeedError('file_invalid', `${file.name} is no NVD file: its format is ${shown(format)}, not ${FORMAT}`)
    }
  })
}
