/** Finds, dates and selects the files of an ingest before any write. */
import { statSync } from 'node:fs'
import { shortened } from '../../corpus/command/format.ts'
import type { Feed, FeedFile } from '../../corpus/feeds/feed.ts'
import { chooseFiles } from '../../corpus/feeds/files/choice.ts'
import { FEEDS } from '../../corpus/feeds/table.ts'
import { DAY_MS, dayOf, utcDate } from '../../corpus/model/values/date.ts'
import type { FeedState } from '../../corpus/store/state.ts'
import { IngestError } from './error.ts'

export interface FeedSource {
  feed: Feed
  /** In reading order; empty if the feed is absent. */
  files: FeedFile[]
  /** Files that are not taken because they are dated in the future. */
  ahead: FeedFile[]
  /** The file of each day of EPSS, oldest first. */
  editions: FeedFile[]
}

/** Dates after this day (`YYYY-MM-DD`) are in the future. */
export type Horizon = string

const HORIZON_DAYS = 2

export const horizonAt = (now: Date): Horizon =>
  new Date(now.getTime() + HORIZON_DAYS * DAY_MS).toISOString().slice(0, 10)

/**
 * Finds the files of each feed. Those dated after `horizon` are not taken, unless every date of a daily feed is, in
 * `known` too: then the clock is wrong.
 * @throws IngestError if the folder is not a feeds folder or lacks a required feed
 */
export async function findSources(
  folder: string,
  asOf: string | null,
  horizon: Horizon,
  known: readonly FeedState[],
): Promise<FeedSource[]> {
  if (asOf !== null && utcDate(asOf) !== asOf) {
    throw new IngestError('usage', `invalid --as-of '${asOf}'; use a date such as 2024-10-24`)
  }
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) {
    const what = stat ? `${folder} is a file, not a feeds folder` : `the feeds folder ${folder} does not exist`
    throw new IngestError('no-feeds', `${what}; ${fillWith(stat ? '<folder>' : folder)}`)
  }
  const found: Omit<FeedSource, 'ahead' | 'editions'>[] = []
  for (const feed of FEEDS) found.push({ feed, files: await filesOf(feed, folder) })
  if (found.every(({ files }) => files.length === 0)) {
    const what = `${folder} has no file of a known feed (builder/README.md lists the feeds)`
    throw new IngestError('no-feeds', `${what}; ${fillWith(folder)}`)
  }
  const isAhead = aheadOf(horizon, found, known)
  return found.map(({ feed, files: all }) => {
    const ahead = all.filter(({ date }) => isAhead(date))
    // One record with a wrong date does not date the whole file.
    const undated = feed.datedByRecords ? ahead.map((file) => ({ ...file, date: null })) : []
    const files = [...all.filter((file) => !ahead.includes(file)), ...undated]
    const chosen = chooseFiles(files, asOf)
    const isKnown = known.some(({ name }) => name === feed.name)
    if (feed.required && chosen.length === 0 && (ahead.length === 0 || !isKnown))
      throw ahead.length === 0 ? missing(folder, feed, files, asOf) : inFuture(feed, ahead[0]!, horizon)
    const editions = feed.kind === 'scores' ? editionsOf(files, asOf) : []
    return { feed, files: chosen, ahead: feed.datedByRecords ? [] : ahead, editions }
  })
}

/** Returns one file for each day up to `asOf`: the one that an ingest as of that day would choose. */
function editionsOf(files: readonly FeedFile[], asOf: string | null): FeedFile[] {
  const days = Map.groupBy(files, ({ date }) => dayOf(date!))
  return [...days.keys()]
    .filter((day) => asOf === null || day <= asOf)
    .sort()
    .flatMap((day) => chooseFiles(days.get(day)!, null))
}

/** Returns whether a date is after the horizon, and the clock can be believed. */
export function aheadOf(
  horizon: Horizon,
  found: readonly Pick<FeedSource, 'feed' | 'files'>[],
  known: readonly FeedState[],
): (date: string | null) => boolean {
  const daily = new Set(FEEDS.filter(({ maxDaysApart, required }) => required || maxDaysApart !== null))
  const names = new Set([...daily].map(({ name }) => name as string))
  const dates = [
    ...found.filter(({ feed }) => names.has(feed.name)).flatMap(({ files }) => files.map(({ date }) => date)),
    ...known.filter(({ name }) => names.has(name)).map(({ published }) => published),
  ]
  const isBelieved = dates.some((date) => date !== null && dayOf(date) <= horizon)
  return (date) => isBelieved && date !== null && dayOf(date) > horizon
}

const inFuture = ({ title }: Feed, { name, date }: FeedFile, horizon: Horizon) =>
  new IngestError(
    'feed-ahead',
    `${title}: ${name} is of ${dayOf(date!)}, more than ${HORIZON_DAYS} days in the future (after ${horizon}); replace it with a valid one, or correct the clock`,
  )

function missing(folder: string, feed: Feed, files: FeedFile[], asOf: string | null): IngestError {
  const baselines = files.filter(({ role }) => role === 'baseline')
  const oldest = baselines.map(({ date }) => date && dayOf(date)).sort()[0]
  const what = oldest
    ? `${folder} has no ${feed.title} dated up to ${asOf}; the oldest is dated ${oldest}`
    : `${folder} has no ${feed.title}; expected ${feed.lookedFor}`
  return new IngestError('feed-missing', what)
}

const fillWith = (folder: string) =>
  `\`vulnshelf fetch ${folder}\` downloads the public feeds, \`vulnshelf sample ${folder}\` writes synthetic ones`

async function filesOf(feed: Feed, folder: string): Promise<FeedFile[]> {
  try {
    return (await feed.find(folder)).map((file) => ({ ...file, version: shortVersion(file.version) }))
  } catch (cause) {
    throw named(feed, cause)
  }
}

/** In characters; every snapshot and report repeats it. */
const MAX_VERSION_LENGTH = 100
const shortVersion = (version: string | null) => version?.slice(0, MAX_VERSION_LENGTH).toWellFormed() ?? null

/** Returns the newest file, and the last read of the same day; null without files. */
export function newestFile(files: readonly FeedFile[]): FeedFile | null {
  let newest: FeedFile | null = null
  for (const file of files) if (newest === null || (file.date ?? '') >= (newest.date ?? '')) newest = file
  return newest
}

/** In characters, because a message may contain a value of the feed. */
const MAX_MESSAGE_LENGTH = 1000

/** An error from another thread loses its class. */
export const isFeedError = (cause: unknown): cause is Error => cause instanceof Error && cause.name === 'FeedError'

/** Adds the feed's name and a remedy to a FeedError; returns other errors unchanged. */
export function named({ title, required }: Feed, cause: unknown): unknown {
  if (!isFeedError(cause)) return cause
  const remedy = `replace it with a valid one${required ? '' : ', or remove it: the corpus then keeps its data'}`
  return new IngestError('feed-unusable', `${title}: ${shortened(cause.message, MAX_MESSAGE_LENGTH)}; ${remedy}`, {
    cause,
  })
}
