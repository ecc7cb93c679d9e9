/** The snapshots that `/changes` can compare with: the open ones, and those still in the `dist`. */
import type { DateBound } from '../../corpus/model/values/date-bound.ts'
import { gone, invalidParameter } from '../http/errors.ts'
import { type Lineage, type SnapshotSummary, summaryOf } from './ancestors.ts'
import type { ServedSnapshot, SnapshotRegistry } from './registry.ts'

/** Returns `snapshot`, then earlier ones, newest first. Includes open snapshots with files removed by `prune`. */
export async function retainedSnapshots(registry: SnapshotRegistry, snapshot: ServedSnapshot): Promise<Lineage> {
  // Two nights can have the same content and therefore the same id.
  const kept = new Map<string, SnapshotSummary>()
  let damage: Lineage['damage'] = null
  const older = registry.opened.filter(({ createdAt }) => createdAt < snapshot.createdAt)
  for (const { manifest, ancestors } of [snapshot, ...older]) {
    const lineage = await ancestors.lineage()
    damage ??= lineage.damage
    for (const one of [summaryOf(manifest), ...lineage.summaries]) kept.set(`${one.id} ${one.created_at}`, one)
  }
  const [current, ...rest] = kept.values()
  const newestFirst = rest.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  return { summaries: [current!, ...newestFirst], damage }
}

export type Since = string | DateBound

const ID_LENGTH = 64
const PREFIX_SHOWN = 12

/**
 * Returns the id of the snapshot that `since` selects. A time selects the newest snapshot created at or before it. A
 * day means its first instant, as in `updated_since`, so that no change of that day is missing.
 * @throws ApiError `gone` if no such snapshot is kept, `invalid_parameter` if a prefix is ambiguous
 * @throws SnapshotError if a damaged manifest ends the chain before it
 */
export async function resolveSince(since: Since, registry: SnapshotRegistry): Promise<string> {
  if (typeof since === 'string' && since.length === ID_LENGTH) return since
  const { summaries, damage } = await retainedSnapshots(registry, registry.current)
  const ids =
    typeof since === 'string'
      ? new Set(summaries.flatMap(({ id }) => (id.startsWith(since) ? id : [])))
      : new Set(summaries.flatMap(({ id, created_at: at }) => (Date.parse(at) <= since.ms ? id : [])).slice(0, 1))
  const [id, other] = ids
  if (id === undefined) throw damage ?? gone(notKept(since))
  if (other === undefined) return id
  const shown = Array.from(ids, (one) => `${one.slice(0, Math.max(PREFIX_SHOWN, since.toString().length + 4))}…`).join(
    ', ',
  )
  throw invalidParameter(
    'since',
    `parameter 'since' is ambiguous: the ids ${shown} begin with ${since}; give more digits`,
  )
}

const notKept = (since: Since) =>
  typeof since === 'string'
    ? `no available snapshot has an id that begins with ${since}; ${REMEDY}`
    : `no available snapshot was created at or before ${new Date(since.ms).toISOString()}; ${REMEDY}`

const REMEDY = '`/snapshots` lists the available ones. If yours is older, read all records again'
