/** Pages as sent by the shard plan, compared to `gzip -6` of the same JSON. */
import { gzipSync } from 'node:zlib'
import { Random } from '../../../corpus/sample/random.ts'
import { cursorBinding } from '../../../corpus/snapshot/cursor/cursor.ts'
import { CVE_SORTS } from '../../../corpus/snapshot/cursor/order.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { orderView } from '../../../corpus/snapshot/filter/order-view.ts'
import { cvePageAnswer } from '../../../gateway/plan/cve-answer.ts'
import { planCvePage } from '../../../gateway/plan/cve-page.ts'
import { openSnapshot } from '../../../gateway/snapshots/open-snapshot.ts'

/** Bytes of a page with head, rows and cursor, without HTTP headers. */
export interface WirePage {
  wire: number
  gzip: number
  plain: number
}

/** Measured pages of each sort; a small corpus has fewer. */
const PAGES_OF_A_SORT = 50

/**
 * Returns random pages of `limit` rows in every sort, at the positions of a walk from the first page.
 * @throws Error if the shard plan does not answer a page
 */
export function wirePages(dist: string, limit: number): WirePage[] {
  const { manifest } = readCurrent(dist)
  const snapshot = openSnapshot(dist, manifest, { checkQuery: false })
  try {
    return CVE_SORTS.flatMap((key) => {
      const order = orderView(snapshot, key, true)
      const random = new Random('wire', key, limit)
      const pages = Math.floor(order.count / limit)
      return Array.from({ length: Math.min(PAGES_OF_A_SORT, pages) }, (): WirePage => {
        const start = random.int(pages) * limit
        const after = start === 0 ? null : order.keyOf(order.ordinal(start - 1))
        const sort = { key, descending: true }
        const binding = cursorBinding('cves', sort, {})
        const plan = planCvePage(snapshot, { binding, sort, filters: {}, limit, after }, null)
        if (plan.way !== 'shard')
          throw new Error(`a page of ${limit} from ${start} by ${key} is planned as ${plan.way}`)
        const answer = cvePageAnswer(snapshot, plan)
        const plain = answer.identity()
        return { wire: answer.gzip().length, gzip: gzipSync(plain, { level: 6 }).length, plain: plain.length }
      })
    })
  } finally {
    snapshot.close()
  }
}
