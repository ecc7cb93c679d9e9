/** `/changes`: what changed since a snapshot that a client has seen, whatever the feed. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import { parseCveId } from '../../corpus/model/cve-id.ts'
import type { RowKey } from '../../corpus/snapshot/cursor.ts'
import { perSnapshot } from '../../corpus/snapshot/find/per-snapshot.ts'
import { recent } from '../../corpus/snapshot/recent.ts'
import { cursorAfter } from '../../corpus/snapshot/resume.ts'
import { jsonAnswer } from '../answer.ts'
import { SNAPSHOT_BYTES } from '../bounds.ts'
import { gone } from '../errors.ts'
import { meaning } from '../openapi/parameters.ts'
import { snapshotOrDate } from '../params/ids.ts'
import { required } from '../params/kind.ts'
import { type ChangedCve, changedSections, changesBetween, firstChangeAfter } from '../plan/changes.ts'
import { resume } from '../plan/cursors.ts'
import { resolveSince } from '../plan/kept-snapshots.ts'
import { defineRoute } from '../route.ts'
import { type Ancestor, orNull } from '../shelf/ancestors.ts'
import type { Shelved } from '../shelf/shelf.ts'
import { changes as changesSchema } from './answers.ts'
import type { Context } from './context.ts'
import { paging } from './paging.ts'

const query = {
  since: meaning(
    'The snapshot that you have read: its id, or the first 7 or more digits, as `/snapshot`, `/snapshots` and `Snapshot-Id` give it. Or a time: then the newest snapshot created not later than it; a date means its first instant in UTC',
    required(snapshotOrDate()),
  ),
  ...paging,
}

const LIST = 'changes'
/** There is one order. */
const BY_ID = { key: 'id', descending: false }

export const listChanges = defineRoute<Context, Record<never, never>, typeof query>({
  name: 'listChanges',
  path: '/changes',
  summary: 'The CVEs that are new, changed or gone since a snapshot',
  description:
    'Whatever the feed: the CVE list, KEV, NVD, advisories, reports, rejections. Moves of EPSS alone are not listed. `sections` is empty where a record counts otherwise in lists and no section of it differs. Ask next time with the `snapshot` of the first page. `since` of the answer is the full id. A time is compared with `created_at` of the snapshots, not with dates of the feeds; a gateway that mirrors serves a snapshot some minutes after `created_at`, so poll with ids. Where the chain of snapshots no longer reaches back to `since` the answer is 410: then everything has to be read anew.',
  errors: ['gone'],
  params: { path: {}, query },
  answer: changesSchema,
  async handle({ shelf }, { since: asked, limit, cursor: text }) {
    const since = await resolveSince(asked, shelf)
    const binding = { list: LIST, sort: BY_ID, filters: { since } }
    const { snapshot, after } = resume(shelf, text, binding, isChangeKey)
    const old =
      since === snapshot.id ? snapshot : (shelf.open(since, snapshot) ?? (await snapshot.ancestors.find(since)))
    if (!old) throw gone(GONE)
    const changes = changesSince(snapshot, old)
    const start = after ? firstChangeAfter(changes, after.id as CveId) : 0
    const page = changes.slice(start, start + limit)
    const last = page.at(-1)
    const more = last !== undefined && start + limit < changes.length
    const data = orNull(() => rowsOf(snapshot, old, page))
    if (!data) throw gone(GONE)
    const next = more ? cursorAfter(snapshot, binding, { value: null, id: last.id }) : null
    const pagination = { limit, next_cursor: next }
    return jsonAnswer({ since, snapshot: snapshot.id, data, pagination }, 'merge', snapshot.id)
  },
})

const isChangeKey = ({ value, id }: RowKey): boolean => value === null && parseCveId(id) === id

const GONE = 'the snapshot of `since` is not known any more, so its changes are unknown; read everything again'

/** What changes are told from: an open snapshot, or one that still lies in the folder. */
type Old = Pick<Ancestor, 'id' | 'index' | 'heads'>

/** A poller reads page after page, and many pollers ask the same. */
const CHANGE_BYTES = 120

const remembered = perSnapshot(() =>
  recent<string, readonly ChangedCve[]>(SNAPSHOT_BYTES.changes, (changes) => (changes.length + 1) * CHANGE_BYTES),
)

function changesSince(snapshot: Shelved, old: Old): readonly ChangedCve[] {
  const known = remembered(snapshot)
  let changes = known.get(old.id)
  if (!changes) {
    changes = changesBetween(old.index, snapshot.index)
    known.set(old.id, changes)
  }
  return changes
}

function rowsOf(snapshot: Shelved, old: Old, page: readonly ChangedCve[]) {
  const withBoth = page.filter(({ oldRow, newRow }) => oldRow >= 0 && newRow >= 0)
  const heads = old.heads(withBoth.map(({ oldRow }) => oldRow))
  const before = new Map(withBoth.map(({ id }, i) => [id, heads[i]!]))
  return page.map(({ id, oldRow, newRow }) => {
    const change = oldRow < 0 ? 'added' : newRow < 0 ? 'removed' : 'changed'
    const sections = newRow < 0 ? [] : changedSections(before.get(id) ?? null, snapshot.head(newRow))
    return { cve_id: id, change, sections }
  })
}
