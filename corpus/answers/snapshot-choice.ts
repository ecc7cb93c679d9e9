/** The snapshots that `snapshot`, and `since` and `until` of `/changes`, select, and why one cannot be read. */
import type { SnapshotSummary } from '../snapshot/index.ts'
import { gone, invalidParameter, notFound } from './errors.ts'
import type { SnapshotChoice } from './parameters/ids.ts'

/** The parameters that name the compared snapshots. */
export type End = 'since' | 'until'

const ID_LENGTH = 64
const PREFIX_SHOWN = 12
const REMEDY = '`/snapshots` lists the available ones. If yours is older, read all records again'

export const isFullId = (choice: SnapshotChoice): choice is string =>
  typeof choice === 'string' && choice.length === ID_LENGTH

/**
 * Returns the id that a choice selects among the available snapshots, newest first: of a time, the newest one created at
 * or before it.
 * @throws ApiError `gone`; `invalid_parameter` for a prefix of several ids
 */
export function selectedId(choice: SnapshotChoice, parameter: string, summaries: readonly SnapshotSummary[]): string {
  const id = idIn(choice, parameter, summaries)
  if (id === null) throw gone(notKept(choice))
  return id
}

/** The snapshots of a repository, newest first. */
export interface KeptSnapshots {
  kept: readonly SnapshotSummary[]
  /** Those between or before them of which the repository has the manifest alone. */
  removed: readonly SnapshotSummary[]
}

/**
 * Returns the id of the snapshot to answer from. As `selectedId`.
 * @throws ApiError `gone` for a snapshot that was removed, `not_found` for one that was never there; `invalid_parameter`
 */
export function keptId(choice: SnapshotChoice, { kept, removed }: KeptSnapshots): string {
  const id = idIn(choice, 'snapshot', kept)
  if (id !== null) return id
  const [newest, oldest] = [kept[0]!, kept.at(-1)!]
  if (typeof choice !== 'string') {
    const why = `no snapshot of ${new Date(choice.ms).toISOString()} or before it is kept; the nearest one after it is ${shown(oldest)}`
    throw oldest.parent === null ? notFound(why) : gone(why)
  }
  const once = removed.find((one) => one.id.startsWith(choice))
  if (once) {
    const at = Date.parse(once.created_at)
    const before = kept.find((one) => Date.parse(one.created_at) <= at)
    const after = kept.findLast((one) => Date.parse(one.created_at) > at)
    const nearest = [before && `before it ${shown(before)}`, after && `after it ${shown(after)}`]
    throw gone(`snapshot ${shown(once)} was removed; the nearest kept ones: ${nearest.filter(Boolean).join(', ')}`)
  }
  const range = `the kept ones are from ${shown(oldest)} to ${shown(newest)}`
  if (oldest.parent?.startsWith(choice)) throw gone(`snapshot ${choice} was removed; ${range}`)
  throw notFound(`no snapshot has an id that begins with ${choice}; ${range}; \`/snapshots\` lists them`)
}

const shown = ({ id, created_at: at }: SnapshotSummary) => `${id} (${at})`

/** @throws ApiError `invalid_parameter` for a prefix of several ids */
function idIn(choice: SnapshotChoice, parameter: string, summaries: readonly SnapshotSummary[]): string | null {
  const ids =
    typeof choice === 'string'
      ? new Set(summaries.flatMap(({ id }) => (id.startsWith(choice) ? id : [])))
      : new Set(summaries.flatMap(({ id, created_at: at }) => (Date.parse(at) <= choice.ms ? id : [])).slice(0, 1))
  const [id, other] = ids
  if (id === undefined) return null
  if (other === undefined) return id
  const length = Math.max(PREFIX_SHOWN, choice.toString().length + 4)
  const shown = Array.from(ids, (one) => `${one.slice(0, length)}…`).join(', ')
  throw invalidParameter(
    parameter,
    `parameter '${parameter}' is ambiguous: the ids ${shown} begin with ${choice}; give more digits`,
  )
}

const notKept = (choice: SnapshotChoice) =>
  typeof choice === 'string'
    ? `no available snapshot has an id that begins with ${choice}; ${REMEDY}`
    : `no available snapshot was created at or before ${new Date(choice.ms).toISOString()}; ${REMEDY}`

const GONE: Record<End, string> = {
  since: 'the snapshot of `since` is no longer available; read all records again',
  until: 'the snapshot of `until` is no longer available; `/snapshots` lists the available ones',
}

export const endGone = (end: End) => gone(GONE[end])

/** @throws ApiError `invalid_parameter` unless `until` is as new as `since`. Times are in ms since 1970 */
export function assertOrder(since: { id: string; createdAt: number }, until: { id: string; createdAt: number }): void {
  if (until.createdAt >= since.createdAt || since.id === until.id) return
  throw invalidParameter('until', "the snapshot of parameter 'until' is older than that of 'since'")
}
