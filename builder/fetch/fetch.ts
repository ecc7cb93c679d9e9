/**
 * Downloads the public feeds into a folder, from their publishers or from a copy. A feed that fails keeps its previous
 * files and does not stop the others.
 */

import { join } from 'node:path'
import { lockFile } from '../../corpus/command/lock.ts'
import { noProgress, type Progress } from '../../corpus/command/progress.ts'
import { cannotWrite, writingTo } from '../../corpus/command/system-error.ts'
import type { PublishedFeed } from '../../corpus/feeds/table.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { readText } from '../../corpus/transfer/receive.ts'
import type { Credentials } from '../../corpus/transfer/request.ts'
import { logWait, withRetries } from '../../corpus/transfer/retry.ts'
import { type BaseUrls, noBaseUrls, separateCredentials } from './bases.ts'
import { copiedFiles, type ReadListing } from './copy.ts'
import { keepCurrentScores } from './current-scores.ts'
import { type DownloadContext, download, type FileReport, partialName } from './download.ts'
import { fetchPastEditions } from './past-editions.ts'
import { PUBLISHERS, type Publisher, type PublisherContext } from './publishers.ts'
import { openState } from './state.ts'
import { type FileAt, metaPath, type WantedFile } from './wanted.ts'

export interface FetchOptions {
  /** Created if it does not exist. */
  feeds: string
  /** Default: all. */
  only?: readonly PublishedFeed[]
  bases?: BaseUrls
  /** `all` is OSV's whole list. Default: package ecosystems. */
  ecosystems?: readonly string[]
  /** Downloads the editions of EPSS from this day (`YYYY-MM-DD`) on that are not here. */
  epssSince?: string
  /** GitHub allows 60 requests an hour without a token. */
  githubToken?: string
}

export interface FeedFetchReport {
  feed: PublishedFeed
  title: string
  /** `partial`: some files failed, and each stands alone. */
  status: 'fetched' | 'unchanged' | 'partial' | 'failed'
  files: FileReport[]
  /** Why listing its files failed. */
  error?: { code: string; message: string }
}

export interface FetchReport {
  feeds: FeedFetchReport[]
  /** Feeds that failed, and those of which some files did. */
  failed: number
  partial: number
  /** Bytes of files over the network. */
  received: number
  seconds: number
}

/** Parallel publishers, each with one request at a time. */
const AT_ONCE = 4

/** @throws TransferError `busy` (another fetch), `unusable` (the folder is not writable) */
export async function fetchFeeds(
  options: FetchOptions,
  effects: NetworkEffects,
  progress: Progress = noProgress,
): Promise<FetchReport> {
  return writingTo(options.feeds, () => fetchInto(options, effects, progress))
}

async function fetchInto(options: FetchOptions, effects: NetworkEffects, progress: Progress): Promise<FetchReport> {
  const { feeds, only, bases = noBaseUrls, ecosystems = null, epssSince, githubToken } = options
  const started = effects.now()
  const unlock = await lockFolder(feeds, effects)
  try {
    const { bases: bare, credentials } = separateCredentials(bases)
    const context: DownloadContext = {
      feeds,
      effects,
      state: await openState(feeds, effects),
      credentials: githubToken ? new Map([...credentials, [GITHUB_API, `Bearer ${githubToken}`]]) : credentials,
      unreachable: new Set(),
      onBytes: meter(progress),
    }
    const at: PublisherContext = { today: started.toISOString().slice(0, 10), ecosystems }
    const read = listingReader(effects, context.credentials)
    const queue = PUBLISHERS.filter(({ feed }) => !only || only.includes(feed))
    const reports = await inParallel(queue, (publisher) => {
      effects.log(`fetching ${publisher.title}`)
      const base = bare.of.get(publisher.feed) ?? bare.all
      return fetchFeed(publisher, () => filesOf(publisher, base, at, read), context)
    })
    if (epssSince !== undefined) {
      effects.log('fetching past editions of EPSS')
      const files = await fetchPastEditions(epssSince, at.today, bare.of.get('epss') ?? bare.all, context)
      reports.push({ feed: 'epss', title: PAST_EDITIONS, status: statusOf(files, true), files })
    }
    if (queue.some(({ feed }) => feed === 'epss')) await keepCurrentScores(context)
    return {
      feeds: reports,
      failed: reports.filter(({ status }) => status === 'failed').length,
      partial: reports.filter(({ status }) => status === 'partial').length,
      received: sum(reports.flatMap(({ files }) => files.map(({ received }) => received))),
      seconds: (effects.now().getTime() - started.getTime()) / 1000,
    }
  } finally {
    unlock()
  }
}

