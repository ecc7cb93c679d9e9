/**
 * Compares two snapshots: CVEs with different records, and the different parts. EPSS never counts, because the digests
 * of the record sources are compared, and EPSS is stored separately.
 */
import { type CveId, compareCveIds } from '../../model/ids/cve-id.ts'
import type { PartName } from '../../model/record.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { SHORT_HASH_LENGTH } from '../../runtime/digest.ts'
import { CVE_PARTS } from '../record/cve-member.ts'
import type { MemberHead } from '../record/member.ts'
import { type Index, idAt } from './index-table.ts'

/** The row is -1 in a snapshot without the CVE. */
export interface ChangedCve {
  id: CveId
  oldRow: number
  newRow: number
}

/** Sorted by id. */
export function changesBetween(before: Index, after: Index): ChangedCve[] {
  const changes: ChangedCve[] = []
  let oldRow = 0
  let newRow = 0
  while (oldRow < before.count || newRow < after.count) {
    const order = compareRows(before, oldRow, after, newRow)
    if (order < 0) changes.push({ id: idAt(before, oldRow), oldRow: oldRow++, newRow: -1 })
    else if (order > 0) changes.push({ id: idAt(after, newRow), oldRow: -1, newRow: newRow++ })
    else {
      if (!isSameSource(before, oldRow, after, newRow)) changes.push({ id: idAt(after, newRow), oldRow, newRow })
      oldRow++
      newRow++
    }
  }
  return changes
}

/** Negative if the old row comes first. A row after the last one sorts last. */
function compareRows(before: Index, oldRow: number, after: Index, newRow: number): number {
  if (oldRow >= before.count) return 1
  if (newRow >= after.count) return -1
  return (
    before.year[oldRow]! - after.year[newRow]! ||
    before.numberHigh[oldRow]! - after.numberHigh[newRow]! ||
    before.numberLow[oldRow]! - after.numberLow[newRow]!
  )
}

function isSameSource(before: Index, oldRow: number, after: Index, newRow: number): boolean {
  for (let byte = 0; byte < SHORT_HASH_LENGTH; byte++) {
    const [old, now] = [oldRow * SHORT_HASH_LENGTH + byte, newRow * SHORT_HASH_LENGTH + byte]
    if (before.sources[old] !== after.sources[now]) return false
  }
  return true
}

export function firstChangeAfter(changes: readonly ChangedCve[], id: CveId): number {
  return partitionPoint(changes.length, (at) => compareCveIds(changes[at]!.id, id) > 0)
}

/** Client-visible parts, by their names in `include`. */
const SECTIONS = {
  core: 'core',
  cvss: 'cvss',
  affected: 'affected',
  references: 'references',
  exploits: 'exploits',
  evidence: 'evidence',
  timeline: 'timeline',
  analysis: 'analysis',
  advisory: 'advisory',
  report_texts: 'reports',
} as const satisfies Record<Exclude<PartName, 'facets' | 'reports'>, string>

export type ChangedSection = (typeof SECTIONS)[keyof typeof SECTIONS]
export const CHANGED_SECTIONS: readonly ChangedSection[] = Object.values(SECTIONS)

/** For a new record, returns its non-empty sections. */
export function changedSections(before: MemberHead | null, after: MemberHead): ChangedSection[] {
  const hashOf = (head: MemberHead | null, part: PartName) =>
    head?.segments.find(({ kind }) => kind === CVE_PARTS[part].kind)?.hash
  const parts = Object.keys(SECTIONS) as (keyof typeof SECTIONS)[]
  return parts
    .filter((part) => {
      const [old, now] = [hashOf(before, part), hashOf(after, part)]
      return old === undefined || now === undefined ? old !== now : Buffer.compare(old, now) !== 0
    })
    .map((part) => SECTIONS[part])
}
