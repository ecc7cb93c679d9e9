/**
 * The snapshots that `/changes` can compare, by ranges: compares two by the shards whose digests differ, block by block up
 * to the end of a page. Each change is checked against the members of both.
 */
import type { ChangeRow, Comparison, History } from '../answers/context.ts'
import { ApiError } from '../answers/errors.ts'
import type { SnapshotChoice } from '../answers/parameters/ids.ts'
import { assertOrder, type End, endGone, isFullId, selectedId } from '../answers/snapshot-choice.ts'
import { type CveId, compareCveIds, cveBlock, firstOfBlock } from '../model/ids/cve-id.ts'
import { generationalCache } from '../runtime/generational-cache.ts'
import { awaited } from '../runtime/steps.ts'
import {
  type BlockChange,
  changeOf,
  changesInBlock,
  decodeMemberHead,
  type FileEntry,
  factsOfChange,
  type IndexBlock,
  indexBlocks,
  type Manifest,
  type ReadMember,
  SnapshotError,
  type SnapshotSummary,
  type SourcedBlock,
  type SourcedRow,
  sourcedBlock,
} from '../snapshot/index.ts'
import { openIndexBlocks } from '../snapshot/ranges/index-blocks.ts'
import type { Lineage, Link } from '../snapshot/ranges/lineage.ts'
import { openTables } from '../snapshot/ranges/tables.ts'
import type { Objects } from './objects.ts'

