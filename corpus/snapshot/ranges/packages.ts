/** Packages and advisories by ranges: reads the tables when they are needed first, and members one by one. */
import { packageKey } from '../../model/packages/name.ts'
import type { PackageEntry } from '../../model/packages/package-entry.ts'
import { generationalCache } from '../../runtime/generational-cache.ts'
import { awaited } from '../../runtime/steps.ts'
import { type PackageData, plainBytes } from '../index.ts'
import type { AliasLookup } from './alias-lookup.ts'
import type { HashedLookup } from './hashed-lookup.ts'
import { parsedJson } from './rows.ts'

/** Cache size of parsed packages. */
const PACKAGES_BYTES = 16 * 1024 * 1024
/** Memory of a package per byte of its JSON: parsed, and with parsed versions (`matchAdvisories`). */
const PARSED_BYTES = 4

export function rangePackages(members: HashedLookup, aliases: AliasLookup): PackageData {
  const entries = generationalCache<string, { entry: PackageEntry; bytes: number }>(
    PACKAGES_BYTES,
    ({ bytes }) => bytes,
  )

  async function packageOf(key: string): Promise<PackageEntry | null> {
    const member = await members.member('packages', key)
    if (!member) return null
    const segment = member.segments[0]!
    const entry = parsedJson(plainBytes(member.bytes, segment).toString()) as PackageEntry
    entries.set(key, { entry, bytes: segment.plainLength * PARSED_BYTES })
    return entry
  }

  async function setsOf(stated: readonly (readonly string[])[]): Promise<Map<string, readonly string[]>> {
    const sets = await aliases.sets([...new Set(stated.flatMap(([id]) => id ?? []))])
    // The set of an id contains the others, unless they are malformed.
    const others = stated.flatMap((ids) => ids.slice(1).filter((id) => !sets.has(id)))
    for (const [id, set] of await aliases.sets([...new Set(others)])) sets.set(id, set)
    return sets
  }

  return {
    *package(ecosystem, name) {
      const key = packageKey(ecosystem, name)
      return entries.get(key)?.entry ?? (yield* awaited(packageOf(key)))
    },
    *advisory(id) {
      return yield* awaited(members.member('advisories', id))
    },
    *aliases(stated) {
      const sets = yield* awaited(setsOf([...stated()]))
      return (id) => sets.get(id) ?? null
    },
  }
}
