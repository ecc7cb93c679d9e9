/** Builds answers from planned pages of lists, and from catalog entries. */
import { gzipSync } from 'node:zlib'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import {
  ENTRY_KIND,
  LISTS,
  type ListName,
  type Piece,
  perSnapshot,
  plainBytes,
  type ReadMember,
  ROWS_KIND,
  ROWS_PER_PAGE,
  ROWS_PER_SEGMENT,
  SnapshotError,
  type SplicedSegment,
  spliced,
} from '../../corpus/snapshot/index.ts'
import { type Answer, jsonAnswer } from '../http/answer.ts'
import { SNAPSHOT_BYTES } from '../process/bounds.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'
import { NO_HEAD, pageHead, pageTail, splicedAnswer } from './cve-answer.ts'
import type { ListPagePlan } from './list-page.ts'

export interface ListShape {
  /** Members before `data`. */
  head?: object
  /** Default: rows are answered as stored. */
  row?: (row: never) => object
  /** Answers the catalog entries of the rows, which have more fields. */
  entries?: boolean
}

export function listPageAnswer(
  snapshot: OpenSnapshot,
  plan: ListPagePlan,
  { head = NO_HEAD, row, entries = false }: ListShape = {},
): Answer {
  if (plan.way === 'shard' && !row && !entries) {
    const runs = plan.segments.map(({ page, segment }) =>
      rowsSegment(snapshot.lists[plan.list].page(plan.sort, page), segment),
    )
    const pieces: Piece[] = [pageHead(head)]
    runs.forEach((run, i) => {
      if (i > 0) pieces.push(',')
      pieces.push(run)
    })
    pieces.push(pageTail(plan))
    return splicedAnswer(snapshot, 'shard', pieces)
  }
  const texts = plan.ordinals.map((ordinal) => {
    if (entries) return JSON.stringify(entryValue(snapshot.lists[plan.list].entry(ordinal)))
    const text = rowText(snapshot, plan.list, ordinal)
    return row ? JSON.stringify(row(JSON.parse(text) as never)) : text
  })
  const text = `${pageHead(head)}${texts.join(',')}${pageTail(plan)}`
  return { ...splicedAnswer(snapshot, plan.way, [text]), gzip: () => gzipSync(text, { level: GATHERED_LEVEL }) }
}

/** For 436 KB of attack patterns, level 1 gives 123 KB in 3 ms, level 6 gives 101 KB in 8 ms. */
const GATHERED_LEVEL = 1

function rowsSegment(member: ReadMember, at: number): SplicedSegment {
  const segment = member.segments[at]
  if (segment?.kind !== ROWS_KIND) throw new SnapshotError('malformed', `page ${member.key} has no segment ${at}`)
  return spliced(member, segment)
}

/** A run's overhead. Without the cache, each row would inflate its run again. */
const ENTRY_BYTES = 300

const runs = perSnapshot(() =>
  generationalCache<string, readonly string[]>(SNAPSHOT_BYTES.listRows, (texts) =>
    texts.reduce((bytes, text) => bytes + text.length * 2, ENTRY_BYTES),
  ),
)

/** The ordinal is the position in the list's main order. */
export function rowText(snapshot: OpenSnapshot, name: ListName, ordinal: number): string {
  const known = runs(snapshot)
  const run = Math.floor(ordinal / ROWS_PER_SEGMENT)
  const key = `${name} ${run}`
  let texts = known.get(key)
  if (!texts) {
    const position = run * ROWS_PER_SEGMENT
    const page = Math.floor(position / ROWS_PER_PAGE)
    const member = snapshot.lists[name].page(LISTS[name].main, page)
    const segment = member.segments[(position % ROWS_PER_PAGE) / ROWS_PER_SEGMENT]
    if (segment?.kind !== ROWS_KIND) throw new SnapshotError('malformed', `page ${page} of ${name} is too short`)
    const rows = JSON.parse(`[${plainBytes(member.bytes, segment).toString()}]`) as object[]
    texts = rows.map((row) => JSON.stringify(row))
    known.set(key, texts)
  }
  const text = texts[ordinal % ROWS_PER_SEGMENT]
  if (text === undefined) throw new SnapshotError('malformed', `${name} has no row ${ordinal}`)
  return text
}

export function entryAnswer(
  snapshot: OpenSnapshot,
  name: ListName,
  ordinal: number,
  fields?: readonly string[],
): Answer {
  const member = snapshot.lists[name].entry(ordinal)
  if (!fields) return splicedAnswer(snapshot, 'shard', [spliced(member, entrySegment(member))])
  const entry = entryValue(member)
  const chosen = Object.entries(entry).filter(([field]) => fields.includes(field))
  return jsonAnswer(Object.fromEntries(chosen), 'shard', snapshot.id)
}

export function entryValue(member: ReadMember): object {
  return JSON.parse(plainBytes(member.bytes, entrySegment(member)).toString()) as object
}

function entrySegment(member: ReadMember) {
  const [segment] = member.segments
  if (segment?.kind !== ENTRY_KIND) throw new SnapshotError('malformed', `${member.key} is not a catalog entry`)
  return segment
}
