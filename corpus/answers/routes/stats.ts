/** `/stats`: the figures of the snapshot, as stored. */

import type { Context } from '../context.ts'
import { defineRoute } from '../route.ts'
import { stats } from '../schemas.ts'

export const getStats = defineRoute<Context, Record<never, never>, Record<never, never>>({
  name: 'getStats',
  path: '/stats',
  summary: 'Get the figures of the snapshot',
  description:
    'Returns counts for charts and overviews: CVEs by month and severity, KEV additions by month, EPSS against CVSS, top weaknesses, vendors and CNAs, and what the last update brought.',
  example: '/stats',
  params: { path: {}, query: {} },
  answer: stats,
  *handle({ snapshots: { current } }) {
    return { servedFrom: 'shard', snapshotId: current.id, body: yield* current.stats() }
  },
})
