/** Stages one feed in the open transaction, and lists skipped items. */
import { statSync } from 'node:fs'
import { shortened } from '../../corpus/command/format.ts'
import type { Progress } from '../../corpus/command/progress.ts'
import { FeedError } from '../../corpus/feeds/error.ts'
import { FACETS, facetBits } from '../../corpus/feeds/facets.ts'
import type { BatchFeed, ClaimFeed, FeedFile, ScoreFeed } from '../../corpus/feeds/feed.ts'
import type { RecordNote } from '../../corpus/model/claim.ts'
import type { Pool } from '../../corpus/runtime/pool.ts'
import type { FacetCount, Staging } from '../../corpus/store/staging.ts'
import type { FeedFileState, FeedSkips, FeedState } from '../../corpus/store/state.ts'
import { readFile } from './read.ts'
import type { FacetLoss, FeedReport, UnreadableCounts } from './report.ts'
import { type FeedSource, named, newestFile } from './sources.ts'
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

export interface StageContext {
  log(line: string): void
  progress: Progress
  digestOf: DigestOfFile
  poolFor(bytes: number): Pool
}

/** Unchanged files are not read again. */
export async function stageFeed(
  { feed, files }: FeedSource,
  previous: FeedState | null,
  workspace: Workspace,
  context: StageContext,
): Promise<FeedReport> {
  const { name, title } = feed
  const base = {
    name,
    title,
    added: 0,
    changed: 0,
    removed: 0,
    held: 0,
    notes: [],
    remarks: [],
    ageDays: null,
    ...sameShape,
  }
  const newest = newestFile(files)
  if (newest === null) {
    const { version = null, date = null, published = null, files: had = [], records = 0 } = previous ?? {}
    return { ...base, status: 'absent', version, date, published, files: had, read: 0, kept: records, skipped: [] }
  }
  const states = await Promise.all(files.map((file) => fileState(file, context.digestOf)))
  if (previous && isSame(previous, feed.adapter, states)) {
    const { version, date, published, reading } = previous
    return { ...base, status: 'unchanged', version, date, published, files: previous.files, ...reading }
  }
  context.log(`reading ${title}`)
  try {
    const figures =
      feed.kind === 'scores'
        ? stageScores(feed, newest, workspace)
        : await stageClaims(feed, files, previous, workspace, context)
    const { version, date } = newest
    // An undated edition keeps the previous date.
    const published = date ?? previous?.published ?? null
    return { ...base, status: 'read', version, date, published, files: states, ...figures }
  } catch (cause) {
    throw named(feed, cause)
  }
}

async function fileState(file: FeedFile, digestOf: DigestOfFile): Promise<FeedFileState> {
  return { path: file.name, ...(file.folder ? { bytes: null, sha256: null } : await digestOf(file)) }
}

function isSame(previous: FeedState, adapter: number, files: FeedFileState[]): boolean {
  return (
    previous.adapter === adapter &&
    previous.files.length === files.length &&
    files.every(({ sha256 }, i) => sha256 !== null && sha256 === previous.files[i]!.sha256)
  )
}

type Figures = Pick<
  FeedReport,
  'read' | 'kept' | 'added' | 'changed' | 'removed' | 'held' | 'skipped' | 'notes' | keyof typeof sameShape
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
  context: StageContext,
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
    for await (const items of readFile(feed, file, reading)) {
      for (const item of items) {
        if (typeof item === 'string') stageSame(item, index)
        else stage(item, index)
      }
    }
  }
  // Unreadable items keep their previous claims.
  const held = toHold.filter((key) => staging.hold(feed.name, key))
  for (const key of held) notes.keep(key)
  const counts = staging.claimCounts(feed.name)
  const lostFacets = facetLosses(facetsBefore, staging.rewrittenFacets(feed.name))
  const shape = { lostFacets, unreadable: notes.unreadable() }
  return { read, ...counts, held: held.length, skipped: skipped.listed(), notes: notes.listed(), ...shape }
}

function stageScores(feed: ScoreFeed, file: FeedFile, { staging }: Workspace): Figures {
  const skipped = openSkipped([file])
  let read = 0
  for (const item of feed.read(file)) {
    read++
    if (item.kind === 'skip') skipped.add(item.reason, item.key, item.detail)
    else if (!staging.score(item)) skipped.add('duplicate', item.cveId, `a later line in ${file.name} replaces it`)
  }
  return { read, ...staging.scoreCounts(), held: 0, skipped: skipped.listed(), notes: [], ...sameShape }
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
