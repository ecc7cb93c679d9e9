/**
 * Decides whether each feed may enter the corpus: by the age of its edition before reading, by its counts after. A
 * rejected feed leaves the corpus unchanged. Also parses the minimum counts of `--floor`.
 */
import type { Feed } from '../../corpus/feeds/feed.ts'
import { FEEDS, type FeedName } from '../../corpus/feeds/table.ts'
import { dayOf, daysBetween } from '../../corpus/model/values/date.ts'
import type { FeedState } from '../../corpus/store/state.ts'
import { IngestError } from './error.ts'
import type { FeedRemark, FeedReport } from './report.ts'
import { type FeedSource, newestFile } from './sources.ts'

/** Maximum share of lost records. */
const MAX_LOSS = 0.1

export interface AcceptOptions {
  acceptShrink: boolean
  acceptOlder: boolean
  floors: MinimumCounts
}

/**
 * Rejects an edition older (by day) than the corpus's, so that old data cannot return unnoticed. An undated edition
 * only gets a remark. An accepted older edition replaces newer claims like any other.
 * @throws IngestError `feed-older`
 */
export function judgeEdition(
  { feed, files }: FeedSource,
  previous: FeedState | null,
  { acceptOlder }: Pick<AcceptOptions, 'acceptOlder'>,
): FeedRemark[] {
  const newest = newestFile(files)
  if (!newest || !previous?.published) return []
  const before = dayOf(previous.published)
  if (newest.date === null) {
    const detail = `${newest.name} has no date; the corpus has the edition of ${before}`
    return [{ code: 'edition-undated', detail }]
  }
  const day = dayOf(newest.date)
  if (day >= before) return []
  const detail = `${newest.name} is of ${day}, the corpus has the edition of ${before}`
  if (acceptOlder) return [{ code: 'edition-older', detail }]
  const remedy = 'fetch the newer edition, or accept the older one with --accept-older'
  throw new IngestError('feed-older', `${feed.title}: ${detail}; ${remedy}`)
}

/**
 * Rejects a feed that is empty, below its floor, or lost more than a tenth of its records. Also rejects an absent feed
 * if another adapter version wrote its claims.
 * @throws IngestError `feed-missing`, `feed-below-floor`, `feed-empty`, `feed-shrank`
 */
export function judgeCounts(
  report: FeedReport,
  { required, adapter }: Pick<Feed, 'required' | 'adapter'>,
  previous: FeedState | null,
  { acceptShrink, floors }: Pick<AcceptOptions, 'acceptShrink' | 'floors'>,
): void {
  const { name, title, status, kept, read, removed, held } = report
  if (status === 'absent' && previous && previous.adapter !== adapter) {
    const what = 'its files are missing, and another version of this program read its data in the corpus'
    throw new IngestError('feed-missing', `${title}: ${what}; restore its files, so that ingest can read them again`)
  }
  const floor = floors[name as FeedName]
  if (floor !== undefined && (status === 'absent' || kept < floor)) {
    const has = status === 'absent' ? 'its files are missing' : `${kept} usable records among the ${read} read`
    const remedy = `--floor ${name}=<n> changes the floor`
    throw new IngestError('feed-below-floor', `${title}: ${has}, its floor is ${floor}${cause(report)}; ${remedy}`)
  }
  if (status !== 'read') return
  if (kept === 0 && (required || !acceptShrink)) {
    const had = previous ? `; the corpus has ${previous.records}` : ''
    const remedy = required ? '; replace it with a valid one' : '; --accept-shrink accepts it'
    throw new IngestError(
      'feed-empty',
      `${title}: no usable record among the ${read} read${cause(report)}${had}${remedy}`,
    )
  }
  const lost = removed + held
  if (previous && lost > MAX_LOSS * previous.records && !acceptShrink) {
    const share = ((100 * lost) / previous.records).toFixed(1)
    const what = `${lost} of the corpus's ${previous.records} records (${share} %) are missing or unreadable`
    const remedy = '--accept-shrink accepts it'
    throw new IngestError('feed-shrank', `${title}: ${what}, more than 10 %${cause(report)}; ${remedy}`)
  }
}

/** Below this number of rewritten records, their share shows nothing. */
const MIN_REWRITTEN = 20
/** Maximum share of rewritten records that lost something. A new form of the publisher reaches all of them. */
const MAX_REWRITTEN_LOSS = 0.5

