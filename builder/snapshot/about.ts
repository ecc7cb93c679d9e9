/** The snapshot's description of itself (`/snapshot`): its feeds and the count of each kind of entry. */

import type { About } from '../../corpus/snapshot/files/about.ts'
import type { EpssColumns } from '../../corpus/snapshot/record/epss.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'

export function about(corpus: Corpus, counts: About['counts'], epss: EpssColumns): About {
  const { corpusDate, feeds } = corpus.state()
  return {
    corpus_date: corpusDate,
    epss_date: epss.date,
    counts,
    feeds: Object.fromEntries(
      feeds.map(({ name, version, date, records, licence, attribution }) => [
        name,
        { version, updated_at: date, records, licence, attribution },
      ]),
    ),
  }
}
