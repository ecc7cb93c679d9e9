/** NVD's records of CVEs (API and feeds, version 2.0). */
import { parseCveId } from '../../model/cve-id.ts'
import { FeedError } from '../error.ts'
import {
  type FeedFile,
  type FeedItem,
  isSameDigest,
  itemDigest,
  MAX_ITEM_BYTES,
  type ReadOptions,
  skipOf,
} from '../feed.ts'
import type { JsonMember } from '../files/json-members.ts'
import { assertNesting, isObject, parseAnyJson, shown, text } from '../json.ts'
import { readNvdRecord } from './record.ts'
import { nvdVulnerabilities } from './stream.ts'

/** Raise it with every change in what is made of the same bytes. */
export const NVD_ADAPTER = 3

/**
 * The records in the file's order. One is known by its own JSON, because pages and feeds indent it differently. Of
 * several copies, in one file or in many, the newest `lastModified` counts, which the items are dated by (decisions 29).
 */
export async function* readNvd(file: FeedFile, options: ReadOptions): AsyncIterable<FeedItem> {
  for await (const member of nvdVulnerabilities(file)) yield readItem(member, options)
}

/** Where the id of a record stands, which cannot be read further. */
const ID = /"id"\s*:\s*"(CVE-\d{4}-\d{4,19})"/i

function readItem({ number, head, bytes }: JsonMember, options: ReadOptions): FeedItem {
  let key: string = parseCveId(ID.exec(head)?.[1] ?? '') ?? `record ${number}`
  try {
    if (bytes === null) throw new FeedError('entry_too_large', `more than ${MAX_ITEM_BYTES} bytes, which is the limit`)
    const json = parseAnyJson(bytes)
    const cve = isObject(json) ? json.cve : null
    const stated = isObject(cve) ? text(cve.id) : null
    const cveId = stated === null ? null : parseCveId(stated)
    key = cveId ?? stated ?? `record ${number}`
    assertNesting(json)
    if (!isObject(cve)) throw new FeedError('item_invalid', `it is no object with "cve" but ${shown(json)}`)
    if (!cveId) throw new FeedError('item_invalid', `its id is no CVE id: ${shown(cve.id)}`)
    const digest = itemDigest(NVD_ADAPTER, JSON.stringify(json))
    if (isSameDigest(options.digestOf(key), digest)) return { kind: 'known', key, digest }
    const { claim, lastModified, notes } = readNvdRecord(cve)
    // A rejected record claims nothing, but takes the place of what it said before.
    const cveIds = claim === null ? [] : [cveId]
    return { kind: 'claim', key, cveIds, digest, statedAt: lastModified, body: JSON.stringify(claim), notes }
  } catch (cause) {
    return skipOf(key, cause)
  }
}
