/** Stages one feed in the open transaction, and lists skipped items. */
import { statSync } from 'node:fs'
import { shortened } from '../../corpus/command/format.ts'
import type { Progress } from '../../corpus/command/progress.ts'
import { FeedError } from '../../corpus/feeds/error.ts'
import { FACETS, facetBits } from '../../corpus/feeds/facets.ts'
import type { BatchFeed, ClaimFeed, Feed, FeedFile, ScoreFeed } from '../../corpus/feeds/feed.ts'
import type { RecordNote } from '../../corpus/model/claim.ts'
import { dayOf } from '../../corpus/model/values/date.ts'
import type { Pool } from '../../corpus/runtime/pool.ts'
import type { FacetCount, Staging } from '../../corpus/store/staging.ts'
import type { FeedFileState, FeedSkips, FeedState } from '../../corpus/store/state.ts'
import { assertReadable, beforeOf, type EditionOptions, judgeEditions, judgeNewest } from './judge.ts'
import { readFile } from './read.ts'
import type { FacetLoss, FeedRemark, FeedReport, UnreadableCounts } from './report.ts'
import { type FeedSource, isFeedError, named, newestFile } from './sources.ts'
import type { PackedItem } from './tasks.ts'
import type { DigestOfFile } from './threads.ts'
import type { Workspace } from './workspace.ts'

/** The report lists each skipped record. */
const MAX_UNUSABLE = 100_000
const MAX_SKIPPED = 1_000_000
/** In characters, as stored in report and corpus. */
const MAX_KEY = 200
const MAX_DETAIL = 500

/** By reason, in order of first appearance. */
type Named = Map<string, { key: string; detail: string }[]>

