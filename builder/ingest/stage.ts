/** Staging one feed, and judging by its figures whether it may go on. */
import { type ClaimFeed, type FeedFile, fileDigest, type ScoreFeed } from '../../corpus/feeds/feed.ts'
import type { FeedFileState, FeedSkips, FeedState } from '../../corpus/store/state.ts'
import { IngestError } from './error.ts'
import type { FeedReport } from './report.ts'
import { type FeedSource, named } from './sources.ts'
import type { Workspace } from './workspace.ts'

/** A feed that lost a larger share of its records than this is taken for damaged. */
const MAX_LOSS = 0.1

/** Names by reason, in the order of first appearance. */
type Named = Map<string, { key: string; detail: string }[]>

/** Reads a feed, where its files are not the very ones that the corpus was made from. */
export async function stageFeed(
  { feed, files }: FeedSource,
  previous: FeedState | null,
  workspace: Workspace,
): Promise<FeedReport> {
  const base = { name: feed.name, title: feed.title, added: 0, changed: 0, removed: 0, held: 0, notes: [] }
  if (files.length === 0) {
    const { version = null, date = null, files: had = [], records = 0 } = previous ?? {}
    return { ...base, status: 'absent', version, date, files: had, read: 0, kept: records, skipped: [] }
  }
  const states = files.map(fileState)
  const newest = files.at(-1)!
  if (previous && isSame(previous, feed.adapter, states)) {
    const { version, date, reading } = previous
    return { ...base, status: 'unchanged', version, date, files: previous.files, ...reading }
  }
  try {
    const figures = await (feed.kind === 'claims'
      ? stageClaims(feed, files, workspace)
      : stageScores(feed, newest, workspace))
    return { ...base, status: 'read', version: newest.version, date: newest.date, files: states, ...figures }
  } catch (cause) {
    throw named(feed, cause)
  }
}

function fileState(file: FeedFile): FeedFileState {
  return { path: file.name, ...(file.folder ? { bytes: null, sha256: null } : fileDigest(file.path)) }
}

function isSame(previous: FeedState, adapter: number, files: FeedFileState[]): boolean {
  return (
    previous.adapter === adapter &&
    previous.files.length === files.length &&
    files.every(({ sha256 }, i) => sha256 !== null && sha256 === previous.files[i]!.sha256)
  )
}

type Figures = Pick<FeedReport, 'read' | 'kept' | 'added' | 'changed' | 'removed' | 'held' | 'skipped' | 'notes'>

async function stageClaims(feed: ClaimFeed, files: FeedFile[], { staging, spill }: Workspace): Promise<Figures> {
  const skipped: Named = new Map()
  const notes: Named = new Map()
  const toHold: string[] = []
  let read = 0
  const known = (item: string, digest: Uint8Array) => staging.known(feed.name, item, digest)
  for (const [index, file] of files.entries()) {
    for await (const item of feed.read(file, { known, spill })) {
      read++
      if (item.kind === 'skip') {
        add(skipped, item.reason, item.key, item.detail)
        toHold.push(item.key)
        continue
      }
      const { key, cveId, digest } = item
      const isClaim = item.kind === 'claim'
      const staged = {
        feed: feed.name,
        item: key,
        cveId,
        digest,
        statedAt: isClaim ? item.statedAt : null,
        file: index,
      }
      const outcome = staging.claim(staged, isClaim ? JSON.stringify(item.claim) : null)
      if (isClaim) for (const note of item.notes) add(notes, note.code, key, note.detail)
      if (outcome === 'replaces-same-file') add(skipped, 'duplicate', key, `a later one in ${file.name} counts`)
      if (outcome === 'replaces-older-file') add(skipped, 'superseded', key, `${file.name} has a newer one`)
      if (outcome === 'older') add(skipped, 'superseded', key, `an older one in ${file.name}`)
    }
  }
  // What cannot be read today is no reason to forget what it said yesterday.
  const held = toHold.filter((key) => staging.hold(feed.name, key)).length
  return { read, ...staging.claimCounts(feed.name), held, skipped: listed(skipped), notes: listed(notes) }
}

async function stageScores(feed: ScoreFeed, file: FeedFile, { staging }: Workspace): Promise<Figures> {
  const skipped: Named = new Map()
  let read = 0
  for (const item of feed.read(file)) {
    read++
    if (item.kind === 'skip') add(skipped, item.reason, item.key, item.detail)
    else if (!staging.score(item)) add(skipped, 'duplicate', item.cveId, `a later line in ${file.name} counts`)
  }
  return { read, ...staging.scoreCounts(), held: 0, skipped: listed(skipped), notes: [] }
}

function add(to: Named, reason: string, key: string, detail: string): void {
  const items = to.get(reason)
  if (items) items.push({ key, detail })
  else to.set(reason, [{ key, detail }])
}

function listed(all: Named): FeedSkips[] {
  return [...all].map(([reason, items]) => ({ reason, items }))
}

/** Refuses a feed that is empty or lost more than a tenth of its records, each feed by itself (DESIGN, Corpus). */
export function judgeFeed(
  report: FeedReport,
  required: boolean,
  previous: FeedState | null,
  acceptShrink: boolean,
): void {
  if (report.status !== 'read') return
  const { title, kept, read, removed, held } = report
  if (kept === 0 && (required || !acceptShrink)) {
    const had = previous ? `; the corpus has ${previous.records}` : ''
    const remedy = required ? '' : ' (--accept-shrink takes it as it is)'
    throw new IngestError('feed-empty', `${title}: no usable record among the ${read} read${had}${remedy}`)
  }
  const lost = removed + held
  if (previous && lost > MAX_LOSS * previous.records && !acceptShrink) {
    const share = ((100 * lost) / previous.records).toFixed(1)
    const what = `${lost} of the corpus's ${previous.records} records (${share} %) are missing or unreadable`
    throw new IngestError('feed-shrank', `${title}: ${what}, more than 10 %; --accept-shrink takes it as it is`)
  }
}
