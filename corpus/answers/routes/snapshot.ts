/**
 * `/snapshot`: the current snapshot, its feeds and dates. `/snapshots`: the snapshots that `/changes` can compare it
 * with.
 */
import { cursorAfter, cursorBinding, type RowKey } from '../../snapshot/index.ts'
import { jsonAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { paging, resume } from '../paging.ts'
import { pagination } from '../plan/page-frame.ts'
import { defineRoute } from '../route.ts'
import { snapshot, snapshots } from '../schemas.ts'

/** Their snapshots do not count packages, because they have none. */
const NONE_BY_EARLIER_BUILDERS = 0

export const getSnapshot = defineRoute<Context, Record<never, never>, Record<never, never>>({
  name: 'getSnapshot',
  path: '/snapshot',
  summary: 'Get the current snapshot',
  description:
    'Returns the current snapshot: its counts, its feeds with their versions and licences, and the id of the previous snapshot.',
  example: '/snapshot',
  params: { path: {}, query: {} },
  answer: snapshot,
  *handle({ snapshots: { current } }) {
    const { id, manifest, about } = current
    const { counts, feeds, epss_date } = about
    const parent = manifest.parent?.snapshot ?? null
    const all = { ...counts, packages: counts.packages ?? NONE_BY_EARLIER_BUILDERS }
    return jsonAnswer({ id, created_at: manifest.created_at, parent, counts: all, feeds, epss_date }, 'shard', id)
  },
})

const BINDING = cursorBinding('snapshots', { key: 'created', descending: true }, {})

export const listSnapshots = defineRoute<Context, Record<never, never>, typeof paging>({
  name: 'listSnapshots',
  path: '/snapshots',
  spansSnapshots: true,
  summary: 'List snapshots',
  description:
    'Returns the snapshots that `/changes` can compare with, newest first. The first row is the current snapshot. `/changes?since=` accepts the `id` of each row.',
  example: '/snapshots',
  params: { path: {}, query: paging },
  answer: snapshots,
  *handle({ snapshots, history }, { limit, cursor, count }) {
    const { snapshot, after } = resume(snapshots, cursor, BINDING, isSnapshotKey)
    const found = yield* history.snapshots(snapshot, after === null ? null : Number(after.value), limit + 1)
    const data = found.slice(0, limit)
    const last = data.at(-1)
    const hasMore = found.length > limit && last !== undefined
    const next = hasMore ? cursorAfter(snapshot, BINDING, { value: Date.parse(last.created_at), id: last.id }) : null
    const total = count ? (yield* history.snapshots(snapshot, null, Number.POSITIVE_INFINITY)).length : null
    return jsonAnswer({ data, pagination: pagination(limit, next, total) }, 'merge', snapshot.id)
  },
})

const isSnapshotKey = ({ value, id }: RowKey): boolean => Number.isSafeInteger(value) && /^[0-9a-f]{64}$/.test(id)
