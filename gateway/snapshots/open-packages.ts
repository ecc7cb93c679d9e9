/** The packages and advisories of an open snapshot: tables in memory, members in open files. */
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { packageKey, statedCveIds } from '../../corpus/model/packages/package-advisory.ts'
import type { PackageEntry } from '../../corpus/model/packages/package-entry.ts'
import type { IndexedEcosystems } from '../../corpus/model/versions/ecosystems.ts'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import {
  aliasesOf,
  decodeHashedMember,
  type HashedRole,
  hashedPositions,
  type OpenObject,
  type PackageTables,
  plainBytes,
  type ReadMember,
} from '../../corpus/snapshot/index.ts'
import { SNAPSHOT_BYTES } from '../process/bounds.ts'

export interface OpenPackages extends IndexedEcosystems {
  /** Returns null for an unknown package. The name is in any spelling, the ecosystem in that of the schema. */
  package(ecosystem: string, name: string): PackageEntry | null
  /** Returns null for an unknown id. Withdrawn records are included. */
  advisory(id: string): ReadMember | null
  /** Returns all ids of the alias set of an id, ascending; null for an id without an alias. */
  aliasesOf(id: string): readonly string[] | null
}

/** `shards` are in the order of their numbers; `indexed` are the ecosystems of the packages. */
export function openPackages(
  tables: PackageTables,
  shards: Record<HashedRole, readonly OpenObject[]>,
  { ecosystems, releases }: IndexedEcosystems,
): OpenPackages {
  const entries = generationalCache<string, { entry: PackageEntry; bytes: number }>(
    SNAPSHOT_BYTES.packages,
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
    aliasesOf: (id) => aliasesOf(tables.aliases, id),
  }
}

/** Of a hostile set with thousands of ids, the first are enough. */
const MOST_NAMED = 20

/** Returns the aliases of an id that are ids of records. */
export function aliasedRecords(
  { advisory, aliasesOf }: Pick<OpenPackages, 'advisory' | 'aliasesOf'>,
  id: string,
): string[] {
  return (aliasesOf(id) ?? []).slice(0, MOST_NAMED).filter((alias) => advisory(alias) !== null)
}

/** Memory of a package per byte of its JSON: parsed, and with parsed versions (`matchAdvisories`). */
const PARSED_BYTES = 4

/** Returns the CVEs that the record of an advisory names. */
export const cveIdsOf = (member: ReadMember): CveId[] =>
  statedCveIds(JSON.parse(plainBytes(member.bytes, member.segments[0]!).toString()))