/** The title of past editions in the report. */
export const PAST_EDITIONS = 'EPSS, past'
const GITHUB_API = 'https://api.github.com'
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

async function lockFolder(feeds: string, effects: NetworkEffects): Promise<() => void> {
  let unlock: (() => void) | null
  try {
    await effects.mkdir(feeds)
    unlock = lockFile(join(feeds, 'fetch.lock'))
  } catch (cause) {
    throw new TransferError('unusable', cannotWrite(feeds, cause), { cause })
  }
  if (!unlock) throw new TransferError('busy', `another fetch is writing to ${feeds}; wait until it ends`)
  return unlock
}

async function inParallel<T, R>(queue: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const entries = queue.entries()
  const worker = async () => {
    for (const [index, item] of entries) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

/** Several feeds share a copy's `fetch.json`, so it is requested once. */
function listingReader(effects: NetworkEffects, credentials: Credentials): ReadListing {
  const texts = new Map<string, Promise<string>>()
  const askFor = (url: URL, maxBytes: number) =>
    withRetries(effects, () => readText(effects, url, maxBytes, credentials), { onWait: logWait(url.href, effects) })
  return (url, maxBytes) => {
    const text = texts.get(url.href) ?? askFor(url, maxBytes)
    texts.set(url.href, text)
    return text
  }
}

async function filesOf(
  publisher: Publisher,
  base: URL | null,
  at: PublisherContext,
  read: ReadListing,
): Promise<WantedFile[]> {
  const { folder, maxBytes, head, companions = [], dated } = publisher
  const files = base ? await copiedFiles(publisher, base, at, read) : await publishedFiles(publisher, at, read)
  return files.map(({ name, url, ...rest }) => {
    const companion = companions.find((one) => one.name.test(name))
    const checks = companion ? { head: companion.head, mayBeMissing: true } : { head, ...(dated ? { dated } : {}) }
    return { ...rest, path: `${folder}/${name}`, url: new URL(url), maxBytes, ...checks }
  })
}

async function publishedFiles(publisher: Publisher, at: PublisherContext, read: ReadListing): Promise<FileAt[]> {
  const files = publisher.files(at)
  if (Array.isArray(files)) return files
  return files.read(await read(new URL(files.url), files.maxBytes))
}

async function fetchFeed(
  { feed, title, folder, independentFiles }: Publisher,
  list: () => Promise<WantedFile[]>,
  context: DownloadContext,
): Promise<FeedFetchReport> {
  const files: FileReport[] = []
  try {
    const wanted = await list()
    for (const file of wanted) files.push(await download(feed, file, context))
    const status = statusOf(files, independentFiles)
    if (status === 'fetched' || status === 'unchanged') await forgetOthers(feed, folder, wanted, context)
    return { feed, title, status, files }
  } catch (error) {
    if (!(error instanceof TransferError)) throw error
    return { feed, title, status: 'failed', files, error: { code: error.code, message: error.message } }
  }
}

function statusOf(files: readonly FileReport[], independentFiles: true | undefined): FeedFetchReport['status'] {
  const isThere = ({ status }: FileReport) => status === 'fetched' || status === 'unchanged' || status === 'older'
  if (files.some(({ status }) => status === 'failed'))
    return independentFiles && files.some(isThere) ? 'partial' : 'failed'
  return files.some(({ status }) => status === 'fetched') ? 'fetched' : 'unchanged'
}

/** Removes state and partial files of obsolete names. The files themselves stay. */
async function forgetOthers(
  feed: PublishedFeed,
  folder: string,
  wanted: readonly WantedFile[],
  { feeds, effects, state }: DownloadContext,
): Promise<void> {
  const paths = new Set(wanted.flatMap(({ path, meta }) => (meta ? [path, metaPath(path)] : [path])))
  const isWanted = (path: string) => paths.has(path)
  const { files, partials } = state.state
  const old = Object.keys(files).filter((path) => files[path]!.feed === feed && !isWanted(path))
  const halves = Object.keys(partials).filter((path) => path.startsWith(`${folder}/`) && !isWanted(path))
  if (old.length === 0 && halves.length === 0) return
  for (const path of halves) await effects.remove(join(feeds, partialName(path)))
  await state.update((all) => {
    for (const path of old) delete all.files[path]
    for (const path of halves) delete all.partials[path]
  })
}

function meter(progress: Progress): DownloadContext['onBytes'] {
  const under = new Map<string, { done: number; total: number }>()
  return (path, done, total) => {
    under.set(path, { done, total: total ?? done })
    const all = [...under.values()]
    progress('fetched', sum(all.map((one) => one.done)), sum(all.map((one) => one.total)), 'bytes')
  }
}
