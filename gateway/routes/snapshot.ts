/** `/snapshot`: what is served, from which feeds, as of when. */
import { jsonAnswer } from '../answer.ts'
import { defineRoute } from '../route.ts'
import { snapshot } from './answers.ts'
import type { Context } from './context.ts'

export const getSnapshot = defineRoute<Context, Record<never, never>, Record<never, never>>({
  name: 'getSnapshot',
  path: '/snapshot',
  summary: 'The snapshot that is served: its feeds, its counts and its parent',
  params: { path: {}, query: {} },
  answer: snapshot,
  handle({ shelf }) {
    const { id, manifest, about } = shelf.current
    const { counts, feeds, epss_date } = about
    const parent = manifest.parent?.snapshot ?? null
    return jsonAnswer({ id, created_at: manifest.created_at, parent, counts, feeds, epss_date }, 'shard', id)
  },
})
