/** Finds the aliases of advisories by blocks of their table. */
import { ALIAS_COLUMNS, aliasesFile, aliasSetIn, keyHash, type Manifest, rowsOfHash, valuesSpan } from '../index.ts'
import { openHashedRows } from './hashed-lookup.ts'
import type { RangeTables } from './tables.ts'

export interface AliasLookup {
  /**
   * Returns all ids of the alias sets of these ids, by each of them. Ids without an alias are left out.
   * @throws SnapshotError, TransferError
   */
  sets(ids: readonly string[]): Promise<Map<string, readonly string[]>>
}

export function openAliasLookup(manifest: Manifest, tables: RangeTables): AliasLookup {
  const file = aliasesFile(manifest)
  const rowsOf = file && openHashedRows(tables, file, ALIAS_COLUMNS)
  return {
    async sets(ids) {
      const sets = new Map<string, readonly string[]>()
      if (!file || ids.length === 0) return sets
      const { header, bytes } = await tables.of(file)
      const hashes = ids.map(keyHash)
      const found = (await rowsOf!(hashes)).flatMap((aliases, i) =>
        rowsOfHash(aliases, hashes[i]!).map((row) => ({
          id: ids[i]!,
          span: valuesSpan(header, 'sets', aliases.setStart[row]!, aliases.setLength[row]!),
          crc: aliases.setCrc[row]!,
        })),
      )
      for (const [i, part] of (await bytes(found.map(({ span }) => span))).entries()) {
        const set = aliasSetIn(part, found[i]!.crc)
        // Two ids can have one hash.
        if (set.includes(found[i]!.id)) for (const id of set) sets.set(id, set)
      }
      return sets
    },
  }
}