export interface StageContext extends EditionOptions {
  log(line: string): void
  progress: Progress
  digestOf: DigestOfFile
  poolFor(bytes: number): Pool
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
    if (acceptOlder) return null
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

type Figures = Pick<
  FeedReport,
  'read' | 'kept' | 'added' | 'changed' | 'removed' | 'held' | 'retained' | 'skipped' | 'notes' | keyof typeof sameShape
>

const sameShape: Pick<FeedReport, 'lostFacets' | 'unreadable'> = {
  lostFacets: [],
  unreadable: { before: 0, now: 0, read: 0, unreadable: 0, example: null },
}

async function stageClaims(
  feed: ClaimFeed | BatchFeed,
  files: FeedFile[],
  previous: FeedState | null,
  { staging, spill }: Workspace,
  context: StageContext & { retain: boolean; onFile(index: number): void },
): Promise<Figures> {
  const skipped = openSkipped(files)
  const notes = openNotes(previous)
  const toHold: string[] = []
  let read = 0
  const facetsBefore = staging.facetCounts(feed.name)
  const options = { spill, digestOf: (item: string) => staging.digestOf(feed.name, item) }

  const stage = (item: PackedItem, index: number) => {
    read++
    if (item.kind === 'skip') {
      skipped.add(item.reason, item.key, item.detail)
      toHold.push(item.key)
      if (toHold.length > MAX_UNUSABLE) throw tooMany(files[index]!, 'are unusable', MAX_UNUSABLE, item)
      return
    }
    const { key, digest } = item
    const staged = { feed: feed.name, item: key, digest, file: index }
    if (item.kind === 'known') {
      staging.known(staged)
      notes.keep(key)
      return
    }
    const { cveIds, statedAt, facets, body, advisory } = item
    const outcome = staging.claim({ ...staged, cveIds, statedAt, facets }, body, advisory)
    // The same copy in another file is neither another record nor news.
    if (outcome === 'same') {
      read--
      return
    }
    if (outcome !== 'older') notes.read(key, item.notes)
    const { name } = files[index]!
    if (outcome === 'replaces-same-file') skipped.add('duplicate', key, `a later one in ${name} counts`)
    if (outcome === 'replaces-older-file') skipped.add('superseded', key, `${name} has a newer one`)
    if (outcome === 'older') skipped.add('superseded', key, `an older one in ${name}`)
  }

  const stageSame = (key: string, index: number) => {
    read++
    staging.same(feed.name, key, index)
    notes.keep(key)
  }

  const bytes = files.reduce((sum, { folder, path }) => sum + (folder ? Infinity : statSync(path).size), 0)
  const pool = context.poolFor(feed.kind === 'batches' ? bytes : 0)
  const reading = { options, pool, progress: context.progress }
  for (const [index, file] of files.entries()) {
    context.onFile(index)
    const before = read
    for await (const items of readFile(feed, file, reading)) {
      for (const item of items) {
        if (typeof item === 'string') stageSame(item, index)
        else stage(item, index)
      }
    }
    if (feed.independentFiles && files.length > 1 && read === before && beforeOf(previous, file.part)?.newest)
      throw new FeedError('file_invalid', `${file.name} has no record`)
  }
  // Unreadable items keep their previous claims.
  const held = toHold.filter((key) => staging.hold(feed.name, key))
  for (const key of held) notes.keep(key)
  const retained = context.retain ? staging.holdRest(feed.name) : 0
  if (context.retain) notes.keepRest()
  const counts = staging.claimCounts(feed.name)
  const lostFacets = facetLosses(facetsBefore, staging.rewrittenFacets(feed.name))
  const shape = { lostFacets, unreadable: notes.unreadable() }
  return { read, ...counts, held: held.length, retained, skipped: skipped.listed(), notes: notes.listed(), ...shape }
}

function stageScores(feed: ScoreFeed, file: FeedFile, { staging }: Workspace): Figures {
  const skipped = openSkipped([file])
  let read = 0
  for (const item of feed.read(file)) {
    read++
    if (item.kind === 'skip') skipped.add(item.reason, item.key, item.detail)
    else if (!staging.score(item)) skipped.add('duplicate', item.cveId, `a later line in ${file.name} replaces it`)
  }
  return { read, ...staging.scoreCounts(), held: 0, retained: 0, skipped: skipped.listed(), notes: [], ...sameShape }
}

function facetLosses(before: readonly FacetCount[], rewritten: ReturnType<Staging['rewrittenFacets']>): FacetLoss[] {
  const sum = (counts: readonly FacetCount[]) => counts.reduce((total, { count }) => total + count, 0)
  return FACETS.flatMap((facet) => {
    const bit = facetBits({ [facet]: true })
    const all = rewritten.filter(({ facets }) => facets & bit)
    const lost = all.filter(({ now }) => (now & bit) === 0)
    if (lost.length === 0) return []
    const had = sum(before.filter(({ facets }) => facets & bit))
    return [{ facet, had, rewritten: sum(all), lost: sum(lost), example: lost[0]!.example }]
  })
}

/** @throws FeedError above the limit */
function openSkipped(files: readonly FeedFile[]) {
  const byReason: Named = new Map()
  let count = 0
  return {
    add(reason: string, key: string, detail: string): void {
      add(byReason, reason, shortened(key, MAX_KEY), shortened(detail, MAX_DETAIL))
      if (++count > MAX_SKIPPED) throw tooMany(files.at(-1)!, 'were skipped', MAX_SKIPPED, { key, detail })
    },
    listed: () => listed(byReason),
  }
}

function tooMany({ name }: FeedFile, what: string, most: number, last: { key: string; detail: string }): FeedError {
  const record = `${shortened(last.key, MAX_KEY)} (${shortened(last.detail, MAX_DETAIL)})`
  return new FeedError('file_invalid', `${name}: more than ${most} records ${what}, the last one is ${record}`)
}

interface Note {
  code: string
  detail: string
}

/** Codes of values that count as missing. */
const UNREADABLE: ReadonlySet<string> = new Set<RecordNote['code']>([
  'cvss-unreadable',
  'ssvc-unreadable',
  'type-wrong',
  'field-unknown',
  'date-impossible',
  'range-unreadable',
  'reference-no-url',
  'cve-id-unreadable',
  'repository-unreadable',
])

/** Items that are not read again keep their previous notes. */
function openNotes(previous: FeedState | null) {
  const before = new Map<string, Note[]>()
  for (const { reason: code, items } of previous?.reading.notes ?? []) {
    for (const { key, detail } of items) before.set(key, [...(before.get(key) ?? []), { code, detail }])
  }
  const now = new Map<string, readonly Note[]>()
  const isUnreadable = (notes: readonly Note[]) => notes.some(({ code }) => UNREADABLE.has(code))
  const count = (all: ReadonlyMap<string, readonly Note[]>) => [...all.values()].filter(isUnreadable).length
  const fresh = new Set<string>()
  const set = (key: string, notes: readonly Note[]) => {
    if (notes.length > 0) now.set(key, notes)
    else now.delete(key)
  }
  return {
    /** Sets the notes of an item that is new or changed. */
    read(key: string, notes: readonly Note[]): void {
      fresh.add(key)
      set(key, notes)
    },
    /** Keeps the notes of items that were not read. */
    keepRest(): void {
      for (const [key, notes] of before) if (!fresh.has(key)) set(key, notes)
    },
    /** Call it after all items. */
    unreadable(): UnreadableCounts {
      const keys = [...fresh].filter((key) => isUnreadable(now.get(key) ?? []))
      const example = keys[0] ?? null
      return { before: count(before), now: count(now), read: fresh.size, unreadable: keys.length, example }
    },
    keep: (key: string) => set(key, before.get(key) ?? []),
    listed(): FeedSkips[] {
      const byCode: Named = new Map()
      for (const [key, notes] of now) for (const { code, detail } of notes) add(byCode, code, key, detail)
      return listed(byCode)
    },
  }
}

function add(to: Named, reason: string, key: string, detail: string): void {
  const items = to.get(reason)
  if (items) items.push({ key, detail })
  else to.set(reason, [{ key, detail }])
}

function listed(all: Named): FeedSkips[] {
  return [...all].map(([reason, items]) => ({ reason, items }))
}
