/** Reads NVD's CVE records (API and feeds, version 2.0). */
import { hash } from 'node:crypto'
import { parseCveId } from '../../model/ids/cve-id.ts'
import { digestAt, isSameRawDigest, packDigests, withRawDigest } from '../../model/item-digest.ts'
import { isObject, type JsonObject, text } from '../../model/values/json-value.ts'
import { FeedError } from '../error.ts'
import { claimFacets } from '../facets.ts'
import {
  type Batch,
  claimText,
  type FeedFile,
  type FeedItem,
  isSameDigest,
  itemDigest,
  MAX_ITEM_BYTES,
  type OpenFeed,
  type ReadOptions,
  skipOf,
} from '../feed.ts'
import { type JsonMember, jsonMembers } from '../files/json-members.ts'
import { type NamedFile, plainChunks } from '../files/plain-file.ts'
import { assertNesting, parseAnyJson, shown } from '../json.ts'
import { readNvdRecord } from './record.ts'

/** Increase it with every change of the result for the same bytes. */
export const NVD_ADAPTER = 6

/** Records per batch: large enough to justify the transfer to a thread. */
const BATCH_RECORDS = 256
const BATCH_BYTES = 2 << 20

/** The usual beginning of a record, which gives its id without parsing. */
const BEGINNING = /^\{\s*"cve"\s*:\s*\{\s*"id"\s*:\s*"(CVE-\d{4}-\d{4,19})"/i
/** The first id in a record, to name an unreadable one. */
const ID = /"id"\s*:\s*"(CVE-\d{4}-\d{4,19})"/i

/** Records with their ids. For unreadable records the id is a guess. */
export interface NvdBatch extends Batch {
  bytes: Uint8Array
  /** End of each record in `bytes`; -1 for one that is too long. */
  ends: Int32Array
  /** Number of each record in its file, counted from 1. */
  numbers: Int32Array
}

/**
 * Opens the records in file order. Digests cover the JSON, because indentation differs between pages and feeds. Of
 * several copies the newest `lastModified` wins (rule 29).
 */
export async function openNvd(file: FeedFile, options: ReadOptions): Promise<OpenFeed> {
  return { items: null, batches: batches(nvdVulnerabilities(file), options) }
}

async function* batches(members: AsyncIterable<JsonMember>, { digestOf }: ReadOptions): AsyncIterable<NvdBatch> {
  const batch = openBatch()
  for await (const member of members) {
    const key = idOf(member.head, member.bytes)
    batch.add(member, key, key === null ? null : digestOf(key))
    if (batch.isFull()) yield batch.take()
  }
  if (!batch.isEmpty()) yield batch.take()
}

function openBatch() {
  let keys: (string | null)[] = []
  let known: (Uint8Array | null)[] = []
  let numbers: number[] = []
  let ends: number[] = []
  let pieces: Buffer[] = []
  let length = 0
  return {
    add({ number, bytes }: JsonMember, key: string | null, digest: Uint8Array | null): void {
      if (bytes !== null) {
        pieces.push(bytes)
        length += bytes.length
      }
      keys.push(key)
      known.push(digest)
      numbers.push(number)
      ends.push(bytes === null ? -1 : length)
    },
    isFull: () => keys.length >= BATCH_RECORDS || length >= BATCH_BYTES,
    isEmpty: () => keys.length === 0,
    take(): NvdBatch {
      const packed = { numbers: Int32Array.from(numbers), ends: Int32Array.from(ends), known: packDigests(known) }
      const batch = { keys, ...packed, bytes: shared(pieces, length) }
      keys = []
      known = []
      numbers = []
      ends = []
      pieces = []
      length = 0
      return batch
    },
  }
}

/**
 * Returns the id of a record, or a guess for an unreadable one. It must equal the id that the record is stored under;
 * otherwise a later copy is compared with an outdated digest.
 */
function idOf(head: string, bytes: Buffer | null): string | null {
  const stated = BEGINNING.exec(head)?.[1] ?? (bytes && parsedId(bytes)) ?? ID.exec(head)?.[1]
  return parseCveId(stated ?? '')
}

/** Returns the id of a record with its keys in another order; null when it has none or is not JSON. */
function parsedId(bytes: Buffer): string | null {
  try {
    return statedId(parseAnyJson(bytes))
  } catch (cause) {
    // Reading the record reports the error.
    if (cause instanceof FeedError) return null
    throw cause
  }
}

function statedId(json: unknown): string | null {
  return isObject(json) && isObject(json.cve) ? text(json.cve.id) : null
}

function shared(pieces: readonly Buffer[], length: number): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(length))
  bytes.set(Buffer.concat(pieces))
  return bytes
}

