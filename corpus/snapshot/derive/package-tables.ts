/** The tables that find advisories and packages. They are empty in a snapshot without advisories. */
import { SnapshotError } from '../error.ts'
import type { FileEntry, Manifest } from '../files/manifest.ts'
import type { HashedRole } from '../record/hashed-shard.ts'
import { type Aliases, decodeAliases } from './aliases.ts'
import { decodeHashedIndex, type HashedIndex } from './hashed-index.ts'

/** Plain data, so that threads can transfer it. */
export interface PackageTables {
  advisories: HashedIndex
  packages: HashedIndex
  aliases: Aliases
}

/** Each table and its file in the manifest. A snapshot without advisories has none of them. */
const FILES: Readonly<Record<keyof PackageTables, (file: FileEntry) => boolean>> = {
  advisories: ({ role, name }) => role === 'index' && name === 'advisories',
  packages: ({ role, name }) => role === 'index' && name === 'packages',
  aliases: ({ role, name }) => role === 'aliases' && name === 'cve',
}

/** Returns the file of a table; undefined in a snapshot without advisories. */
export const packageTableFile = ({ files }: Manifest, table: keyof PackageTables): FileEntry | undefined =>
  files.find(FILES[table])

/**
 * Decodes a table from its file. `bytes` is null if the snapshot has no such file.
 * @throws SnapshotError `malformed`
 */
export function decodePackageTable<Name extends keyof PackageTables>(
  { files }: Manifest,
  table: Name,
  bytes: Uint8Array | null,
): PackageTables[Name] {
  const shards = (of: HashedRole) => files.filter(({ role }) => role === of).length
  if (table !== 'aliases') return decodeHashedIndex(bytes, shards(table)) as PackageTables[Name]
  if (bytes === null && shards('advisories') > 0)
    throw new SnapshotError('malformed', 'there are no aliases of advisories')
  return decodeAliases(bytes) as PackageTables[Name]
}

/**
 * Decodes the tables of a snapshot. `read` returns the bytes of a file, checked against its digest.
 * @throws SnapshotError `malformed`, and what `read` throws
 */
export function readPackageTables(manifest: Manifest, read: (file: FileEntry) => Uint8Array): PackageTables {
  const decode = <Name extends keyof PackageTables>(table: Name) => {
    const file = packageTableFile(manifest, table)
    return decodePackageTable(manifest, table, file ? read(file) : null)
  }
  return { advisories: decode('advisories'), packages: decode('packages'), aliases: decode('aliases') }
}
