/** The lines of the request path, with their budgets as a share of the polka server's requests/s (README.md, "Budgets"). */
import type { KindName } from './request-kinds.ts'

export interface HttpLine {
  name: string
  kind: KindName
  budget: number | null
  /** So many different requests, made in turn. */
  different: number
  /** Beside the title of the kind. */
  title?: string
}

/**
 * More than a gateway remembers at 350,000 CVEs: its rows are some 80,000, its pages 150,000 rows, its filters some 16,000.
 * At a few ten thousand CVEs it holds everything after the warm-up, whatever is asked.
 */
const MANY = 20_000
/** Few enough to be remembered at any size. */
const WARM = 200

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
]
