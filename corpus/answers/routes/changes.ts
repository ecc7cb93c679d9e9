/** `/changes`: changes since an earlier snapshot, from all feeds. */
import type { CveId } from '../../model/ids/cve-id.ts'
import { cursorAfter, cursorBinding, isChangeKey } from '../../snapshot/index.ts'
import { jsonAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { described } from '../openapi/parameters.ts'
import { paging, resume } from '../paging.ts'
import { snapshotOrDate } from '../parameters/ids.ts'
import { required, withDefault } from '../parameters/parameter.ts'
import { csvOf } from '../parameters/parameter-types.ts'
import { pagination } from '../plan/page-frame.ts'
import { defineRoute } from '../route.ts'
import { changes as changesSchema } from '../schemas.ts'

const query = {
  since: described(
    'Id of the snapshot (at least its first 7 digits), or a time. A time selects the newest snapshot created at or before it. A date means 00:00 UTC of the day',
    required(snapshotOrDate()),
  ),
  until: described('The later snapshot, in the forms of `since`. Default: the current one', snapshotOrDate()),
  include: described(
    '`facts`: adds the state of each CVE before and after the change, and the names of vendors, products and packages in it',
    withDefault(csvOf(['facts'], { emptyAllowed: true }), []),
  ),
  ...paging,
}

const LIST = 'changes'
const BY_ID = { key: 'id', descending: false }

export const listChanges = defineRoute<Context, Record<never, never>, typeof query>({
  name: 'listChanges',
  path: '/changes',
  spansSnapshots: true,
  summary: 'List changed CVEs',
  description: `Returns the CVEs that were added, changed or removed since a snapshot. A rejection and a change in any feed except EPSS count.

For the next poll, send the \`snapshot\` of the first page as \`since\`. Prefer ids to times. A mirror serves a snapshot minutes after its \`created_at\`, so a time can select a snapshot that you have not read. If the snapshot is no longer available, the answer is 410. Then read all records again.

\`include=facts\` adds what each CVE was and is: title, severity, score, KEV, SSVC, patch, workaround and exploit, before and after, and the names that the filters of \`/cves\` match.`,
  example: '/changes?since=8f3506d8b625&limit=2',
  errors: ['gone'],
  params: { path: {}, query },
  answer: changesSchema,
  *handle({ snapshots, history }, { since: asked, until: end, include, limit, cursor: text, count }) {
    const since = yield* history.resolve(asked, 'since')
    const until = end === undefined ? undefined : yield* history.resolve(end, 'until')
    const binding = cursorBinding(LIST, BY_ID, { since, until })
    const { snapshot, after } = resume(snapshots, text, binding, isChangeKey)
    const now = until ?? snapshot.id
    const comparison = yield* history.compare(snapshot, since, now)
    const { changes: data, more } = yield* comparison.after(
      after && (after.id as CveId),
      limit,
      include.includes('facts'),
    )
    const last = data.at(-1)
    const next = more && last ? cursorAfter(snapshot, binding, { value: null, id: last.cve_id }) : null
    const total = count ? yield* comparison.count() : null
    return jsonAnswer({ since, snapshot: now, data, pagination: pagination(limit, next, total) }, 'merge', snapshot.id)
  },
})
