/** The tables that find advisories and packages. They are empty in a snapshot without advisories. */
import type { FileEntry, Manifest } from '../files/manifest.ts'
import { type Aliases, decodeAliases } from './aliases.ts'
import { decodeHashedIndex, type HashedIndex } from './hashed-index.ts'

/** Plain data, so that threads can transfer it. */
export interface PackageTables {
  advisories: HashedIndex
  packages: HashedIndex
  aliases: Aliases
}

/**
 * Decodes the tables of a snapshot. `read` returns the bytes of a file, checked against its digest.
 * @throws SnapshotError `malformed`, and what `read` throws
 */
export function readPackageTables({ files }: Manifest, read: (file: FileEntry) => Uint8Array): PackageTables {
  const bytesOf = (file: FileEntry | undefined) => (file ? read(file) : null)
  const index = (role: 'advisories' | 'packages') =>
    decodeHashedIndex(
      bytesOf(files.find((file) => file.role === 'index' && file.name === role)),
      files.filter((file) => file.role === role).length,
    )
  return {
    advisories: index('advisories'),
    packages: index('packages'),
    aliases: decodeAliases(bytesOf(files.find((file) => file.role === 'aliases'))),
  }
}
