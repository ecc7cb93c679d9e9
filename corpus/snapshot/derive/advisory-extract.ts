/** Extracts the ids and packages of hashed shards, for the derived files. SPEC.md, "Hashed shards". */

import { advisoryIds } from '../../model/packages/advisory-ids.ts'
import { advisoryRow } from '../../model/packages/advisory-row.ts'
import { packageKey } from '../../model/packages/name.ts'
import type { PackageEntry } from '../../model/packages/package-entry.ts'
import type { JsonObject } from '../../model/values/json-value.ts'
import { plainOfMany, type SegmentBytes } from '../codec/segment-bytes.ts'
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
  const rows: AdvisoryRows = { ...located(members), aliases: [], cveIds: [], rows: [] }
  for (const { member, entry } of entriesOf<JsonObject>('advisories', shard, members)) {
    const ids = advisoryIds(entry)
    if (ids === null) throw new SnapshotError('malformed', `the member ${member.key} has no id`)
    assertKey(member, ids.id)
    rows.keys.push(ids.id)
    rows.aliases.push(ids.aliases)
    rows.cveIds.push(ids.cve_ids)
    const row = advisoryRow(entry)
    rows.rows.push(row && JSON.stringify(row))
  }
  return rows
}

/**
 * Returns the packages of a shard.
 * @throws SnapshotError when the shard is damaged or contains anything else
 */
export function extractPackages(shard: Buffer, members: readonly LocatedMember[] = [...membersOf(shard)]): PackageRows {
  const rows: PackageRows = { ...located(members), packages: [], ecosystems: [], advisories: [] }
  for (const { member, entry } of entriesOf<PackageEntry>('packages', shard, members)) {
    const { ecosystem, name, purl, advisories } = entry
    const key = packageKey(ecosystem, name)
    assertKey(member, key)
    rows.keys.push(key)
    rows.packages.push({ ecosystem, name, purl })
    const published = advisories.filter(({ is_cve_record }) => !is_cve_record)
    rows.ecosystems.push([...new Set(published.flatMap(({ affected }) => affected.map((entry) => entry.ecosystem)))])
    rows.advisories.push(advisories.map(({ id }) => id))
  }
  return rows
}

const located = (members: readonly LocatedMember[]): HashedRows => ({
  keys: [],
  at: members.map(({ at }) => at),
  length: members.map(({ length }) => length),
})

/**
 * Yields the members of a shard with their entries.
 * @throws SnapshotError when a member is damaged, or is not one JSON object of the role
 */
export function* entriesOf<Entry extends object>(
  role: HashedRole,
  shard: Buffer,
  members: readonly LocatedMember[],
): Generator<{ member: LocatedMember; entry: Entry }> {
  const wanted = members.map((member): SegmentBytes => {
    const [segment, ...others] = member.segments
    if (!segment || others.length > 0 || segment.kind !== HASHED_KINDS[role]) {
      throw new SnapshotError('malformed', `the member ${member.key} is not one of ${role}`)
    }
    return { bytes: shard.subarray(member.at, member.at + member.length), segment }
  })
  let next = 0
  for (const plain of plainOfMany(wanted)) {
    const member = members[next++]!
    yield { member, entry: parsed(member, plain) as Entry }
  }
}

function parsed(member: LocatedMember, plain: Buffer): object {
  const what = `the member ${member.key} is not a JSON object`
  try {
    const entry: unknown = JSON.parse(plain.toString())
    if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) return entry
  } catch (cause) {
    throw new SnapshotError('malformed', what, { cause })
  }
  throw new SnapshotError('malformed', what)
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
