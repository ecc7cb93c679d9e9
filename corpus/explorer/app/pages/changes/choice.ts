/** The choice of the compared snapshots, and counts of their differences. */
import type { Changes, Snapshots } from '../../data/answers.ts'

export type SnapshotRow = Snapshots['data'][number]
export type Change = Changes['data'][number]

export const CHANGES = ['added', 'changed', 'removed'] as const satisfies readonly Change['change'][]

/** Returns the full id of a snapshot that is listed, by at least seven digits of it; else the text itself. */
export const idOf = (snapshots: readonly SnapshotRow[], text: string): string =>
  snapshots.find(({ id }) => text.length >= 7 && id.startsWith(text.toLowerCase()))?.id ?? text

export const isNewer = (a: SnapshotRow, b: SnapshotRow): boolean =>
  a.id !== b.id && Date.parse(a.created_at) >= Date.parse(b.created_at)

/**
 * Returns the earlier snapshot: the one that is asked for unless it is the later one or newer, else the parent of the
 * later one, else the newest before it. Null if there is none.
 */
export function sinceOf(
  snapshots: readonly SnapshotRow[],
  later: SnapshotRow | undefined,
  asked: string | null,
): string | null {
  if (!later) return asked
  const id = asked === null ? null : idOf(snapshots, asked)
  const listed = snapshots.find((one) => one.id === id)
  if (id !== null && (!listed || isNewer(later, listed))) return id
  const parent = snapshots.find((one) => one.id === later.parent)
  return (parent ?? snapshots.find((one) => isNewer(later, one)))?.id ?? null
}

export function countsOf(changes: readonly Change[]): Record<Change['change'], number> {
  const counts = { added: 0, changed: 0, removed: 0 }
  for (const { change } of changes) counts[change]++
  return counts
}

/** The parts of a record in words. The others have the names of their endpoints. */
export const SECTION_NAMES: Readonly<Partial<Record<Change['sections'][number], string>>> = {
  core: 'summary record',
  cvss: 'CVSS',
}
