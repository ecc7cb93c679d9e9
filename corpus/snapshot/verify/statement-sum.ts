/** The sum of the hashes of what advisories state about packages: equal for shards of advisories and of packages. */
import type { PackageAdvisory } from '../../model/packages/package-advisory.ts'
import type { PackageEntry } from '../../model/packages/package-entry.ts'
import { shortHash } from '../../runtime/digest.ts'

export interface StatementSum {
  count: number
  sum: bigint
}

export const noStatements = (): StatementSum => ({ count: 0, sum: 0n })

export function addStatement(total: StatementSum, key: string, advisory: PackageAdvisory): void {
  const hash = Buffer.from(shortHash(`${key}\n${JSON.stringify(advisory)}`))
  addStatements(total, { count: 1, sum: hash.readBigUInt64LE() })
}

export function addStatements(total: StatementSum, { count, sum }: StatementSum): void {
  total.count += count
  total.sum = BigInt.asUintN(64, total.sum + sum)
}

/** Returns a sum as it is in an entry; undefined without statements. */
export const omittedOf = ({ count, sum }: StatementSum): PackageEntry['omitted'] =>
  count === 0 ? undefined : { count, sum: sum.toString(16) }

/** Returns null if an entry states no sum. */
export function sumOfOmitted({ count, sum }: NonNullable<PackageEntry['omitted']>): StatementSum | null {
  return Number.isSafeInteger(count) && count > 0 && /^[0-9a-f]{1,16}$/.test(sum)
    ? { count, sum: BigInt(`0x${sum}`) }
    : null
}
