/** Stages one feed in the open transaction: chooses its files, and keeps the previous records of those it refuses. */
import { shortened } from '../../corpus/command/format.ts'
import type { Feed, FeedFile } from '../../corpus/feeds/feed.ts'
import { dayOf } from '../../corpus/model/values/date.ts'
import type { FeedFileState, FeedState } from '../../corpus/store/state.ts'
import { MAX_DETAIL } from './item-lists.ts'
import { assertReadable, beforeOf, type EditionOptions, judgeEditions, judgeNewest } from './judge.ts'
import type { FeedRemark, FeedReport } from './report.ts'
import { type FeedSource, isFeedError, named, newestFile } from './sources.ts'
import { type Figures, type ReadContext, sameShape, stageClaims, stageScores } from './stage-items.ts'
import type { DigestOfFile } from './threads.ts'
import type { Workspace } from './workspace.ts'

export interface StageContext extends EditionOptions, Pick<ReadContext, 'progress' | 'poolFor'> {
  log(line: string): void
  digestOf: DigestOfFile
  acceptShrink: boolean
}

/**
 * Stages the files that `judgeEditions` chose. Unchanged files are not read again. If files stand alone, one that is
 * missing, broken or older than the corpus keeps its previous records, and the others are read.
 */
export async function stageFeed(
  source: FeedSource,
  previous: FeedState | null,
  workspace: Workspace,
  context: StageContext,
): Promise<FeedReport> {
  const { feed } = source
  const { files: chosen, remarks } = judgeEditions(source, previous, context)
  const missing = missingParts(source, previous, context)
  remarks.push(...missing.map(missingFile))
  const isKept = (files: readonly FeedFile[]) => previous !== null && files.length === 0 && remarks.length > 0
  let files = chosen
  for (;;) {
    const retained = retainedParts(source, files, missing, previous)
    if (files.length === 0 || retained.length > 0) assertReadable(feed, previous)
    if (files.length === 0) return unread(feed, previous, isKept(files) ? 'kept' : 'absent', remarks)
    const states = [...(await Promise.all(files.map((file) => fileState(file, previous, context)))), ...retained]
    if (previous && isSame(previous, feed.adapter, states)) {
      const { version, date, published, reading, files: had } = previous
      const counts = { status: 'unchanged', version, date, published, files: had, ...reading } as const
      return { ...baseOf(feed), ...counts, remarks }
    }
    context.log(`reading ${feed.title}`)
    // Another version of the adapter read the corpus's records, so they cannot stay.
    const saved =
      previous?.adapter === feed.adapter && feed.kind !== 'scores' ? workspace.staging.save(feed.name) : null
    const attempt = await attemptFiles(feed, files, previous, workspace, { ...context, retain: retained.length > 0 })
    const refused = refusedFile(feed, files, attempt, previous, { ...context, canRestore: saved !== null })
    if (refused) {
      saved!.restore()
      remarks.push(refused.remark)
      files = files.filter((_, index) => index !== refused.index)
      continue
    }
    saved?.release()
    if ('fault' in attempt) throw named(feed, attempt.fault)
    const { figures, newest } = attempt
    for (const [index, file] of files.entries()) {
      const state = states[index]!
      state.newest = newest.get(index) ?? null
      // From then on, the newest record dates the part.
      if (file.date === null && (state.newest ?? '') > (state.date ?? '')) state.date = null
      const older = judgeNewest(file, state.newest, previous, context)
      if (older) remarks.push(older)
    }
    const { version, date } = newestFile(files)!
    const published = states.map((state) => state.date ?? state.newest).reduce(laterDate, null)
    return { ...baseOf(feed), status: 'read', version, date, published, files: states, ...figures, remarks }
  }
}

const laterDate = (a: string | null, b: string | null) => ((a ?? '') > (b ?? '') ? a : b)

const baseOf = ({ name, title }: Feed) => ({
  name,
  title,
  ...{ added: 0, changed: 0, removed: 0, held: 0, retained: 0, notes: [], ageDays: null },
  ...sameShape,
})

function unread(feed: Feed, previous: FeedState | null, status: 'absent' | 'kept', remarks: FeedRemark[]): FeedReport {
  const { version = null, date = null, published = null, files = [], records = 0 } = previous ?? {}
  return { ...baseOf(feed), status, version, date, published, files, read: 0, kept: records, skipped: [], remarks }
}

