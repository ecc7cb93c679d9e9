/** Verifies shards of advisories and packages: each alone, then against each other. SPEC.md, "Hashed shards". */

import { packageKey } from '../../model/packages/name.ts'
import { packageStatements } from '../../model/packages/package-advisory.ts'
import { type PackageEntry, packageEntry } from '../../model/packages/package-entry.ts'
import { compareText } from '../../model/sources.ts'
import type { JsonObject } from '../../model/values/json-value.ts'
import { MAX_PACKAGE_BYTES } from '../bounds.ts'
import { appendRows, entriesOf, extractAdvisories, extractPackages } from '../derive/advisory-extract.ts'
import {
  type AdvisoryRows,
  type HashedRows,
  noAdvisories,
  noPackages,
  type PackageRows,
} from '../derive/advisory-rows.ts'
import { SnapshotError } from '../error.ts'
import { describe } from '../files/layout.ts'
import type { FileEntry } from '../files/manifest.ts'
import {
  type HashedRole,
  hashedFiles,
  hashedShardCount,
  hashedShardName,
  keyHash,
  shardOfHash,
} from '../record/hashed-shard.ts'
import { type LocatedMember, membersOf } from '../record/shard.ts'
import type { Checked } from './consistency.ts'
import { addStatement, addStatements, noStatements, type StatementSum, sumOfOmitted } from './statement-sum.ts'

export interface HashedFindings {
  rows: AdvisoryRows | PackageRows
  /** What the shard states about packages: the number of statements, and the sum of their hashes. */
  statements: StatementSum
}

/** @throws SnapshotError when members are out of order, or do not contain what their key says */
export function verifyHashedShard(role: HashedRole, shard: Buffer): HashedFindings {
  const members = [...membersOf(shard)]
  let last: string | null = null
  const statements = noStatements()
  for (const { member, entry } of entriesOf<JsonObject | PackageEntry>(role, shard, members)) {
    if (last !== null && last >= member.key) malformed(`${member.key} is out of order, after ${last}`)
    last = member.key
    if (role === 'advisories') {
      for (const { ecosystem, folded, advisory } of packageStatements(entry as JsonObject)) {
        addStatement(statements, `${ecosystem}/${folded}`, advisory)
      }
    } else addPackage(statements, member, entry as PackageEntry)
  }
  return {
    rows: role === 'advisories' ? extractAdvisories(shard, members) : extractPackages(shard, members),
    statements,
  }
}

/** Statements that do not fit count as the entry states. */
function addPackage(statements: StatementSum, member: LocatedMember, entry: PackageEntry): void {
  const { ecosystem, name, purl, advisories, omitted } = entry
  if (member.segments[0]!.plainLength > MAX_PACKAGE_BYTES)
    malformed(`${member.key} is longer than ${MAX_PACKAGE_BYTES} bytes`)
  const key = packageKey(ecosystem, name)
  const ids = advisories.map(({ id }) => id)
  if (JSON.stringify(packageEntry(key, purl, advisories, omitted)) !== JSON.stringify(entry))
    malformed(`${member.key} contradicts its advisories`)
  if (ids.some((id, i) => i > 0 && compareText(ids[i - 1]!, id) >= 0))
    malformed(`the advisories of ${member.key} are out of order`)
  for (const advisory of advisories) if (!advisory.is_too_large) addStatement(statements, key, advisory)
  if (omitted === undefined) return
  const sum = sumOfOmitted(omitted)
  if (sum === null) malformed(`${member.key} does not state what it omits`)
  addStatements(statements, sum)
}

function malformed(message: string): never {
  throw new SnapshotError('malformed', message)
}

export interface HashedShards {
  advisories: AdvisoryRows
  packages: PackageRows
  faults: string[]
}

/** Returns the rows of all shards, and the faults of shards that do not fit to each other. */
export function joinHashedShards(checked: readonly Checked[]): HashedShards {
  const joined: HashedShards = { advisories: noAdvisories(), packages: noPackages(), faults: [] }
  const sums = { advisories: noStatements(), packages: noStatements() }
  const findings = new Map(checked.map(({ file, findings }) => [file, findings.hashed]))
  const files = checked.map(({ file }) => file)
  for (const role of ['advisories', 'packages'] as const) {
    const shards = hashedFiles(files, role)
    for (const [shard, file] of shards.entries()) {
      const { rows, statements } = findings.get(file)!
      joined.faults.push(...misplaced(file, rows, shard, shards.length))
      appendRows<HashedRows>(joined[role], rows)
      addStatements(sums[role], statements)
    }
    const { length } = joined[role].keys
    if (hashedShardCount(length) !== shards.length) {
      joined.faults.push(`the snapshot has ${shards.length} shards of ${role} for ${length} members`)
    }
  }
  if (sums.advisories.sum !== sums.packages.sum || sums.advisories.count !== sums.packages.count) {
    joined.faults.push('the packages do not match the advisories')
  }
  return joined
}

function misplaced(file: FileEntry, { keys }: HashedRows, shard: number, count: number): string[] {
  if (file.name !== hashedShardName(shard)) return [`${describe(file)} is not shard ${hashedShardName(shard)}`]
  const other = keys.find((key) => shardOfHash(keyHash(key).high, count) !== shard)
  return other === undefined ? [] : [`${describe(file)} contains ${other}, which belongs to another shard`]
}
