/** `/changes`: changes since an earlier snapshot, from all feeds. */
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import {
  type ChangedCve,
  changeOf,
  changesBetween,
  cursorAfter,
  cursorBinding,
  firstChangeAfter,
  isChangeKey,
  perSnapshot,
  SINCE_GONE,
} from '../../corpus/snapshot/index.ts'
import { jsonAnswer } from '../http/answer.ts'
import { gone } from '../http/errors.ts'
import { defineRoute } from '../http/route.ts'
import { described } from '../openapi/parameters.ts'
import { snapshotOrDate } from '../params/ids.ts'
import { required } from '../params/parameter.ts'
import { SNAPSHOT_BYTES } from '../process/bounds.ts'
import { type Ancestor, orNull } from '../snapshots/ancestors.ts'
import type { ServedSnapshot } from '../snapshots/registry.ts'
import { resolveSince } from '../snapshots/retained-snapshots.ts'
import { changes as changesSchema } from './answers.ts'
import type { Context } from './context.ts'
import { paging, resume } from './paging.ts'

const query = {
  since: described(
    'Id of the snapshot (at least its first 7 digits), or a time. A time selects the newest snapshot created at or before it. A date means 00:00 UTC of the day',
    required(snapshotOrDate()),
  ),
  ...paging,
}

const LIST = 'changes'
const BY_ID = { key: 'id', descending: false }

export const listChanges = defineRoute<Context, Record<never, never>, typeof query>({
  name: 'listChanges',
  path: '/changes',
  summary: 'List changed CVEs',
  description: `Returns the CVEs that were added, changed or removed since a snapshot. A rejection and a change in any feed except EPSS count.

For the next poll, send the \`snapshot\` of the first page as \`since\`. Prefer ids to times. A mirror serves a snapshot minutes after its \`created_at\`, so a time can select a snapshot that you have not read. If the snapshot is no longer available, the answer is 410. Then read all records again.`,
  example: '/changes?since=72c6172622c7&limit=2',
  errors: ['gone'],
  params: { path: {}, query },
  answer: changesSchema,
  async handle({ registry }, { since: asked, limit, cursor: text }) {
    const since = await resolveSince(asked, registry)
    const binding = cursorBinding(LIST, BY_ID, { since })
    const { snapshot, after } = resume(registry, text, binding, isChangeKey)
    const old =
      since === snapshot.id ? snapshot : (registry.open(since, snapshot) ?? (await snapshot.ancestors.find(since)))
    if (!old) throw gone(SINCE_GONE)
    const changes = changesSince(snapshot, old)
    const start = after ? firstChangeAfter(changes, after.id as CveId) : 0
    const page = changes.slice(start, start + limit)
    const last = page.at(-1)
    const more = last !== undefined && start + limit < changes.length
    const data = orNull(() => rowsOf(snapshot, old, page))
    if (!data) throw gone(SINCE_GONE)
    const next = more ? cursorAfter(snapshot, binding, { value: null, id: last.id }) : null
    const pagination = { limit, next_cursor: next }
    return jsonAnswer({ since, snapshot: snapshot.id, data, pagination }, 'merge', snapshot.id)
  },
})

/** The earlier snapshot: an open one, or one in the folder. */
type Old = Pick<Ancestor, 'id' | 'index' | 'heads'>

/** Cached, because many pollers request the same pages. */
const CHANGE_BYTES = 120

const remembered = perSnapshot(() =>
  generationalCache<string, readonly ChangedCve[]>(
    SNAPSHOT_BYTES.changes,
    (changes) => (changes.length + 1) * CHANGE_BYTES,
  ),
)

function changesSince(snapshot: ServedSnapshot, old: Old): readonly ChangedCve[] {
  const known = remembered(snapshot)
  let changes = known.get(old.id)
  if (!changes) {
    changes = changesBetween(old.index, snapshot.index)
    known.set(old.id, changes)
  }
  return changes
}

function rowsOf(snapshot: ServedSnapshot, old: Old, page: readonly ChangedCve[]) {
  const withBoth = page.filter(({ oldRow, newRow }) => oldRow >= 0 && newRow >= 0)
  const heads = old.heads(withBoth.map(({ oldRow }) => oldRow))
  const before = new Map(withBoth.map(({ id }, i) => [id, heads[i]!]))
  return page.map(({ id, newRow }) => changeOf(id, before.get(id) ?? null, newRow < 0 ? null : snapshot.head(newRow)))
}
