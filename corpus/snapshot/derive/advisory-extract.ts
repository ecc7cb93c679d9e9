/** Extracts the ids and packages of hashed shards, for the derived files. SPEC.md, "Hashed shards". */

import { advisoryIds, packageKey } from '../../model/packages/package-advisory.ts'
import type { PackageEntry } from '../../model/packages/package-entry.ts'
import type { JsonObject } from '../../model/values/json-value.ts'
import { plainBytes } from '../codec/segment-bytes.ts'
import { SnapshotError } from '../error.ts'
import { HASHED_KINDS, type HashedRole, hashedMemberKey } from '../record/hashed-shard.ts'
import { type LocatedMember, membersOf } from '../record/shard.ts'
import type { AdvisoryRows, HashedRows, PackageRows } from './advisory-rows.ts'

/**
 * Returns the advisories of a shard.
 * @throws SnapshotError when the shard is damaged or contains anything else
 */
export function extractAdvisories(
  shard: Buffer,
  members: readonly LocatedMember[] = [...membersOf(shard)],
): AdvisoryRows {
  const rows: AdvisoryRows = { ...located(members), aliases: [], cveIds: [] }
  for (const member of members) {
    const ids = advisoryIds(entryOf<JsonObject>('advisories', shard, member))
    if (ids === null) throw new SnapshotError('malformed', `the member ${member.key} has no id`)
    assertKey(member, ids.id)
    rows.keys.push(ids.id)
    rows.aliases.push(ids.aliases)
    rows.cveIds.push(ids.cve_ids)
  }
  return rows
}

/**
 * Returns the packages of a shard.
 * @throws SnapshotError when the shard is damaged or contains anything else
 */
export function extractPackages(shard: Buffer, members: readonly LocatedMember[] = [...membersOf(shard)]): PackageRows {
  const rows: PackageRows = { ...located(members), packages: [], advisories: [] }
  for (const member of members) {
    const { ecosystem, name, purl, advisories } = entryOf<PackageEntry>('packages', shard, member)
    const key = packageKey(ecosystem, name)
    assertKey(member, key)
    rows.keys.push(key)
    rows.packages.push({ ecosystem, name, purl })
    rows.advisories.push(advisories.map(({ id }) => id))
  }
  return rows
}

const located = (members: readonly LocatedMember[]): HashedRows => ({
  keys: [],
  at: members.map(({ at }) => at),
  length: members.map(({ length }) => length),
})

/** @throws SnapshotError when the member is not one JSON object of its role */
export function entryOf<Entry extends object>(role: HashedRole, shard: Buffer, member: LocatedMember): Entry {
  const [segment, ...others] = member.segments
  if (!segment || others.length > 0 || segment.kind !== HASHED_KINDS[role]) {
    throw new SnapshotError('malformed', `the member ${member.key} is not one of ${role}`)
  }
  const text = plainBytes(shard.subarray(member.at, member.at + member.length), segment).toString()
  const entry: unknown = JSON.parse(text)
  if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) return entry as Entry
  throw new SnapshotError('malformed', `the member ${member.key} is not a JSON object`)
}

function assertKey(member: LocatedMember, key: string): void {
  if (hashedMemberKey(key) !== member.key)
    throw new SnapshotError('malformed', `the member ${member.key} contains ${key}`)
}

/** Appends the rows of the next shard. */
export function appendRows<Rows extends HashedRows>(rows: Rows, more: Rows): void {
  for (const name of Object.keys(rows) as (keyof Rows)[]) {
    const [to, from] = [rows[name], more[name]] as unknown[][]
    for (const one of from!) to!.push(one)
  }
}
