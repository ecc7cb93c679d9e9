/**
 * `/snapshot`: the current snapshot, its feeds and dates. `/snapshots`: the snapshots that `/changes` can compare it
 * with.
 */
import { cursorAfter, cursorBinding, type RowKey } from '../../corpus/snapshot/index.ts'
import { jsonAnswer } from '../http/answer.ts'
import { defineRoute } from '../http/route.ts'
import { retainedSnapshots } from '../snapshots/retained-snapshots.ts'
import { snapshot, snapshots } from './answers.ts'
import type { Context } from './context.ts'
import { paging, resume } from './paging.ts'

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
  handle({ registry }) {
    const { id, manifest, about } = registry.current
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
  summary: 'List snapshots',
  description:
    'Returns the snapshots that `/changes` can compare with, newest first. The first row is the current snapshot. `/changes?since=` accepts the `id` of each row.',
  example: '/snapshots',
  params: { path: {}, query: paging },
  answer: snapshots,
  async handle({ registry }, { limit, cursor }) {
    const { snapshot, after } = resume(registry, cursor, BINDING, isSnapshotKey)
    const opened = new Set(registry.opened.map(({ id }) => id))
    const data = []
    let next: string | null = null
    for (const summary of (await retainedSnapshots(registry, snapshot)).summaries) {
      if (after && Date.parse(summary.created_at) >= Number(after.value)) continue
      if (data.length === limit) {
        const last = data.at(-1)!
        next = cursorAfter(snapshot, BINDING, { value: Date.parse(last.created_at), id: last.id })
        break
      }
      data.push({ ...summary, retained: opened.has(summary.id) })
    }
    return jsonAnswer({ data, pagination: { limit, next_cursor: next } }, 'merge', snapshot.id)
  },
})

const isSnapshotKey = ({ value, id }: RowKey): boolean => Number.isSafeInteger(value) && /^[0-9a-f]{64}$/.test(id)
