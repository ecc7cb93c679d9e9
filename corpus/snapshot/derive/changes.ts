/**
 * Compares two snapshots: CVEs with different records, and the different parts. EPSS never counts, because the digests
 * of the record sources are compared, and EPSS is stored separately.
 */
import { type CveId, compareCveIds, parseCveId } from '../../model/ids/cve-id.ts'
import type { PartName } from '../../model/record.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { SHORT_HASH_LENGTH } from '../../runtime/digest.ts'
import type { RowKey } from '../cursor/cursor.ts'
import { CVE_PARTS } from '../record/cve-member.ts'
import type { MemberHead } from '../record/member.ts'
import { type BlockRow, distancesOf, rowInBlock, type SourcedBlock } from './index-block.ts'
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

/** A row of a block, and the source of its member. */
export type SourcedRow = BlockRow & { source: Uint8Array }

/** The row is null in a snapshot without the CVE. */
export interface BlockChange {
  id: CveId
  old: SourcedRow | null
  now: SourcedRow | null
}

/**
 * Returns the changes in a block, sorted by id, from its rows in two snapshots; null without the block.
 * @throws SnapshotError `malformed`
 */
export function changesInBlock(before: SourcedBlock | null, after: SourcedBlock | null): BlockChange[] {
  const [oldNumbers, newNumbers] = [before ? distancesOf(before) : [], after ? distancesOf(after) : []]
  const changes: BlockChange[] = []
  for (let i = 0, j = 0; i < oldNumbers.length || j < newNumbers.length; ) {
    const order = (oldNumbers[i] ?? Number.POSITIVE_INFINITY) - (newNumbers[j] ?? Number.POSITIVE_INFINITY)
    const old = order <= 0 ? sourcedRow(before!, i++) : null
    const now = order >= 0 ? sourcedRow(after!, j++) : null
    if (old && now && Buffer.compare(old.source, now.source) === 0) continue
    changes.push({ id: (now ?? old!).id, old, now })
  }
  return changes
}

function sourcedRow(rows: SourcedBlock, position: number): SourcedRow {
  const at = position * SHORT_HASH_LENGTH
  return { ...rowInBlock(rows.block, rows, position), source: rows.sources.subarray(at, at + SHORT_HASH_LENGTH) }
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
  guidance: 'guidance',
  kev: 'kev',
  advisory: 'advisory',
  report_texts: 'reports',
} as const satisfies Record<Exclude<PartName, 'facets' | 'reports'>, string>

export type ChangedSection = (typeof SECTIONS)[keyof typeof SECTIONS]
export const CHANGED_SECTIONS: readonly ChangedSection[] = Object.values(SECTIONS)

/** A row of `/changes`. */
export interface RecordChange {
  cve_id: CveId
  /** `removed`: the record was rejected, or the CVE list no longer has it. */
  change: 'added' | 'changed' | 'removed'
  /** The parts of the record that differ. */
  sections: ChangedSection[]
}

/** Returns the change from one member to another; null in a snapshot without the CVE. */
export function changeOf(id: CveId, before: MemberHead | null, after: MemberHead | null): RecordChange {
  if (after === null) return { cve_id: id, change: 'removed', sections: [] }
  return { cve_id: id, change: before === null ? 'added' : 'changed', sections: changedSections(before, after) }
}

/** Whether a cursor's row can be one of `/changes`. */
export const isChangeKey = ({ value, id }: RowKey): boolean => value === null && parseCveId(id) === id

/** For a new record, returns its non-empty sections. */
function changedSections(before: MemberHead | null, after: MemberHead): ChangedSection[] {
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
