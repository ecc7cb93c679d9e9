/** The snapshots that `/changes` can compare with: those that are open, and those that the `dist` still has. */
import type { DateBound } from '../../corpus/model/date-bound.ts'
import { gone, invalidParameter } from '../errors.ts'
import { type Ancestors, type SnapshotSummary, summaryOf } from '../shelf/ancestors.ts'
import type { Shelf, Shelved } from '../shelf/shelf.ts'

/**
 * Returns `snapshot` and those before it, newest first. An open snapshot counts also after `prune` removed its manifest.
 * Manifests are read only as far as the caller iterates.
 */
export function* keptSnapshots(shelf: Shelf, snapshot: Shelved): Generator<SnapshotSummary> {
  // Two nights may have the same content and so the same id.
  const seen = new Set<string>()
  const older = shelf.opened.filter(({ createdAt }) => createdAt < snapshot.createdAt)
  for (const { manifest, ancestors } of [snapshot, ...older]) {
    for (const summary of chain(summaryOf(manifest), ancestors)) {
      const key = `${summary.id} ${summary.created_at}`
      if (!seen.has(key)) yield summary
      seen.add(key)
    }
  }
}

function* chain(first: SnapshotSummary, ancestors: Ancestors): Generator<SnapshotSummary> {
  yield first
  yield* ancestors.summaries()
}

/** What `since` may name: the id of a snapshot or its first characters, or a day or instant. */
export type Since = string | DateBound

const ID_LENGTH = 64
const PREFIX_SHOWN = 12

/**
 * Returns the id of the snapshot that `since` means. A time means the newest snapshot created not later than it; of a day
 * its first instant counts, as in `updated_since`, so that no change of that day is left out.
 * @throws ApiError `gone` when no such snapshot is kept, `invalid_parameter` when a prefix fits several
 */
export function resolveSince(since: Since, shelf: Shelf): string {
  if (typeof since !== 'string') return createdBy(since.ms, shelf)
  if (since.length === ID_LENGTH) return since
  const kept = [...keptSnapshots(shelf, shelf.current)].map(({ id }) => id)
  const ids = [...new Set(kept)].filter((id) => id.startsWith(since))
  if (ids.length === 0) throw gone(`no snapshot is kept whose id begins with ${since}; ${REMEDY}`)
  if (ids.length === 1) return ids[0]!
  const shown = ids.map((id) => `${id.slice(0, Math.max(PREFIX_SHOWN, since.length + 4))}…`).join(', ')
  throw invalidParameter('since', `parameter 'since' is ambiguous: ${since} begins the ids ${shown}; give more digits`)
}

function createdBy(ms: number, shelf: Shelf): string {
  for (const { id, created_at: createdAt } of keptSnapshots(shelf, shelf.current)) {
    if (Date.parse(createdAt) <= ms) return id
  }
  throw gone(`no snapshot is kept that was created by ${new Date(ms).toISOString()}; ${REMEDY}`)
}

const REMEDY = '`/snapshots` lists those that are kept; where yours is older, read everything anew'