/** Returns the corpus's files of parts without any file in the folder. With `acceptShrink`, their records go. */
function missingParts(
  { feed, files, ahead }: FeedSource,
  previous: FeedState | null,
  { acceptShrink }: Pick<StageContext, 'acceptShrink'>,
): FeedFileState[] {
  const there = new Set([...files, ...ahead].map(({ part }) => part))
  if (!feed.independentFiles || there.size === 0 || acceptShrink) return []
  return previous?.files.filter(({ part }) => !there.has(part)) ?? []
}

const missingFile = ({ path, date, newest }: FeedFileState): FeedRemark => ({
  code: 'file-missing',
  detail: `${path} is missing; its records${editionOf(date ?? newest)} stay; --accept-shrink removes them`,
})

const editionOf = (date: string | null) => (date === null ? '' : ` of ${dayOf(date)}`)

/** Returns the corpus's files whose records stay although no file states them. */
function retainedParts(
  { feed, files: found, ahead }: FeedSource,
  files: readonly FeedFile[],
  missing: readonly FeedFileState[],
  previous: FeedState | null,
): FeedFileState[] {
  if (!feed.independentFiles || !previous) return []
  const read = new Set(files.map(({ part }) => part))
  const there = new Set([...found, ...ahead].map(({ part }) => part))
  return previous.files.filter((file) => missing.includes(file) || (there.has(file.part) && !read.has(file.part)))
}

type Attempt =
  | { figures: Figures; newest: ReadonlyMap<number, string> }
  /** `index` is the number of the file. */
  | { fault: unknown; index: number }

async function attemptFiles(
  feed: Feed,
  files: FeedFile[],
  previous: FeedState | null,
  workspace: Workspace,
  context: StageContext & { retain: boolean },
): Promise<Attempt> {
  let index = 0
  try {
    if (feed.kind === 'scores') {
      index = files.indexOf(newestFile(files)!)
      return { figures: stageScores(feed, files[index]!, workspace), newest: new Map() }
    }
    const onFile = (number: number) => {
      index = number
    }
    const figures = await stageClaims(feed, files, previous, workspace, { ...context, onFile })
    return { figures, newest: workspace.staging.newestDates(feed.name) }
  } catch (fault) {
    return { fault, index }
  }
}

/** Returns the file whose records in the corpus stay, and why: it is broken, or older than the corpus. */
function refusedFile(
  { independentFiles, kind }: Feed,
  files: readonly FeedFile[],
  attempt: Attempt,
  previous: FeedState | null,
  { canRestore, acceptOlder }: Pick<StageContext, 'acceptOlder'> & { canRestore: boolean },
): { index: number; remark: FeedRemark } | null {
  if (!canRestore || kind === 'scores') return null
  if (!('fault' in attempt)) {
    // Without a usable record, the cause is not the date; the verdict on the feed names it.
    if (acceptOlder || attempt.figures.kept === 0) return null
    for (const [index, file] of files.entries()) {
      const remark = judgeNewest(file, attempt.newest.get(index) ?? null, previous, { acceptOlder })
      if (remark) return { index, remark }
    }
    return null
  }
  const { fault, index } = attempt
  const before = beforeOf(previous, files[index]!.part)
  if (!independentFiles || files.length === 1 || !before || !isFeedError(fault)) return null
  const detail = `${shortened(fault.message, MAX_DETAIL)}; its records${editionOf(before.date ?? before.newest)} stay`
  return { index, remark: { code: 'file-unusable', detail } }
}

/** An undated edition keeps the date of the one before. */
async function fileState(
  { name, part, date, folder, path }: FeedFile,
  previous: FeedState | null,
  { digestOf }: Pick<StageContext, 'digestOf'>,
): Promise<FeedFileState> {
  const digest = folder ? { bytes: null, sha256: null } : await digestOf({ path })
  return { path: name, ...digest, part, date: date ?? beforeOf(previous, part)?.date ?? null, newest: null }
}

function isSame(previous: FeedState, adapter: number, files: FeedFileState[]): boolean {
  const before = new Map(previous.files.map((file) => [file.path, file]))
  const isUnchanged = (file: FeedFileState) =>
    file.sha256 !== null && (before.get(file.path)?.sha256 === file.sha256 || renamed(file, previous))
  return previous.adapter === adapter && previous.files.length === files.length && files.every(isUnchanged)
}

/** A copy with another name, such as that of another day, is the same file. */
const renamed = ({ part, sha256 }: FeedFileState, { files }: FeedState) =>
  files.some((file) => file.part === part && file.sha256 === sha256)
