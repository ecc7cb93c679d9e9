/** Finds members of hashed shards by parts of their index: 8 KB for each shard. Many lookups read the whole index. */

import { remembered } from '../../runtime/remembered.ts'
import {
  decodeHashedMember,
  decodeMemberHead,
  decodePackageTable,
  type FileEntry,
  fileOf,
  type HashedIndex,
  type HashedRole,
  hashedFiles,
  hashedPositions,
  keyHash,
  type Manifest,
  packageTableFile,
  type ReadMember,
  SnapshotError,
  shardOfHash,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'
import { columnSpan, numbersOf, type TableHeaders } from './table-headers.ts'

export interface HashedLookup {
  /**
   * Returns the member of a key; null without one.
   * @throws SnapshotError, TransferError
   */
  member(role: HashedRole, key: string): Promise<ReadMember | null>
}

const COLUMNS = ['hashHigh', 'hashLow', 'at', 'length'] as const

/** The rows of a shard in the index. */
type Slice = Record<(typeof COLUMNS)[number], Uint32Array>

/** Up to this size, an index takes less time as a whole. */
const SMALL_BYTES = 256 * 1024
/** From this number of parts on, the whole index takes fewer requests: 6 MB for 400,000 packages. */
const MANY_SLICES = 32

/** The head of a member with one segment and a key of 255 bytes has 344 bytes. */
const HEAD_BYTES = 512

export function openHashedLookup(
  manifest: Manifest,
  objects: FileParts,
  headers: TableHeaders,
  { smallBytes = SMALL_BYTES, manySlices = MANY_SLICES } = {},
): HashedLookup {
  const shards = {
    advisories: hashedFiles(manifest.files, 'advisories'),
    packages: hashedFiles(manifest.files, 'packages'),
  }
  const slices = { advisories: new Map<string, Promise<Slice>>(), packages: new Map<string, Promise<Slice>>() }
  const tables = new Map<string, Promise<HashedIndex>>()

  const table = (role: HashedRole, file: FileEntry) =>
    remembered(tables, role, async () => decodePackageTable(manifest, role, await objects.whole(file)))

  /** The rows of a shard are consecutive, because the upper bits of the hash choose the shard. */
  async function readSlice(role: HashedRole, number: number, index: FileEntry): Promise<Slice> {
    const first = shards[role].slice(0, number).reduce((sum, { count }) => sum + count, 0)
    const { count } = shards[role][number]!
    if (count === 0) return { hashHigh: NONE, hashLow: NONE, at: NONE, length: NONE }
    const header = await headers.of(index)
    const spans = COLUMNS.map((name) => columnSpan(header, { name, first, count }, `the index of ${role} is`))
    const [hashHigh, hashLow, at, length] = (await objects.parts(index, spans)).map(numbersOf)
    const slice = { hashHigh: hashHigh!, hashLow: hashLow!, at: at!, length: length! }
    for (let row = 0; row < count; row++) {
      const isInShard = shardOfHash(slice.hashHigh[row]!, shards[role].length) === number
      if (!isInShard || (row > 0 && compareAt(slice, row, hashAt(slice, row - 1)) < 0)) throw damaged(role)
    }
    return slice
  }

  /** Reads at most `most` bytes of the member of a row, and checks that its hash is that of the row. */
  async function readMember(role: HashedRole, shard: FileEntry, slice: Slice, row: number, most: number) {
    const span = { at: slice.at[row]!, length: Math.min(slice.length[row]!, most) }
    const bytes = (await objects.parts(shard, [span]))[0]!
    const { key } = decodeMemberHead(bytes)
    if (hashesOf(key).some((hash) => compareAt(slice, row, hash) === 0)) return bytes
    throw new SnapshotError('malformed', `the index of ${role} points to ${key} for another key`)
  }

  async function inSlice(role: HashedRole, key: string, index: FileEntry): Promise<ReadMember | null> {
    const hash = keyHash(key)
    const number = shardOfHash(hash.high, shards[role].length)
    const shard = shards[role][number]!
    const slice = await remembered(slices[role], `${number}`, () => readSlice(role, number, index))
    const count = slice.at.length
    let row = 0
    while (row < count && compareAt(slice, row, hash) < 0) row++
    // No digest covers a part of the index. If the hash of a missing key were damaged, a neighbour would have another.
    if (row === count || compareAt(slice, row, hash) !== 0) {
      const neighbours = [row - 1, row].filter((one) => one >= 0 && one < count)
      await Promise.all(neighbours.map((one) => readMember(role, shard, slice, one, HEAD_BYTES)))
    }
    for (; row < count && compareAt(slice, row, hash) === 0; row++) {
      const bytes = await readMember(role, shard, slice, row, Number.POSITIVE_INFINITY)
      const member = decodeHashedMember(role, key, bytes)
      if (member) return member
    }
    return null
  }

  return {
    async member(role, key) {
      const index = packageTableFile(manifest, role)
      if (index && index.size > smallBytes && slices[role].size < manySlices && !tables.has(role)) {
        return inSlice(role, key, index)
      }
      if (!index && shards[role].length === 0) return null
      for (const { shard, at, length } of hashedPositions(await table(role, fileOf(manifest, 'index', role)), key)) {
        const bytes = (await objects.parts(shards[role][shard]!, [{ at, length }]))[0]!
        const member = decodeHashedMember(role, key, bytes)
        if (member) return member
      }
      return null
    },
  }
}

const NONE = new Uint32Array()

type Hash = ReturnType<typeof keyHash>

const hashAt = ({ hashHigh, hashLow }: Slice, row: number): Hash => ({ high: hashHigh[row]!, low: hashLow[row]! })
const compareAt = ({ hashHigh, hashLow }: Slice, row: number, { high, low }: Hash) =>
  hashHigh[row]! - high || hashLow[row]! - low

/** Returns the possible hashes of the key of a member, which is the hash itself if the key is long. */
function hashesOf(memberKey: string): Hash[] {
  const high = /^[0-9a-f]{64}$/.test(memberKey) ? Number.parseInt(memberKey.slice(0, 8), 16) : null
  const ofKey = keyHash(decodedKey(memberKey))
  return high === null ? [ofKey] : [ofKey, { high, low: Number.parseInt(memberKey.slice(8, 16), 16) }]
}

function decodedKey(memberKey: string): string {
  try {
    return decodeURI(memberKey)
  } catch (cause) {
    throw new SnapshotError('malformed', `${memberKey} is not the key of a member`, { cause })
  }
}

const damaged = (role: HashedRole) => new SnapshotError('malformed', `the index of ${role} is damaged`)
