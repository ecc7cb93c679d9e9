/** `/stats`: the figures of the snapshot, as stored. */
import { gunzipFile } from '../../corpus/snapshot/index.ts'
import { tagOfDigest } from '../http/answer.ts'
import { defineRoute } from '../http/route.ts'
import { stats } from './answers.ts'
import type { Context } from './context.ts'

export const getStats = defineRoute<Context, Record<never, never>, Record<never, never>>({
  name: 'getStats',
  path: '/stats',
  summary: 'Get the figures of the snapshot',
  description:
    'Returns counts for charts and overviews: CVEs by month and severity, KEV additions by month, EPSS against CVSS, top weaknesses, vendors and CNAs, and what the last update brought.',
  example: '/stats',
  params: { path: {}, query: {} },
  answer: stats,
  handle({ registry }) {
    const { id, stats: stored } = registry.current
    const { buffer, byteOffset, length } = stored.gzip
    const gzip = Buffer.from(buffer, byteOffset, length)
    return {
      servedFrom: 'shard',
      snapshotId: id,
      tag: tagOfDigest(stored.content),
      gzip: () => gzip,
      identity: () => gunzipFile('stats', gzip),
    }
  },
})