/**
 * Rejects a feed whose records stop stating something, such as SSVC, or with more values that cannot be read: its
 * publisher may have renamed a field, or changed a type. A new form may reach only the records that change, so these are
 * also judged alone.
 * @throws IngestError `feed-lost-values`
 */
export function judgeShape(
  { title, status, kept, lostFacets, unreadable, notes }: FeedReport,
  previous: FeedState | null,
  { acceptShrink }: Pick<AcceptOptions, 'acceptShrink'>,
): void {
  if (status !== 'read' || previous === null || acceptShrink) return
  const refuse = (what: string) => {
    const remedy = 'its publisher may have changed the format, then this version cannot read it'
    throw new IngestError('feed-lost-values', `${title}: ${what}; ${remedy}. --accept-shrink accepts it`)
  }
  const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`
  for (const { facet, had, rewritten, lost, example } of lostFacets) {
    if (lost > MAX_LOSS * had) {
      refuse(
        `${lost} of the corpus's ${had} records with ${facet} (${percent(lost, had)}) lost it, more than 10 %, ` +
          `such as ${example}`,
      )
    }
    if (rewritten >= MIN_REWRITTEN && lost > MAX_REWRITTEN_LOSS * rewritten) {
      refuse(
        `${lost} of ${rewritten} changed records with ${facet} (${percent(lost, rewritten)}) lost it, such as ${example}`,
      )
    }
  }
  const { before, now, read, unreadable: odd, example } = unreadable
  const detail = notes.flatMap(({ items }) => items).find(({ key }) => key === example)?.detail
  const such = example === null ? '' : `, such as ${example}${detail ? ` (${detail})` : ''}`
  if (now - before > MAX_LOSS * kept) {
    refuse(`${now} of ${kept} records have values that cannot be read, ${before} had them before${such}`)
  }
  if (read >= MIN_REWRITTEN && odd > MAX_REWRITTEN_LOSS * read && before <= MAX_LOSS * previous.records) {
    refuse(`${odd} of ${read} new or changed records have values that cannot be read${such}`)
  }
}

/** Returns the first skipped record and its fault as message text. The others usually have the same fault. */
function cause({ files, skipped }: FeedReport): string {
  const first = skipped[0]?.items[0]
  return first
    ? `; first skipped record in ${files.map(({ path }) => path).join(', ')}: ${first.key}, ${first.detail}`
    : ''
}

/** Remarks on mismatched edition dates never stop an ingest. */
export function remarkOnEditions(sources: readonly FeedSource[], reports: readonly FeedReport[]): void {
  const list = reports.find(({ name }) => name === 'cvelist')?.published
  for (const [index, { feed, files }] of sources.entries()) {
    const { status, published, remarks } = reports[index]!
    if (status === 'absent') continue
    for (const { name, namedDay, date } of files) {
      if (!namedDay || date === null || dayOf(date) === namedDay) continue
      remarks.push({
        code: 'date-differs-from-name',
        detail: `${name} states ${dayOf(date)} inside; the ingest uses that date`,
      })
    }
    if (published === null || !list || feed.maxDaysApart === null) continue
    const days = daysBetween(list, published)
    if (Math.abs(days) <= feed.maxDaysApart) continue
    const apart = `${Math.abs(days)} days ${days < 0 ? 'before' : 'after'} the CVE list of ${dayOf(list)}`
    remarks.push({ code: 'days-apart', detail: `edition of ${dayOf(published)}, ${apart}` })
  }
}

export type MinimumCounts = Readonly<Partial<Record<FeedName, number>>>

/**
 * Parses `kev=1000,cvelist=200000`. The last value of a feed counts.
 * @throws IngestError `usage`
 */
export function readMinimumCounts(text: string): MinimumCounts {
  const floors: Partial<Record<FeedName, number>> = {}
  for (const word of text.split(',').map((part) => part.trim())) {
    const [, name, number] = /^(.*?)\s*=\s*(.*)$/.exec(word) ?? []
    if (name === undefined) throw new IngestError('usage', `invalid --floor '${word}'; use <feed>=<records>`)
    const feed = FEEDS.find((one) => one.name === name)
    if (!feed) {
      const known = FEEDS.map((one) => one.name).join(', ')
      throw new IngestError('usage', `--floor: unknown feed '${name}'; use one of ${known}`)
    }
    const floor = /^\d+$/.test(number!) ? Number(number) : 0
    if (floor < 1 || !Number.isSafeInteger(floor)) {
      throw new IngestError('usage', `--floor: the number of ${name} must be a whole number from 1, not '${number}'`)
    }
    floors[feed.name] = floor
  }
  return floors
}
