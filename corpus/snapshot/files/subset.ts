/**
 * Which CVEs a partial mirror has. `subset.json` beside the pointer states it; the signed manifest lists all files, so
 * that every file that is there can be verified. SPEC.md, "Subset".
 */
import { formatYears, isYears, type Years } from '../../model/values/years.ts'
import { SnapshotError } from '../error.ts'
import type { FileEntry } from './manifest.ts'

export type Subset = Years

export const SUBSET_NAME = 'subset.json'
export const MAX_SUBSET_BYTES = 4096
const FORMAT = 1
export const encodeSubset = (subset: Subset): Buffer =>
  Buffer.from(`${JSON.stringify({ format: FORMAT, years: subset })}\n`)

/** @throws SnapshotError `malformed`, `unsupported` */
export function decodeSubset(bytes: Uint8Array): Subset {
  let stated: { format?: unknown; years?: unknown } | null
  try {
    stated = JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new SnapshotError('malformed', `${SUBSET_NAME} is not JSON`, { cause })
  }
  if (stated?.format !== FORMAT) throw new SnapshotError('unsupported', `${SUBSET_NAME} has an unknown format`)
  if (!isYears(stated.years)) throw new SnapshotError('malformed', `${SUBSET_NAME} states no valid years`)
  return { from: stated.years.from, to: stated.years.to }
}

/** Returns whether a subset does not have a file: the shards and the EPSS history of other years. */
export function isLeftOut(subset: Subset | null, { role, name }: Pick<FileEntry, 'role' | 'name'>): boolean {
  if (subset === null || (role !== 'cve' && role !== 'epss-history')) return false
  const year = Number(name.slice(0, 4))
  return !(year >= subset.from && year <= subset.to)
}

/** The error of a read of a file that the subset does not have. */
export function leftOutError(subset: Subset, { name }: Pick<FileEntry, 'name'>): SnapshotError {
  return new SnapshotError(
    'left_out',
    `this answer needs CVE-${name.slice(0, 4)} records, and this mirror has only those of the years ${formatYears(subset)}. Ask the repository that it mirrors, or let its operator mirror with other \`--years\``,
  )
}
