/**
 * Compares two snapshots by the shards whose digests differ, block by block up to the end of a page. No digest covers the
 * parts of the indexes, so each change is checked against the members of both snapshots.
 */
import { type CveId, compareCveIds, cveBlock, firstOfBlock } from '../model/ids/cve-id.ts'
import { DATE_BOUND_FORM, type DateBound } from '../model/values/date-bound.ts'
import { generationalCache } from '../runtime/generational-cache.ts'
import {
  type BlockChange,
  changeOf,
  changesInBlock,
  cursorAfter,
  cursorBinding,
  decodeMemberHead,
  type FileEntry,
  type IndexBlock,
  indexBlocks,
  isChangeKey,
  type Manifest,
  type MemberHead,
  type NamedSnapshot,
  type RecordChange,
  resume,
  SINCE_GONE,
  SnapshotError,
  type SourcedBlock,
  type SourcedRow,
} from '../snapshot/index.ts'
import { type IndexSlices, openIndexSlices } from './index-slices.ts'
import type { Lineage, Link, SnapshotSummary } from './lineage.ts'
import type { Objects } from './objects.ts'

/** A row of `/snapshots`. */
export interface SnapshotRow extends SnapshotSummary {
  /** Whether cursors of this snapshot continue in it: only of the current one. */
  retained: boolean
}

export type Change = RecordChange

/** The answer of `/changes`. */
export interface ChangePage {
  /** Full id of the snapshot that `since` selected. */
  since: string
  /** Id of the snapshot that is compared with `since`. */
  snapshot: string
  data: Change[]
  pagination: { limit: number; next_cursor: string | null }
}

/** The id of a snapshot, at least its first 7 digits, or a time. */
export type SnapshotChoice = string | DateBound

export interface ChangesQuery {
  since: SnapshotChoice
  until: SnapshotChoice | undefined
  limit: number
  cursor: string | undefined
}

/** Each method throws SnapshotError or TransferError. */
export interface Changes {
  /** @throws CursorError too; SnapshotError `missing` if the repository no longer has the snapshot */
  page(query: ChangesQuery): Promise<ChangePage>
  /** Returns the newest `limit` snapshots that `page` can compare, newest first. */
  snapshots(limit: number): Promise<SnapshotRow[]>
}

const BY_ID = { key: 'id', descending: false }
/** Blocks that are compared at once. */
const BLOCKS_AT_ONCE = 16
/** The head of a member of a CVE is shorter. */
const HEAD_BYTES = 1024
/** Cached changes: pages begin in the block of the previous one. */
const CHANGES_KEPT = 20_000
/** The first digits of a snapshot id that select it. */
const PREFIX = /^[0-9a-f]{7,64}$/
const ID_LENGTH = 64

/** The end of the message "must be …" for `since` and `until`. */
export const SNAPSHOT_CHOICE_FORM = `the id of a snapshot (64 hexadecimal digits, or its first 7 or more), ${DATE_BOUND_FORM} or a Date`

/** Returns the lower-case digits of an id or a prefix; null for another text. */
export const snapshotDigits = (text: string): string | null =>
  PREFIX.test(text.toLowerCase()) ? text.toLowerCase() : null

const REMEDY = '`snapshots()` lists the available ones. If yours is older, read all records again'

export function openChanges(current: NamedSnapshot, lineage: Lineage, objects: Objects): Changes {
  const compared = generationalCache<string, BlockChange[]>(CHANGES_KEPT, (changes) => changes.length + 1)

  /** Returns the newest snapshot that `choice` selects. */
  async function resolve(choice: SnapshotChoice): Promise<Link> {
    const isFull = typeof choice === 'string' && choice.length === ID_LENGTH
    for (let nights = 0; ; nights++) {
      const link = await lineage.at(nights)
      if (!link) throw new SnapshotError('missing', isFull ? SINCE_GONE : notKept(choice))
      const { id, created_at } = link.summary
      const isChosen = typeof choice === 'string' ? id.startsWith(choice) : Date.parse(created_at) <= choice.ms
      if (isChosen && (isFull || nights === 0 || (await lineage.isReadable(link)))) return link
    }
  }

  return {
    async page({ since, until, limit, cursor }) {
      const old = await resolve(since)
      const now = until === undefined ? (await lineage.at(0))! : await resolve(until)
      const isCurrent = now.summary.id === (await lineage.at(0))!.summary.id
      const ids = { since: old.summary.id, ...(isCurrent ? {} : { until: now.summary.id }) }
      const binding = cursorBinding('changes', BY_ID, ids)
      const open = { current, retained: (prefix: string) => (prefix === current.prefix ? current : null) }
      const { after } = resume(open, cursor, binding, isChangeKey)
      const answer = { since: old.summary.id, snapshot: now.summary.id }
      if (answer.since === answer.snapshot) return { ...answer, data: [], pagination: { limit, next_cursor: null } }
      const pair = openPair(await old.manifest(), await now.manifest(), objects)
      // One more shows whether another page follows.
      const found = await firstChanges(pair, after && (after.id as CveId), limit + 1)
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const more = found.length > limit && last !== undefined
      const next = more ? cursorAfter(current, binding, { value: null, id: last.change.id }) : null
      return { ...answer, data: await pair.rowsOf(page), pagination: { limit, next_cursor: next } }
    },

    async snapshots(limit) {
      const rows: SnapshotRow[] = []
      for (let nights = 0; rows.length < limit; nights++) {
        const link = await reachable(lineage.at(nights))
        if (!link) break
        const isThere = nights === 0 || (await lineage.isReadable(link))
        if (isThere) rows.push({ ...link.summary, retained: nights === 0 })
      }
      return rows
    },
  }

  async function firstChanges(pair: Pair, after: CveId | null, most: number): Promise<FoundChange[]> {
    const from = after === null ? null : firstOfBlock(cveBlock(after))
    const blocks = pair.blocks.filter(({ first }) => from === null || compareCveIds(first, from) >= 0)
    const found: FoundChange[] = []
    for (let at = 0; at < blocks.length && found.length < most; at += BLOCKS_AT_ONCE) {
      const some = blocks.slice(at, at + BLOCKS_AT_ONCE)
      const unknown = some.filter(({ key }) => !compared.get(key))
      const fresh = new Map((await pair.compare(unknown)).map((changes, i) => [unknown[i]!.key, changes]))
      for (const block of some) {
        const changes = fresh.get(block.key) ?? compared.get(block.key)!
        compared.set(block.key, changes)
        for (const change of changes) {
          if (after === null || compareCveIds(change.id, after) > 0) found.push({ block, change })
        }
      }
    }
    return found.slice(0, most)
  }
}

