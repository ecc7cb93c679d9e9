/** The age of each feed against the clock, and what a night warns of. */
import { counted } from '../../corpus/command/format.ts'
import { FEEDS } from '../../corpus/feeds/table.ts'
import { dayOf, daysBetween } from '../../corpus/model/values/date.ts'
import { formatRemark } from '../ingest/format-report.ts'
import type { IngestReport } from '../ingest/report.ts'

export interface FeedAge {
  name: string
  /** The date of its newest edition, or of its newest record. Null if unknown. */
  published: string | null
  /** Days before the night. */
  ageDays: number | null
  /** Whether its publisher, or a copy, has stopped. Never for feeds that are irregular. */
  isOld: boolean
}

/** Returns the feeds that the corpus has. */
export function feedAges(ingested: IngestReport | undefined, now: Date): FeedAge[] {
  const feeds = ingested?.feeds.filter(({ files }) => files.length > 0) ?? []
  return feeds.map(({ name, published }) => {
    const { maxAgeDays = null } = FEEDS.find((feed) => feed.name === name) ?? {}
    const ageDays = published === null ? null : daysBetween(published, now.toISOString())
    return { name, published, ageDays, isOld: ageDays !== null && maxAgeDays !== null && ageDays > maxAgeDays }
  })
}

/** Returns the old feeds, those without files, and those of which the corpus keeps an edition or the records of a file. */
export function feedWarnings(report: IngestReport, now: Date): string[] {
  const old = new Map(feedAges(report, now).map((age) => [age.name, age]))
  return report.feeds.flatMap(({ name, title, status, kept, published, remarks }) => {
    const { isOld = false, ageDays = null } = old.get(name) ?? {}
    const day = published === null ? '' : ` of ${dayOf(published)}`
    const isGone = status === 'absent' && kept > 0
    return [
      ...(isOld ? [`${title}: ${counted(ageDays!, 'day')} old, the newest edition is${day}`] : []),
      ...(isGone ? [`${title}: its files are missing; the corpus keeps its ${counted(kept, 'record')}${day}`] : []),
      ...[...Map.groupBy(remarks, ({ code }) => code)].flatMap(([code, [first, ...others]]) =>
        KEPT.has(code)
          ? [`${title}, ${formatRemark(first!)}${others.length > 0 ? ` and ${others.length} more` : ''}`]
          : [],
      ),
    ]
  })
}

const KEPT: ReadonlySet<string> = new Set(['edition-kept', 'edition-ahead', 'file-unusable', 'file-missing'])
