/** Reads the items of chosen files and stages them. */
import { statSync } from 'node:fs'
import type { Progress } from '../../corpus/command/progress.ts'
import { FeedError } from '../../corpus/feeds/error.ts'
import { FACETS, facetBits } from '../../corpus/feeds/facets.ts'
import type { BatchFeed, ClaimFeed, FeedFile, ScoreFeed } from '../../corpus/feeds/feed.ts'
import type { Pool } from '../../corpus/runtime/pool.ts'
import type { FacetCount, Staging } from '../../corpus/store/staging.ts'
import type { FeedState } from '../../corpus/store/state.ts'
import { openNotes, openSkipped, tooMany } from './item-lists.ts'
import { beforeOf } from './judge.ts'
import { readFile } from './read.ts'
import type { FacetLoss, FeedReport } from './report.ts'
import type { PackedItem } from './tasks.ts'
import type { Workspace } from './workspace.ts'

/** The report lists each unusable record. */
const MAX_UNUSABLE = 100_000

export interface ReadContext {
  progress: Progress
  poolFor(bytes: number): Pool
  /** Whether items that no file states stay. */
  retain: boolean
  /** Is called with the number of each file before it is read. */
  onFile(index: number): void
}

export type Figures = Pick<
  FeedReport,
  'read' | 'kept' | 'added' | 'changed' | 'removed' | 'held' | 'retained' | 'skipped' | 'notes' | keyof typeof sameShape
>

export const sameShape: Pick<FeedReport, 'lostFacets' | 'unreadable'> = {
  lostFacets: [],
  unreadable: { before: 0, now: 0, read: 0, unreadable: 0, example: null },
}

export async function stageClaims(
  feed: ClaimFeed | BatchFeed,
  files: FeedFile[],
  previous: FeedState | null,
  { staging, spill }: Workspace,
  context: ReadContext,
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

export function stageScores(feed: ScoreFeed, file: FeedFile, { staging }: Workspace): Figures {
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
