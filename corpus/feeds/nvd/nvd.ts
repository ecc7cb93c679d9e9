/** NVD's records of CVEs (API and feeds, version 2.0). */
import { hash } from 'node:crypto'
import { parseCveId } from '../../model/cve-id.ts'
import { isSameWrapping, withWrapping } from '../../model/item-digest.ts'
import { FeedError } from '../error.ts'
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
  type SiftedFile,
  skipOf,
} from '../feed.ts'
import type { JsonMember } from '../files/json-members.ts'
import { assertNesting, isObject, parseAnyJson, shown, text } from '../json.ts'
import { digestAt, packDigests } from '../packed-digests.ts'
import { placeOf, type WrappingTable } from '../wrapping-table.ts'
import { readNvdRecord } from './record.ts'
import { nvdVulnerabilities } from './stream.ts'

/** Raise it with every change in what is made of the same bytes. */
export const NVD_ADAPTER = 3

/** Records that are read at one go: enough to be worth the way to another thread. */
const BATCH_RECORDS = 256
const BATCH_BYTES = 2 << 20

/** How NVD begins a record: with its id, which tells it without parsing it. */
const BEGINNING = /^\{\s*"cve"\s*:\s*\{\s*"id"\s*:\s*"(CVE-\d{4}-\d{4,19})"/i
/** The first id in a record: what one is called that cannot be read. */
const ID = /"id"\s*:\s*"(CVE-\d{4}-\d{4,19})"/i

/** Records with their ids, or of those that cannot be read what seems to be it. */
export interface NvdBatch extends Batch {
  /** The records' bytes, in memory that threads share. */
  bytes: Uint8Array
  /** Where each ends in there; -1 for one that is longer than allowed. */
  ends: Int32Array
  /** Which each is in its file, counted from 1. */
  numbers: Int32Array
}

/**
 * The records in the file's order. One is known by its own JSON, because pages and feeds indent it differently. Of
 * several copies, in one file or in many, the newest `lastModified` counts, which the items are dated by (rule 29).
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

/** What is new in a file may be so much before it is better read as a new one. */
const MAX_NEW_BYTES = 16 << 20

/** Goes through a file by the bytes of its records. Null for one with records that are too long, or have no id. */
export async function siftNvd(file: FeedFile, known: WrappingTable): Promise<SiftedFile | null> {
  const places: number[] = []
  const found: NvdBatch[] = []
  const batch = openBatch()
  let length = 0
  for await (const member of nvdVulnerabilities(file)) {
    if (member.bytes === null) return null
    const place = placeOf(known, hash('sha256', member.bytes, 'buffer'))
    places.push(place)
    if (place >= 0) continue
    const key = idOf(member.head, member.bytes)
    length += member.bytes.length
    if (key === null || length > MAX_NEW_BYTES) return null
    batch.add(member, key, null)
    if (batch.isFull()) found.push(batch.take())
  }
  if (!batch.isEmpty()) found.push(batch.take())
  return { places: Int32Array.from(places), batches: found, bytes: length }
}

/** A batch that is being filled. */
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
    /** The batch; the next one is empty. */
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
 * The id of a record, or of one that cannot be read what seems to be it. It has to be the one that the record is staged
 * under: of a later copy that was looked up before it nobody would know that the corpus has other bytes by then.
 */
function idOf(head: string, bytes: Buffer | null): string | null {
  const stated = BEGINNING.exec(head)?.[1] ?? (bytes && parsedId(bytes)) ?? ID.exec(head)?.[1]
  return parseCveId(stated ?? '')
}

/** The id of a record that some tool wrote with its keys in another order; null where it has none or is no JSON. */
function parsedId(bytes: Buffer): string | null {
  try {
    return statedId(parseAnyJson(bytes))
  } catch (cause) {
    // Reading the record says what is wrong with it.
    if (cause instanceof FeedError) return null
    throw cause
  }
}

function statedId(json: unknown): string | null {
  return isObject(json) && isObject(json.cve) ? text(json.cve.id) : null
}

/** On their way to a thread they are not copied. */
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
    const wrapping = hash('sha256', bytes, 'buffer')
    // These very bytes were read before, and what was kept of them is kept under this id.
    if (known !== null && isSameWrapping(known, NVD_ADAPTER, wrapping)) return { kind: 'known', key, digest: known }
    const json = parseAnyJson(bytes)
    const cve = isObject(json) ? json.cve : null
    const stated = statedId(json)
    const cveId = stated === null ? null : parseCveId(stated)
    key = cveId ?? stated ?? `record ${number}`
    assertNesting(json)
    if (!isObject(cve)) throw new FeedError('item_invalid', `it is no object with "cve" but ${shown(json)}`)
    if (!cveId) throw new FeedError('item_invalid', `its id is no CVE id: ${shown(cve.id)}`)
    if (cveId !== seeming) throw new FeedError('item_invalid', `it states two ids: ${seeming} and ${cveId}`)
    const digest = withWrapping(itemDigest(NVD_ADAPTER, JSON.stringify(json)), wrapping)
    if (isSameDigest(known, digest)) return { kind: 'known', key, digest }
    const { claim, lastModified, notes } = readNvdRecord(cve)
    // A rejected record claims nothing, but takes the place of what it said before.
    const cveIds = claim === null ? [] : [cveId]
    return { kind: 'claim', key, cveIds, digest, statedAt: lastModified, body: claimText(claim), notes }
  } catch (cause) {
    return skipOf(key, cause)
  }
}