/** A block with different shards in two snapshots. */
interface ChangedBlock {
  /** Names the block and its shards. */
  key: string
  first: CveId
  old: IndexBlock | undefined
  now: IndexBlock | undefined
}

interface FoundChange {
  block: ChangedBlock
  change: BlockChange
}

interface Pair {
  /** Ascending. */
  blocks: ChangedBlock[]
  compare(blocks: readonly ChangedBlock[]): Promise<BlockChange[][]>
  rowsOf(changes: readonly FoundChange[]): Promise<Change[]>
}

function openPair(before: Manifest, after: Manifest, objects: Objects): Pair {
  const [oldBlocks, newBlocks] = [indexBlocks(before.files), indexBlocks(after.files)]
  const names = new Set([...oldBlocks.keys(), ...newBlocks.keys()])
  const blocks: ChangedBlock[] = []
  for (const name of names) {
    const [old, now] = [oldBlocks.get(name), newBlocks.get(name)]
    if (old?.shard.sha256 === now?.shard.sha256) continue
    blocks.push({ key: `${name} ${old?.shard.sha256} ${now?.shard.sha256}`, first: firstOfBlock(name), old, now })
  }
  blocks.sort((a, b) => compareCveIds(a.first, b.first))
  const slices: Record<'old' | 'now', IndexSlices> = {
    old: openIndexSlices(before, objects),
    now: openIndexSlices(after, objects),
  }

  async function slicesOf(side: 'old' | 'now', of: readonly ChangedBlock[]): Promise<(SourcedBlock | null)[]> {
    const known = of.filter((block) => block[side])
    const rows = await slices[side](known.map((block) => block[side]!))
    const byBlock = new Map(known.map((block, i) => [block, rows[i]!]))
    return of.map((block) => byBlock.get(block) ?? null)
  }

  /** Returns the heads of members, after checking that they are those of the rows. */
  async function headsOf(side: 'old' | 'now', changes: readonly FoundChange[]): Promise<(MemberHead | null)[]> {
    const heads: (MemberHead | null)[] = changes.map(() => null)
    const wanted = changes.flatMap(({ block, change }, i) => {
      const row = change[side]
      return row ? [{ i, row, shard: block[side]!.shard }] : []
    })
    const readHeads = async (some: typeof wanted, shard: FileEntry) => {
      const spans = some.map(({ row: { at, length } }) => ({ at, length: Math.min(length, HEAD_BYTES) }))
      const parts = await objects.parts(shard, spans)
      for (const [n, { i, row }] of some.entries()) heads[i] = checkedHead(parts[n]!, row)
    }
    const byShard = Map.groupBy(wanted, ({ shard }) => shard)
    await Promise.all(Array.from(byShard, ([shard, some]) => readHeads(some, shard)))
    return heads
  }

  return {
    blocks,
    async compare(of) {
      const [old, now] = await Promise.all([ofSince(slicesOf('old', of)), slicesOf('now', of)])
      return of.map((_, i) => changesInBlock(old[i]!, now[i]!))
    },
    async rowsOf(changes) {
      const [old, now] = await Promise.all([ofSince(headsOf('old', changes)), headsOf('now', changes)])
      return changes.map(({ change: { id } }, i) => changeOf(id, old[i]!, now[i]!))
    },
  }
}

function checkedHead(bytes: Buffer, { id, source }: SourcedRow): MemberHead {
  const head = decodeMemberHead(bytes)
  if (head.key === id && Buffer.from(head.source).compare(source) === 0) return head
  throw new SnapshotError('malformed', `the index differs from the member of ${id}`)
}

/** Files of the earlier snapshot can be removed at any time. */
async function ofSince<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof SnapshotError && error.code === 'missing') {
      throw new SnapshotError('missing', SINCE_GONE, { cause: error })
    }
    throw error
  }
}

/** Null for a damaged manifest: the snapshots before it cannot be reached. */
async function reachable(reading: Promise<Link | null>): Promise<Link | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof SnapshotError) return null
    throw error
  }
}

const notKept = (choice: SnapshotChoice) =>
  typeof choice === 'string'
    ? `no available snapshot has an id that begins with ${choice}; ${REMEDY}`
    : `no available snapshot was created at or before ${new Date(choice.ms).toISOString()}; ${REMEDY}`
