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

/** Returns the old feeds, then those of which the corpus keeps an earlier edition or file. */
export function feedWarnings(report: IngestReport, now: Date): string[] {
  const titles = new Map(report.feeds.map(({ name, title }) => [name, title]))
  const old = feedAges(report, now).filter(({ isOld }) => isOld)
  return [
    ...old.map(
      ({ name, published, ageDays }) =>
        `${titles.get(name)} is ${counted(ageDays!, 'day')} old: its newest edition is of ${dayOf(published!)}`,
    ),
    ...report.feeds.flatMap(({ title, remarks }) =>
      remarks.filter(({ code }) => KEPT.has(code)).map((remark) => `${title}, ${formatRemark(remark)}`),
    ),
  ]
}

const KEPT: ReadonlySet<string> = new Set(['edition-kept', 'edition-ahead', 'file-unusable', 'file-missing'])
