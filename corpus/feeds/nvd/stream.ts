/** Reads `vulnerabilities` of an NVD file member by member, because a yearly feed has hundreds of MB. */
import { FeedError } from '../error.ts'
import { MAX_ITEM_BYTES } from '../feed.ts'
import { type JsonMember, jsonMembers } from '../files/json-members.ts'
import { type NamedFile, plainChunks } from '../files/plain-file.ts'
import { isObject, shown } from '../json.ts'

/** The `format` of the API and feed envelope, version 2.0. */
const FORMAT = 'NVD_CVE'

/**
 * Yields the members in file order.
 * @throws FeedError, possibly after some members, when the file is invalid or truncated
 */
export function nvdVulnerabilities(file: NamedFile): AsyncIterable<JsonMember> {
  return jsonMembers({ name: file.name, chunks: plainChunks(file) }, 'vulnerabilities', MAX_ITEM_BYTES, (envelope) => {
    const format = isObject(envelope) ? envelope.format : undefined
    if (format !== FORMAT) {
      throw new FeedError('file_invalid', `${file.name} is no NVD file: its format is ${shown(format)}, not ${FORMAT}`)
    }
  })
}
