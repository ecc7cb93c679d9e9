/** The snapshots that `/changes` can compare: the open ones, and those still in the `dist`. */
import type { ChangeRow, Comparison, History } from '../../corpus/answers/context.ts'
import { ApiError } from '../../corpus/answers/errors.ts'
import type { SnapshotChoice } from '../../corpus/answers/parameters/ids.ts'
import { assertOrder, type End, endGone, isFullId, selectedId } from '../../corpus/answers/snapshot-choice.ts'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import { awaited, type Steps } from '../../corpus/runtime/steps.ts'
import {
  type ChangedCve,
  changeOf,
  changesBetween,
  factsOfChange,
  firstChangeAfter,
  perSnapshot,
  type ReadMember,
  type SnapshotSummary,
} from '../../corpus/snapshot/index.ts'
import { type Ancestor, type Lineage, orNull, summaryOf } from '../../corpus/snapshot/memory/ancestors.ts'
import { SNAPSHOT_BYTES } from '../process/bounds.ts'
import type { ServedSnapshot, SnapshotRegistry } from './registry.ts'

export function gatewayHistory(registry: SnapshotRegistry): History {
  /** Returns `snapshot`, then earlier ones, newest first. Includes open snapshots with files removed by `prune`. */
  async function retained(snapshot: ServedSnapshot): Promise<Lineage> {
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

  async function resolved(choice: SnapshotChoice, parameter: string): Promise<string> {
    const { summaries, damage } = await retained(registry.current)
    try {
      return selectedId(choice, parameter, summaries)
    } catch (error) {
      throw damage && error instanceof ApiError && error.code === 'gone' ? damage : error
    }
  }

  /** @throws ApiError `gone` */
  async function opened(id: string, current: ServedSnapshot, end: End): Promise<Ancestor> {
    const found = id === current.id ? current : (registry.open(id, current) ?? (await current.ancestors.find(id)))
    if (!found) throw endGone(end)
    return found
  }

  return {
    *snapshots(snapshot, before, most) {
      const open = new Set(registry.opened.map(({ id }) => id))
      const { summaries } = yield* awaited(retained(snapshot as ServedSnapshot))
      const wanted = summaries.filter(({ created_at: at }) => before === null || Date.parse(at) < before)
      return wanted.slice(0, most).map((summary) => ({ ...summary, retained: open.has(summary.id) }))
    },
    *resolve(choice, parameter) {
      return isFullId(choice) ? choice : yield* awaited(resolved(choice, parameter))
    },
    *compare(snapshot, since, until) {
      const current = snapshot as ServedSnapshot
      const old = yield* awaited(opened(since, current, 'since'))
      const now = yield* awaited(opened(until, current, 'until'))
      assertOrder(old, now)
      return comparison(current, old, now)
    },
  }
}

/** Cached, because many pollers request the same pages. */
const CHANGE_BYTES = 120

const remembered = perSnapshot((_snapshot: ServedSnapshot) =>
  generationalCache<string, readonly ChangedCve[]>(
    SNAPSHOT_BYTES.changes,
    (changes) => (changes.length + 1) * CHANGE_BYTES,
  ),
)

function comparison(current: ServedSnapshot, old: Ancestor, now: Ancestor): Comparison {
  const known = remembered(current)
  const key = `${old.id} ${now.id}`
  let all = known.get(key)
  if (!all) {
    all = changesBetween(old.index, now.index)
    known.set(key, all)
  }
  const changes = all
  return {
    *after(id: CveId | null, limit, hasFacts) {
      const start = id === null ? 0 : firstChangeAfter(changes, id)
      const page = changes.slice(start, start + limit)
      const more = start + limit < changes.length
      return { changes: hasFacts ? yield* rowsWithFacts(old, now, page) : rowsOf(old, now, page), more }
    },
    *count() {
      return changes.length
    },
  }
}

/** @throws ApiError `gone` */
function rowsOf(old: Ancestor, now: Ancestor, page: readonly ChangedCve[]) {
  const kept = page.filter(({ newRow }) => newRow >= 0)
  const changed = kept.filter(({ oldRow }) => oldRow >= 0)
  const before = headsOf(old, 'since', changed, ({ oldRow }) => oldRow)
  const after = headsOf(now, 'until', kept, ({ newRow }) => newRow)
  return page.map(({ id }) => changeOf(id, before.get(id) ?? null, after.get(id) ?? null))
}

/** Rows with facts that are read without a pause: each reads and inflates two members. */
const ROWS_AT_ONCE = 10

/** @throws ApiError `gone` */
function* rowsWithFacts(old: Ancestor, now: Ancestor, page: readonly ChangedCve[]): Steps<ChangeRow[]> {
  const rows: ChangeRow[] = []
  for (let at = 0; at < page.length; at += ROWS_AT_ONCE) {
    if (at > 0) yield
    for (const { id, oldRow, newRow } of page.slice(at, at + ROWS_AT_ONCE)) {
      const before = memberOf(old, 'since', oldRow)
      const after = memberOf(now, 'until', newRow)
      rows.push({ ...changeOf(id, before, after), ...factsOfChange(before, after) })
    }
  }
  return rows
}

function memberOf(snapshot: Ancestor, end: End, row: number): ReadMember | null {
  if (row < 0) return null
  const member = orNull(() => snapshot.member(row))
  if (!member) throw endGone(end)
  return member
}

function headsOf(snapshot: Ancestor, end: End, changes: readonly ChangedCve[], row: (change: ChangedCve) => number) {
  const heads = orNull(() => snapshot.heads(changes.map(row)))
  if (!heads) throw endGone(end)
  return new Map(changes.map(({ id }, i) => [id, heads[i]!]))
}
