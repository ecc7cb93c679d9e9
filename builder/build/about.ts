/** What a snapshot says of itself in `/snapshot`: its feeds and how many of each kind it holds. */

import type { About } from '../../corpus/snapshot/about.ts'
import type { EpssColumns } from '../../corpus/snapshot/epss.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'

/** What a build counts in the shards that it wrote. */
export interface ShardCounts {
  cves: number
  vendors: number
  products: number
}

export function about(corpus: Corpus, { cves, vendors, products }: ShardCounts, epss: EpssColumns): About {
  const { corpusDate, feeds } = corpus.state()
  return {
    corpus_date: corpusDate,
    epss_date: epss.date,
    counts: {
      cves,
      cwes: 0,
      capecs: 0,
      cnas: corpus.cnas().length,
      vendors,
      products,
      exploits: 0,
      advisories: 0,
      reports: 0,
    },
    feeds: Object.fromEntries(
      feeds.map(({ name, version, date, records, licence, attribution }) => [
        name,
        { version, updated_at: date, records, licence, attribution },
      ]),
    ),
  }
}