export function readNvdBatch({ keys, known, bytes, ends, numbers }: NvdBatch): FeedItem[] {
  let start = 0
  return keys.map((key, i) => {
    const [end, digest] = [ends[i]!, digestAt(known, i)]
    if (end < 0) return readRecord(numbers[i]!, key, digest, null)
    const own = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
    start = end
    return readRecord(numbers[i]!, key, digest, own)
  })
}

function readRecord(number: number, seeming: string | null, known: Uint8Array | null, bytes: Buffer | null): FeedItem {
  let key: string = seeming ?? `record ${number}`
  try {
    if (bytes === null) throw new FeedError('entry_too_large', `more than ${MAX_ITEM_BYTES} bytes, which is the limit`)
    const rawDigest = hash('sha256', bytes, 'buffer')
    // The same bytes were read before; their claim is stored under this id.
    if (known !== null && isSameRawDigest(known, NVD_ADAPTER, rawDigest)) return { kind: 'known', key, digest: known }
    const json = parseAnyJson(bytes)
    const cve = isObject(json) ? json.cve : null
    const stated = statedId(json)
    const cveId = stated === null ? null : parseCveId(stated)
    key = cveId ?? stated ?? `record ${number}`
    assertNesting(json)
    if (!isObject(cve)) throw new FeedError('item_invalid', `it is not an object with "cve": ${shown(json)}`)
    if (!cveId) throw new FeedError('item_invalid', `its id is not a CVE id: ${shown(cve.id)}`)
    if (cveId !== seeming) throw new FeedError('item_invalid', `it has two ids: ${seeming} and ${cveId}`)
    const digest = withRawDigest(itemDigest(NVD_ADAPTER, JSON.stringify(json)), rawDigest)
    if (isSameDigest(known, digest)) return { kind: 'known', key, digest }
    const { claim, lastModified, notes } = readNvdRecord(cve)
    // A rejected record has no claim, but replaces its previous one.
    const cveIds = claim === null ? [] : [cveId]
    const facets = claim === null ? null : claimFacets([claim])
    return { kind: 'claim', key, cveIds, digest, statedAt: lastModified, body: claimText(claim), notes, facets }
  } catch (cause) {
    return skipOf(key, cause)
  }
}

/** The `format` of the API and feed envelope, version 2.0. */
const FORMAT = 'NVD_CVE'

/**
 * Yields the members in file order.
 * @throws FeedError, possibly after some members, when the file is invalid or truncated
 */
function nvdVulnerabilities(file: NamedFile): AsyncIterable<JsonMember> {
  return jsonMembers({ name: file.name, chunks: plainChunks(file) }, 'vulnerabilities', MAX_ITEM_BYTES, (envelope) => {
    const { format, ...stated } = isObject(envelope) ? envelope : {}
    if (format !== FORMAT) {
      throw new FeedError(
        'file_invalid',
        `${file.name} is not an NVD file: its format is ${shown(format)}, not ${FORMAT}`,
      )
    }
    assertComplete(file.name, stated)
  })
}

/**
 * Compares the number of records with those that the envelope states. A page of the API has a part of `totalResults`.
 * @throws FeedError `file_invalid` for a file that its publisher or a copy has cut
 */
function assertComplete(name: string, { resultsPerPage, totalResults, vulnerabilities }: JsonObject): void {
  const count = Array.isArray(vulnerabilities) ? vulnerabilities.length : 0
  const isPage = !name.includes('nvdcve-')
  const differs = (stated: unknown, isWrong: (stated: number) => boolean) =>
    typeof stated === 'number' && isWrong(stated)
  if (differs(resultsPerPage, (stated) => stated !== count)) {
    throw new FeedError('file_invalid', `${name} has ${count} records, but its resultsPerPage is ${resultsPerPage}`)
  }
  if (differs(totalResults, (stated) => (isPage ? stated < count : stated !== count))) {
    throw new FeedError('file_invalid', `${name} has ${count} records, but its totalResults is ${totalResults}`)
  }
}
