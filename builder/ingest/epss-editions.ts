/** Reads the EPSS editions that the corpus does not have into its history, in the order of their dates. */
import { statSync } from 'node:fs'
import { shortened } from '../../corpus/command/format.ts'
import type { Progress } from '../../corpus/command/progress.ts'
import { type FeedFile, fileDigest, type ScoreFeed } from '../../corpus/feeds/feed.ts'
import { NO_VALUE } from '../../corpus/model/epss/history.ts'
import { isRecordId } from '../../corpus/model/ids/cve-id.ts'
import { dayOf } from '../../corpus/model/values/date.ts'
import { toBillionths } from '../../corpus/snapshot/index.ts'
import { type EditionScore, type EpssEdition, openHistoryWriter } from '../../corpus/store/epss-history.ts'
import { MAX_DETAIL } from './item-lists.ts'
import { MAX_LOSS } from './judge.ts'
import type { FeedRemark, FeedReport, HistoryReport } from './report.ts'
import { type FeedSource, isFeedError } from './sources.ts'
import type { Workspace } from './workspace.ts'

/** `modelVersion` of files without one. */
const UNKNOWN_MODEL = 'unknown'

interface EditionContext {
  acceptShrink: boolean
  log(line: string): void
  progress: Progress
}

/**
 * Reads new and corrected editions. The edition after one that comes late is read again if its file is there: only the
 * file states the percentiles of the points that it gets. An edition that cannot be used is a remark, and the next
 * ingest tries it again.
 */
export function readEditions(
  feed: ScoreFeed,
  { editions: files, files: chosen }: Pick<FeedSource, 'editions' | 'files'>,
  report: FeedReport,
  { database, staging }: Pick<Workspace, 'database' | 'staging'>,
  { acceptShrink, log, progress }: EditionContext,
): HistoryReport {
  const writer = openHistoryWriter(database)
  const known = new Map(writer.editions().map((edition) => [edition.date, edition]))
  const toRead = editionsToRead(files, known, writer.rename)
  const remark = (code: FeedRemark['code'], detail: string) => report.remarks.push({ code, detail })
  const isStaged = (file: FeedFile) => report.status === 'read' && file.name === chosen.at(-1)?.name
  if (toRead.some(({ file }) => !isStaged(file))) log(`reading past editions of ${feed.title}`)
  let read = 0
  for (const [index, { file, ...edition }] of toRead.entries()) {
    const scores = isStaged(file) ? staging.scores() : attempt(() => readScores(feed, file, remark), remark)
    if (scores === null) continue
    const values = [...billionths(scores)]
    const loss = lossOf(file, values.length, edition.date, known)
    if (values.length === 0) remark('edition-unusable', `${file.name} has no score`)
    else if (loss !== null && !acceptShrink) remark('edition-unusable', `${loss}; --accept-shrink takes it`)
    else {
      const whole = { ...edition, scores: values.length }
      writer.put(whole, values)
      known.set(edition.date, whole)
      read++
    }
    progress(feed.title, index + 1, toRead.length)
  }
  const points = writer.flush()
  const dates = [...known.keys()].sort()
  return { read, editions: dates.length, first: dates[0] ?? null, last: dates.at(-1) ?? null, points }
}

type EditionFile = Omit<EpssEdition, 'scores'> & { file: FeedFile }

/** Returns the files to read, oldest first. `rename` is called for known editions in another file. */
function editionsToRead(
  files: readonly FeedFile[],
  known: ReadonlyMap<string, EpssEdition>,
  rename: (edition: EpssEdition) => void,
): EditionFile[] {
  const same = new Map<string, EditionFile>()
  const toRead = new Map<string, EditionFile>()
  for (const file of files) {
    const date = dayOf(file.date!)
    const { size: bytes, mtimeMs: modified } = statSync(file.path)
    const before = known.get(date)
    const found = { date, model: file.version ?? UNKNOWN_MODEL, path: file.name, bytes, modified, file }
    if (before?.path === file.name && before.bytes === bytes && before.modified === modified) {
      same.set(date, { ...found, sha256: before.sha256 })
      continue
    }
    const { sha256 } = fileDigest(file.path)
    if (before?.sha256 !== sha256) toRead.set(date, { ...found, sha256 })
    else {
      same.set(date, { ...found, sha256 })
      rename({ ...before, path: file.name, bytes, modified })
    }
  }
  const dates = [...new Set([...known.keys(), ...toRead.keys()])].sort()
  for (const date of [...toRead.keys()]) {
    const following = same.get(dates[dates.indexOf(date) + 1] ?? '')
    if (following) toRead.set(following.date, following)
  }
  return [...toRead.values()].sort((a, b) => (a.date < b.date ? -1 : 1))
}

type Remark = (code: FeedRemark['code'], detail: string) => void
type PastScore = { cveId: EditionScore['cveId']; score: number; percentile: number | null }

function attempt<T>(work: () => T, remark: Remark): T | null {
  try {
    return work()
  } catch (cause) {
    if (!isFeedError(cause)) throw cause
    remark('edition-unusable', `${shortened(cause.message, MAX_DETAIL)}; replace it with a valid one, or remove it`)
    return null
  }
}

function readScores(feed: ScoreFeed, file: FeedFile, remark: Remark): PastScore[] {
  const scores: PastScore[] = []
  let skipped = 0
  let first = ''
  for (const item of feed.readPast(file)) {
    if (item.kind === 'score') scores.push(item)
    else if (skipped++ === 0) first = item.detail
  }
  if (skipped > 0) remark('edition-lines', `${file.name}: ${skipped} skipped, the first one: ${first}`)
  return scores
}

/** No record has an id with another spelling of its number. */
function* billionths(scores: Iterable<PastScore>): Generator<EditionScore> {
  for (const { cveId, score, percentile } of scores) {
    if (!isRecordId(cveId)) continue
    yield {
      cveId,
      score: toBillionths(score),
      percentile: percentile === null ? NO_VALUE : toBillionths(percentile),
    }
  }
}

/** A file that was cut off looks like an edition without these CVEs. */
function lossOf(
  { name }: FeedFile,
  scores: number,
  date: string,
  known: ReadonlyMap<string, EpssEdition>,
): string | null {
  const before = [...known.values()].filter((one) => one.date < date).sort((a, b) => (a.date < b.date ? 1 : -1))[0]
  if (!before || scores >= (1 - MAX_LOSS) * before.scores) return null
  return `${name} has ${scores} scores, the edition of ${before.date} has ${before.scores}`
}
