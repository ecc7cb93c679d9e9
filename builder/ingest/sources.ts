/** Finds, dates and selects the files of an ingest before any write. */
import { statSync } from 'node:fs'
import { shortened } from '../../corpus/command/format.ts'
import type { Feed, FeedFile } from '../../corpus/feeds/feed.ts'
import { chooseFiles } from '../../corpus/feeds/files/choice.ts'
import { FEEDS } from '../../corpus/feeds/table.ts'
import { dayOf, utcDate } from '../../corpus/model/values/date.ts'
import { IngestError } from './error.ts'

export interface FeedSource {
  feed: Feed
  /** In reading order; empty if the feed is absent. */
  files: FeedFile[]
}

/** @throws IngestError if the folder is not a feeds folder or lacks a required feed */
export async function findSources(folder: string, asOf: string | null): Promise<FeedSource[]> {
  if (asOf !== null && utcDate(asOf) !== asOf) {
    throw new IngestError('usage', `invalid --as-of '${asOf}'; use a date such as 2024-10-24`)
  }
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) {
    const what = stat ? `${folder} is a file, not a feeds folder` : `the feeds folder ${folder} does not exist`
    throw new IngestError('no-feeds', `${what}; ${fillWith(stat ? '<folder>' : folder)}`)
  }
  const found: FeedSource[] = []
  for (const feed of FEEDS) found.push({ feed, files: await filesOf(feed, folder) })
  if (found.every(({ files }) => files.length === 0)) {
    const what = `${folder} has no file of a known feed (builder/README.md lists the feeds)`
    throw new IngestError('no-feeds', `${what}; ${fillWith(folder)}`)
  }
  return found.map(({ feed, files }) => {
    const chosen = chooseFiles(files, asOf)
    if (feed.required && chosen.length === 0) throw missing(folder, feed, files, asOf)
    return { feed, files: chosen }
  })
}

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

/** Adds the feed's name and a remedy to a FeedError; returns other errors unchanged. */
export function named({ title, required }: Feed, cause: unknown): unknown {
  // An error from another thread loses its class.
  if (!(cause instanceof Error && cause.name === 'FeedError')) return cause
  const remedy = `replace it with a valid one${required ? '' : ', or remove it: the corpus then keeps its data'}`
  return new IngestError('feed-unusable', `${title}: ${shortened(cause.message, MAX_MESSAGE_LENGTH)}; ${remedy}`, {
    cause,
  })
}
