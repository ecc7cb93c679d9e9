/** The packages and advisories of an open snapshot: tables in memory, members in open files. */
import { packageKey } from '../../model/packages/name.ts'
import type { PackageEntry } from '../../model/packages/package-entry.ts'
import type { IndexedEcosystems } from '../../model/versions/ecosystems.ts'
import { generationalCache } from '../../runtime/generational-cache.ts'
import {
  aliasesOf,
  decodeHashedMember,
  type HashedRole,
  hashedPositions,
  type OpenObject,
  type PackageData,
  type PackageTables,
  plainBytes,
  type ReadMember,
} from '../index.ts'
import { MEMORY_BYTES } from './bounds.ts'

export interface OpenPackages extends IndexedEcosystems {
  /** Returns null for an unknown package. The name is in any spelling, the ecosystem in that of the schema. */
  package(ecosystem: string, name: string): PackageEntry | null
  /** Returns null for an unknown id. Withdrawn records are included. */
  advisory(id: string): ReadMember | null
  /** Returns all ids of the alias set of an id, ascending; null for an id without an alias. */
  aliasesOf(id: string): readonly string[] | null
}

/**
 * `shards` are in the order of their numbers. `aliasFile` is null without advisories. The last argument has the
 * ecosystems of the packages.
 */
export function openPackages(
  tables: PackageTables,
  shards: Record<HashedRole, readonly OpenObject[]>,
  aliasFile: OpenObject | null,
  { ecosystems, releases }: IndexedEcosystems,
): OpenPackages {
  const entries = generationalCache<string, { entry: PackageEntry; bytes: number }>(
    MEMORY_BYTES.packages,
    ({ bytes }) => bytes,
  )
  /** Two keys can have one hash, so the key of the member decides. */
  const read = (role: HashedRole, key: string): ReadMember | null => {
    for (const { shard, at, length } of hashedPositions(tables[role], key)) {
      const member = decodeHashedMember(role, key, shards[role][shard]!.read(at, length))
      if (member) return member
    }
    return null
  }
  return {
    ecosystems,
    releases,
    package(ecosystem, name) {
      const key = packageKey(ecosystem, name)
      const known = entries.get(key)
      if (known) return known.entry
      const member = read('packages', key)
      if (!member) return null
      const segment = member.segments[0]!
      const entry = JSON.parse(plainBytes(member.bytes, segment).toString()) as PackageEntry
      entries.set(key, { entry, bytes: segment.plainLength * PARSED_BYTES })
      return entry
    },
    advisory: (id) => read('advisories', id),
    aliasesOf: (id) => aliasFile && aliasesOf(tables.aliases, id, (at, length) => aliasFile.read(at, length)),
  }
}

/** Memory of a package per byte of its JSON: parsed, and with parsed versions (`matchAdvisories`). */
const PARSED_BYTES = 4

/** The packages as answers read them. */
export function memoryPackages(open: OpenPackages): PackageData {
  const { aliasesOf } = open
  return {
    *package(ecosystem, name) {
      return open.package(ecosystem, name)
    },
    *advisory(id) {
      return open.advisory(id)
    },
    *aliases() {
      return aliasesOf
    },
  }
}
