/**
 * Decides whether each feed may enter the corpus: by the age of its edition before reading, by its counts after. A
 * rejected feed leaves the corpus unchanged. Also parses the minimum counts of `--floor`.
 */
import type { Feed, FeedFile } from '../../corpus/feeds/feed.ts'
import { FEEDS, type FeedName } from '../../corpus/feeds/table.ts'
import { dayOf, daysBetween } from '../../corpus/model/values/date.ts'
import type { FeedFileState, FeedState } from '../../corpus/store/state.ts'
import { IngestError } from './error.ts'
import type { FeedRemark, FeedReport } from './report.ts'
import { type FeedSource, type Horizon, newestFile } from './sources.ts'

/** Maximum share of lost records. */
export const MAX_LOSS = 0.1

export interface AcceptOptions {
  acceptShrink: boolean
  acceptOlder: boolean
  floors: MinimumCounts
}

/** The files of a feed to read, and remarks on the others. */
export interface Editions {
  files: FeedFile[]
  remarks: FeedRemark[]
}

/**
 * Leaves out files that are older (by day) than the corpus's edition of the same part: the corpus keeps its own, so that
 * a copy that lags behind loses nothing and does not stop the others. Also remarks on files dated in the future.
 * @throws IngestError `feed-older` with `asOf`, because such an edition was asked for
 */
export function judgeEditions(
  { feed, files, ahead }: FeedSource,
  previous: FeedState | null,
  { acceptOlder, asOf, isAhead }: EditionOptions,
): Editions {
  const remarks = ahead.map(({ name, date }): FeedRemark => {
    const detail = `${name} is of ${dayOf(date!)}, after ${isAhead.horizon}`
    return { code: 'edition-ahead', detail }
  })
  const taken = [...Map.groupBy(files, ({ part }) => part)].flatMap(([part, all]) => {
    const newest = newestFile(all)!
    const before = beforeOf(previous, part)?.date ?? null
    if (before === null || isAhead.test(before)) return all
    if (newest.date === null) {
      const detail = `${newest.name} has no date; the corpus has the edition of ${dayOf(before)}`
      remarks.push({ code: 'edition-undated', detail })
      return all
    }
    if (dayOf(newest.date) >= dayOf(before)) return all
    const detail = `${newest.name} is of ${dayOf(newest.date)}, the corpus has the edition of ${dayOf(before)}`
    if (acceptOlder) remarks.push({ code: 'edition-older', detail })
    else if (asOf !== null) {
      throw new IngestError('feed-older', `${feed.title}: ${detail}; accept the older one with --accept-older`)
    } else remarks.push(keptEdition(detail))
    return acceptOlder ? all : []
  })
  return { files: taken, remarks }
}

export interface EditionOptions extends Pick<AcceptOptions, 'acceptOlder'> {
  asOf: string | null
  isAhead: { horizon: Horizon; test(date: string | null): boolean }
}

const keptEdition = (detail: string): FeedRemark => ({
  code: 'edition-kept',
  detail: `${detail}; --accept-older takes it`,
})

/** The corpus's file of a part of the feed. */
export const beforeOf = (previous: FeedState | null, part: string): FeedFileState | null =>
  previous?.files.findLast((file) => file.part === part) ?? null

/**
 * As `judgeEditions`, for a file without a date after it was read: its newest record dates it. Returns null if it is
 * not older than the corpus's edition.
 */
export function judgeNewest(
  { name, part, date }: FeedFile,
  newest: string | null,
  previous: FeedState | null,
  { acceptOlder }: Pick<AcceptOptions, 'acceptOlder'>,
): FeedRemark | null {
  const before = beforeOf(previous, part)
  if (date !== null || !before?.newest) return null
  // Dates of the future do not count, so all of them are.
  if (newest === null && !acceptOlder) {
    return { code: 'edition-ahead', detail: `no record of ${name} has a date, or all dates are in the future` }
  }
  if (newest === null || before.date !== null) return null
  if (newest >= before.newest) return null
  const detail = `the newest record of ${name} is of ${newest}, the corpus's edition has one of ${before.newest}`
  return acceptOlder ? { code: 'edition-older', detail } : keptEdition(detail)
}

/** Rejects claims that another version of the adapter read and that cannot be read again. @throws IngestError */
export function assertReadable({ title, adapter }: Feed, previous: FeedState | null): void {
  if (!previous || previous.adapter === adapter) return
  const what = 'its files are missing or not taken, and another version of this program read its data in the corpus'
  throw new IngestError('feed-missing', `${title}: ${what}; restore its files, so that ingest can read them again`)
}

/**
 * Rejects a feed that is empty, below its floor, or lost more than a tenth of its records.
 * @throws IngestError `feed-below-floor`, `feed-empty`, `feed-shrank`
 */
export function judgeCounts(
  report: FeedReport,
  { required }: Pick<Feed, 'required'>,
  previous: FeedState | null,
  { acceptShrink, floors }: Pick<AcceptOptions, 'acceptShrink' | 'floors'>,
): void {
  const { name, title, status, kept, read, removed, held, retained } = report
  const floor = floors[name as FeedName]
  if (floor !== undefined && (status === 'absent' || kept < floor)) {
    const has = status === 'absent' ? 'its files are missing' : `${kept} usable records among the ${read} read`
    const remedy = `--floor ${name}=<n> changes the floor`
    throw new IngestError('feed-below-floor', `${title}: ${has}, its floor is ${floor}${cause(report)}; ${remedy}`)
  }
  if (status !== 'read') return
  if (kept + retained === 0 && (required || !acceptShrink)) {
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
  { title, status, kept, held, retained, lostFacets, unreadable, notes }: FeedReport,
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
  const records = kept + held + retained
  if (now - before > MAX_LOSS * records) {
    refuse(`${now} of ${records} records have values that cannot be read, ${before} had them before${such}`)
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
    if (status === 'absent' || status === 'kept') continue
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
    const at = word.indexOf('=')
    const [name, number] = [word.slice(0, at).trimEnd(), word.slice(at + 1).trimStart()]
    if (at === -1) throw new IngestError('usage', `invalid --floor '${word}'; use <feed>=<records>`)
    const feed = FEEDS.find((one) => one.name === name)
    if (!feed) {
      const known = FEEDS.map((one) => one.name).join(', ')
      throw new IngestError('usage', `--floor: unknown feed '${name}'; use one of ${known}`)
    }
    const floor = /^\d+$/.test(number) ? Number(number) : 0
    if (floor < 1 || !Number.isSafeInteger(floor)) {
      throw new IngestError('usage', `--floor: the number of ${name} must be a whole number from 1, not '${number}'`)
    }
    floors[feed.name] = floor
  }
  return floors
}
