/** Finds the aliases of advisories by parts of the file of buckets. Many lookups read the table of all aliases. */

import { remembered } from '../../runtime/remembered.ts'
import {
  aliasesInBucket,
  aliasesOf,
  bucketSpan,
  bucketStartSpan,
  decodePackageTable,
  type Manifest,
  type PackageTables,
  packageTableFile,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'
import type { TableHeaders } from './table-headers.ts'

export interface AliasLookup {
  /**
   * Returns all ids of the alias sets of these ids, by each of them. Ids without an alias are left out.
   * @throws SnapshotError, TransferError
   */
  sets(ids: readonly string[]): Promise<Map<string, readonly string[]>>
}

/** From these numbers on, the table takes less time than the buckets: 5 MB for 180,000 ids. */
const MANY_IDS = 200
const MANY_LOOKUPS = 64

export function openAliasLookup(manifest: Manifest, objects: FileParts, headers: TableHeaders): AliasLookup {
  // None without advisories.
  const buckets = manifest.files.find(({ role, name }) => role === 'aliases' && name === 'buckets')
  let lookups = 0
  const tables = new Map<string, Promise<PackageTables['aliases']>>()

  const table = () =>
    remembered(tables, '', async () => {
      const file = packageTableFile(manifest, 'aliases')
      return decodePackageTable(manifest, 'aliases', file ? await objects.whole(file) : null)
    })

  async function addSets(sets: AliasSets, ids: readonly string[]): Promise<void> {
    if (!buckets || lookups++ >= MANY_LOOKUPS || ids.length > MANY_IDS) return addFromTable(sets, ids)
    const header = await headers.of(buckets)
    const starts = await objects.parts(
      buckets,
      ids.map((id) => bucketStartSpan(header, id)),
    )
    const spans = ids.map((id, i) => bucketSpan(header, id, starts[i]!))
    const long: string[] = []
    for (const [i, bytes] of (await objects.parts(buckets, spans)).entries()) {
      const found = aliasesInBucket(header, ids[i]!, bytes)
      if (found === 'whole') long.push(ids[i]!)
      else add(sets, found)
    }
    if (long.length > 0) await addFromTable(sets, long)
  }

  /** Reads each set once: it can have as many ids as are asked for. */
  async function addFromTable(sets: AliasSets, ids: readonly string[]): Promise<void> {
    const aliases = await table()
    for (const id of ids) if (!sets.has(id)) add(sets, aliasesOf(aliases, id))
  }

  return {
    async sets(ids) {
      const sets: AliasSets = new Map()
      if (ids.length > 0) await addSets(sets, ids)
      return sets
    },
  }
}

type AliasSets = Map<string, readonly string[]>

const add = (sets: AliasSets, set: readonly string[] | null): void => {
  for (const id of set ?? []) sets.set(id, set!)
}
