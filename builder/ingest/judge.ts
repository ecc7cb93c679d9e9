/**
 * Whether what a feed brings may go into the corpus: judged by the age of its edition before it is read, and by its
 * figures after, each feed by itself (DESIGN, Corpus). What is refused leaves the corpus as it was.
 */
import type { Feed } from '../../corpus/feeds/feed.ts'
import type { FeedName } from '../../corpus/feeds/table.ts'
import type { FeedState } from '../../corpus/store/state.ts'
import { IngestError } from './error.ts'
import type { Floors } from './floors.ts'
import type { FeedRemark, FeedReport } from './report.ts'
import { type FeedSource, newestFile } from './sources.ts'

/** A feed that lost a larger share of its records than this is taken for damaged. */
const MAX_LOSS = 0.1

/** What the operator says of the feeds. */
export interface Terms {
  acceptShrink: boolean
  acceptOlder: boolean
  floors: Floors
}

/**
 * Refuses an edition older than the corpus's, by the day: yesterday's data must not come back unnoticed. One that is
 * undated cannot be judged. Where it is accepted it counts like any other: its claims take the place of newer ones.
 */
export function judgeEdition(
  { feed, files }: FeedSource,
  previous: FeedState | null,
  { acceptOlder }: Pick<Terms, 'acceptOlder'>,
): FeedRemark[] {
  const newest = newestFile(files)
  const [day, before] = [dayOf(newest?.date ?? null), dayOf(previous?.published ?? null)]
  if (!newest || day === null || before === null || day >= before) return []
  const detail = `${newest.name} is of ${day}, the corpus has the edition of ${before}`
  if (acceptOlder) return [{ code: 'edition-older', detail }]
  const remedy = 'fetch the newer one again, or take the older one as it is with --accept-older'
  throw new IngestError('feed-older', `${feed.title}: ${detail}; ${remedy}`)
}

/** Refuses a feed that is empty, below its floor, or lost more than a tenth of its records. */
export function judgeFigures(
  report: FeedReport,
  { required }: Pick<Feed, 'required'>,
  previous: FeedState | null,
  { acceptShrink, floors }: Pick<Terms, 'acceptShrink' | 'floors'>,
): void {
  const { name, title, status, kept, read, removed, held } = report
  const floor = floors[name as FeedName]
  if (floor !== undefined && (status === 'absent' || kept < floor)) {
    const has = status === 'absent' ? 'it is absent' : `${kept} usable records among the ${read} read`
    const remedy = `--floor ${name}=<n> sets another`
    throw new IngestError('feed-below-floor', `${title}: ${has}, its floor is ${floor}${cause(report)}; ${remedy}`)
  }
  if (status !== 'read') return
  if (kept === 0 && (required || !acceptShrink)) {
    const had = previous ? `; the corpus has ${previous.records}` : ''
    const remedy = required ? '; put a good one in its place' : ' (--accept-shrink takes it as it is)'
    throw new IngestError(
      'feed-empty',
      `${title}: no usable record among the ${read} read${cause(report)}${had}${remedy}`,
    )
  }
  const lost = removed + held
  if (previous && lost > MAX_LOSS * previous.records && !acceptShrink) {
    const share = ((100 * lost) / previous.records).toFixed(1)
    const what = `${lost} of the corpus's ${previous.records} records (${share} %) are missing or unreadable`
    const remedy = '--accept-shrink takes it as it is'
    throw new IngestError('feed-shrank', `${title}: ${what}, more than 10 %${cause(report)}; ${remedy}`)
  }
}

/** What the first of those left out has wrong: most often that is what all of them have. */
function cause({ files, skipped }: FeedReport): string {
  const first = skipped[0]?.items[0]
  return first ? `; of ${files.map(({ path }) => path).join(', ')} ${first.key} was skipped first: ${first.detail}` : ''
}

/** What an operator should know of the editions that were read together: nothing of it stops an ingest. */
export function remarkOnEditions(sources: readonly FeedSource[], reports: readonly FeedReport[]): void {
  const listed = dayOf(reports.find(({ name }) => name === 'cvelist')?.published ?? null)
  for (const [index, { feed, files }] of sources.entries()) {
    const { status, published, remarks } = reports[index]!
    if (status === 'absent') continue
    for (const { name, namedDay, date } of files) {
      const day = dayOf(date)
      if (!namedDay || day === namedDay) continue
      remarks.push({ code: 'date-differs-from-name', detail: `${name} is of ${day}, as it says itself; that counts` })
    }
    const day = dayOf(published)
    if (day === null || listed === null || feed.maxDaysApart === null) continue
    const days = Math.round((Date.parse(day) - Date.parse(listed)) / DAY_MS)
    if (Math.abs(days) <= feed.maxDaysApart) continue
    const apart = `${Math.abs(days)} days ${days < 0 ? 'before' : 'after'}`
    remarks.push({ code: 'days-apart', detail: `its edition of ${day} lies ${apart} the CVE list's of ${listed}` })
  }
}

const DAY_MS = 86_400_000

const dayOf = (date: string | null): string | null => date?.slice(0, 10) ?? null
