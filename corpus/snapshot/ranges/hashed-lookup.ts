/**
 * Finds rows of a hashed table by blocks, and members of hashed shards by their index. Many lookups read all blocks.
 */
import { remembered } from '../../runtime/remembered.ts'
import {
  blockRows,
  decodeHashed,
  decodeHashedMember,
  type FileEntry,
  type HashColumns,
  type HashedRole,
  hashBlock,
  hashedFiles,
  hashedIndexFile,
  hashedPositions,
  type KeyHash,
  keyHash,
  type Manifest,
  POSITION_COLUMNS,
  type ReadMember,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'
import type { RangeTables } from './tables.ts'

/** From this number of blocks on, all of them take fewer requests: 7 MB for 440,000 packages. */
const MANY_BLOCKS = 32

type Columns<Name extends string> = HashColumns & Record<Name, Uint32Array>

/** Returns the rows that can have each hash: a block, or all rows. Throws SnapshotError or TransferError. */
export type HashedRowsLookup<Name extends string> = (hashes: readonly KeyHash[]) => Promise<Columns<Name>[]>

/** `file` is a hashed table with the columns `names`. */
export function openHashedRows<Name extends string>(
  tables: RangeTables,
  file: FileEntry,
  names: readonly Name[],
  { manyBlocks = MANY_BLOCKS } = {},
): HashedRowsLookup<Name> {
  const known = new Map<string, Promise<Columns<Name>>>()
  const ALL = 'all'

  return async (hashes) => {
    const table = await tables.of(file)
    const numbers = hashes.map((hash) => hashBlock(table.header, hash))
    const missing = [...new Set(numbers)].filter((number) => !known.has(`${number}`))
    const isMany = known.size + missing.length > manyBlocks || blockRows(table.header, 'hashHigh').length === 1
    if (isMany || known.has(ALL)) {
      const all = await remembered(known, ALL, async () => decodeHashed(await table.part('hashHigh'), names))
      return hashes.map(() => all)
    }
    const reading = table.blocks(missing.map((number) => ['hashHigh', number] as const))
    missing.forEach((number, i) => {
      void remembered(known, `${number}`, async () => decodeHashed((await reading)[i]!, names))
    })
    return Promise.all(numbers.map((number) => known.get(`${number}`)!))
  }
}

export interface HashedLookup {
  /**
   * Returns the member of a key; null without one.
   * @throws SnapshotError, TransferError
   */
  member(role: HashedRole, key: string): Promise<ReadMember | null>
}

export function openHashedLookup(manifest: Manifest, files: FileParts, tables: RangeTables): HashedLookup {
  const open = (role: HashedRole) => {
    const found = hashedIndexFile(manifest, role)
    return (
      found && {
        ...found,
        rowsOf: openHashedRows(tables, found.file, POSITION_COLUMNS),
        members: hashedFiles(manifest.files, role),
      }
    )
  }
  const opened: Partial<Record<HashedRole, ReturnType<typeof open>>> = {}
  return {
    async member(role, key) {
      opened[role] ??= open(role)
      const index = opened[role]
      if (!index) return null
      const [rows] = await index.rowsOf([keyHash(key)])
      for (const { shard, at, length } of hashedPositions({ ...rows!, shards: index.shards }, key)) {
        const bytes = (await files.parts(index.members[shard]!, [{ at, length }]))[0]!
        const member = decodeHashedMember(role, key, bytes)
        if (member) return member
      }
      return null
    },
  }
}