/** Blocks that are compared at once. */
const BLOCKS_AT_ONCE = 16
/** The head of a member of a CVE is shorter. */
const HEAD_BYTES = 1024
/** Cached changes: pages begin in the block of the previous one. */
const CHANGES_KEPT = 20_000
export function readerHistory(lineage: Lineage, objects: Objects): History {
  const compared = generationalCache<string, BlockChange[]>(CHANGES_KEPT, (changes) => changes.length + 1)

  /** Reads the available snapshots, newest first, until `isEnough`, and the fault that hides the ones before them. */
  async function available(isEnough: (rows: readonly SnapshotSummary[]) => boolean) {
    const rows: SnapshotSummary[] = []
    for (let nights = 0; !isEnough(rows); nights++) {
      const link = await faultOr(lineage.at(nights))
      if (link instanceof SnapshotError) return { rows, damage: link }
      if (!link) break
      if (nights === 0 || (await lineage.isReadable(link))) rows.push(link.summary)
    }
    return { rows, damage: null }
  }

  async function snapshots(current: string, before: number | null, most: number) {
    const isBefore = ({ created_at: at }: SnapshotSummary) => before === null || Date.parse(at) < before
    const { rows } = await available((rows) => rows.filter(isBefore).length >= most)
    // Cursors continue in the opened snapshot only.
    return rows.filter(isBefore).map((row) => ({ ...row, retained: row.id === current }))
  }

  async function resolved(choice: SnapshotChoice, parameter: string): Promise<string> {
    // A prefix could be one of several ids, so it needs all of them.
    const isEnough = (rows: readonly SnapshotSummary[]) =>
      typeof choice !== 'string' && rows.some(({ created_at: at }) => Date.parse(at) <= choice.ms)
    const { rows, damage } = await available(isEnough)
    try {
      return selectedId(choice, parameter, rows)
    } catch (error) {
      throw damage && error instanceof ApiError && error.code === 'gone' ? damage : error
    }
  }

  async function linkOf(id: string, end: End): Promise<Link> {
    for (let nights = 0; ; nights++) {
      const link = await lineage.at(nights)
      if (!link) throw endGone(end)
      if (link.summary.id === id) return link
    }
  }

  async function comparison(since: string, until: string): Promise<Comparison> {
    const [old, now] = [await linkOf(since, 'since'), await linkOf(until, 'until')]
    assertOrder(timeOf(old), timeOf(now))
    const pair = openPair(await ofEnd('since', old.manifest()), await ofEnd('until', now.manifest()), objects)
    if (pair.blocks.length === 0) {
      if (!(await lineage.isReadable(old))) throw endGone('since')
      if (!(await lineage.isReadable(now))) throw endGone('until')
    }
    async function page(after: CveId | null, limit: number, hasFacts: boolean) {
      // One more shows whether another page follows.
      const found = await firstChanges(pair, after, limit + 1)
      return { changes: await pair.rowsOf(found.slice(0, limit), hasFacts), more: found.length > limit }
    }
    return {
      *after(id, limit, hasFacts) {
        return yield* awaited(page(id, limit, hasFacts))
      },
      *count() {
        return (yield* awaited(firstChanges(pair, null, Number.POSITIVE_INFINITY))).length
      },
    }
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

  return {
    *snapshots({ id }, before, most) {
      return yield* awaited(snapshots(id, before, most))
    },
    *resolve(choice, parameter) {
      return isFullId(choice) ? choice : yield* awaited(resolved(choice, parameter))
    },
    *compare(_snapshot, since, until) {
      return yield* awaited(comparison(since, until))
    },
  }
}

const timeOf = ({ summary: { id, created_at } }: Link) => ({ id, createdAt: Date.parse(created_at) })

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
  rowsOf(changes: readonly FoundChange[], hasFacts: boolean): Promise<ChangeRow[]>
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
  const endOf = { old: 'since', now: 'until' } as const
  const tables = openTables(objects)
  const indexes = { old: openIndexBlocks(before, tables), now: openIndexBlocks(after, tables) }

  async function slicesOf(side: 'old' | 'now', of: readonly ChangedBlock[]): Promise<(SourcedBlock | null)[]> {
    const known = of.filter((block) => block[side])
    const rows = await ofEnd(
      endOf[side],
      indexes[side].read(
        known.map((block) => block[side]!),
        ['numberLow', 'sources'],
      ),
    )
    const byBlock = new Map(known.map((block, i) => [block, sourcedBlock(block[side]!, rows[i]!)]))
    return of.map((block) => byBlock.get(block) ?? null)
  }

  /** Returns members, or their heads alone, after checking that they are those of the rows. */
  async function membersOf(
    side: 'old' | 'now',
    changes: readonly FoundChange[],
    areWhole: boolean,
  ): Promise<(ReadMember | null)[]> {
    const members: (ReadMember | null)[] = changes.map(() => null)
    const wanted = changes.flatMap(({ block, change }, i) => {
      const row = change[side]
      return row ? [{ i, row, shard: block[side]!.shard }] : []
    })
    const readAll = async (some: typeof wanted, shard: FileEntry) => {
      const spans = some.map(({ row: { at, length } }) => ({
        at,
        length: areWhole ? length : Math.min(length, HEAD_BYTES),
      }))
      const parts = await ofEnd(endOf[side], objects.parts(shard, spans))
      for (const [n, { i, row }] of some.entries()) members[i] = checkedMember(parts[n]!, row)
    }
    const byShard = Map.groupBy(wanted, ({ shard }) => shard)
    await Promise.all(Array.from(byShard, ([shard, some]) => readAll(some, shard)))
    return members
  }

  return {
    blocks,
    async compare(of) {
      const [old, now] = await Promise.all([slicesOf('old', of), slicesOf('now', of)])
      return of.map((_, i) => changesInBlock(old[i]!, now[i]!))
    },
    async rowsOf(changes, hasFacts) {
      const [old, now] = await Promise.all([membersOf('old', changes, hasFacts), membersOf('now', changes, hasFacts)])
      return changes.map(({ change: { id } }, i) => ({
        ...changeOf(id, old[i]!, now[i]!),
        ...(hasFacts ? factsOfChange(old[i]!, now[i]!) : {}),
      }))
    },
  }
}

function checkedMember(bytes: Buffer, { id, source }: SourcedRow): ReadMember {
  const head = decodeMemberHead(bytes)
  if (head.key === id && Buffer.from(head.source).compare(source) === 0) return { ...head, bytes }
  throw new SnapshotError('malformed', `the index differs from the member of ${id}`)
}

/** Files of an earlier snapshot can be removed at any time. @throws ApiError `gone` */
async function ofEnd<T>(end: End, reading: Promise<T>): Promise<T> {
  const value = await faultOr(reading)
  if (!(value instanceof SnapshotError)) return value
  throw value.code === 'missing' ? endGone(end) : value
}

/** Returns the value, or the fault of the repository. */
async function faultOr<T>(reading: Promise<T>): Promise<T | SnapshotError> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof SnapshotError) return error
    throw error
  }
}
