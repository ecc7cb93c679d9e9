/** NVD's records of CVEs (API and feeds, version 2.0). */
import { parseCveId } from '../../model/cve-id.ts'
import { FeedError } from '../error.ts'
import { type FeedFile, type FeedItem, isSameDigest, itemDigest, type ReadOptions, skipOf } from '../feed.ts'
import { isObject, shown, text } from '../json.ts'
import { readNvdRecord } from './record.ts'
import { nvdVulnerabilities } from './stream.ts'

/** Raise it with every change in what is made of the same bytes. */
export const NVD_ADAPTER = 2

/**
 * The records in the file's order. One is known by its own JSON, because its bytes have no border in the file. Of
 * several copies, in one file or in many, the newest `lastModified` counts, which the items are dated by (decisions 29).
 */
export async function* readNvd(file: FeedFile, options: ReadOptions): AsyncIterable<FeedItem> {
  let number = 0
  for await (const json of nvdVulnerabilities(file)) {
    number++
    yield readItem(json, number, options)
  }
}

function readItem(json: unknown, number: number, options: ReadOptions): FeedItem {
  const cve = isObject(json) ? json.cve : null
  const stated = isObject(cve) ? text(cve.id) : null
  const cveId = stated === null ? null : parseCveId(stated)
  const key = cveId ?? stated ?? `record ${number}`
  try {
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
