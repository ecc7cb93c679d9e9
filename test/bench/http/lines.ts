/** The lines of request performance (README.md, "Budgets"). */
import type { KindName } from './request-kinds.ts'

export interface HttpLine {
  name: string
  kind: KindName
  /** Least share of the polka server's requests/s. */
  budget: number | null
  /** Number of different requests, sent in turn. */
  different: number
  /** Appended to the title of the kind. */
  title?: string
  /** Sends one request at a time and measures the p99 of the latency; most ms. */
  latency?: number
}

/**
 * More than a gateway caches at 350,000 CVEs: about 130,000 rows, pages of 150,000 rows, and 16,000 filters. At a few
 * ten thousand CVEs, the caches hold everything after the warm-up.
 */
const MANY = 20_000
/** Few enough to be cached at any size. */
const WARM = 200

/** p99 of `/affected`. */
const MOST_AFFECTED_MS = 2

const line = (kind: KindName, budget: number | null, more: Partial<HttpLine> = {}): HttpLine => ({
  name: kind,
  kind,
  budget,
  different: MANY,
  ...more,
})

export const HTTP_LINES: readonly HttpLine[] = [
  line('page25', 0.6),
  line('page25', 0.6, { name: 'page25-warm', title: 'the same few', different: WARM }),
  line('page100', 0.6),
  line('detail', 0.6),
  line('detail', 0.6, { name: 'detail-warm', title: 'the same few', different: WARM }),
  line('detail-all', 0.6),
  line('detail-any', 0.6),
  line('unchanged-page', null, { different: 2000 }),
  line('unchanged-detail', null, { different: 2000 }),
  line('critical', 0.35),
  line('kev', 0.35),
  line('narrow', 0.35),
  line('weakness', 0.35),
  line('combined', 0.35),
  line('combined', 0.35, { name: 'combined-warm', title: 'the same few', different: WARM }),
  line('nothing', 0.35),
  line('any-sort', 0.35),
  line('ascending', 0.35),
  line('affected', null),
  line('affected', null, { name: 'affected-p99', title: 'p99, one at a time', latency: MOST_AFFECTED_MS }),
  line('affected-popular', null),
  line('affected-popular', null, {
    name: 'affected-popular-p99',
    title: 'p99, one at a time',
    latency: MOST_AFFECTED_MS,
  }),
  line('advisory', 0.6),
]
