/** An open snapshot: small tables in memory, everything else in open files that stay readable after `prune`. */
import { readSync } from 'node:fs'
import { crc32 } from '../../runtime/crc32.ts'
import type { Steps } from '../../runtime/steps.ts'
import {
  aliasesFile,
  byStoredSort,
  CORE,
  CORE_NUMBERS,
  checkObject,
  coreEnd,
  decodeMemberHead,
  type FileEntry,
  fileOf,
  HASHED_ROLES,
  type HashedRole,
  hashedFiles,
  historyFiles,
  idAt,
  LEFT_OUT,
  type Manifest,
  type MemberHead,
  type OpenObject,
  objectPath,
  openObject,
  pageKey,
  type ReadMember,
  ROWS_KIND,
  SNAPSHOT_PREFIX_LENGTH,
  type SnapshotData,
  SnapshotError,
  type SplicedSegment,
  type StoredSort,
  spliced,
  type TextData,
} from '../index.ts'
import { type Ancestors, openAncestors } from './ancestors.ts'
import { memoryCves } from './cves.ts'
import { memoryLists } from './lists.ts'
import { namedPostings, type OpenLists, openLists } from './open-lists.ts'
import { memoryPackages, type OpenPackages, openPackages } from './open-packages.ts'
import type { RowStore } from './row-store.ts'
import { readTables, type SnapshotTables } from './tables.ts'

export interface OpenSnapshot
  extends Omit<SnapshotTables, 'lists' | 'listPostings' | 'packageTables' | 'stats' | 'reportTypes'>,
    SnapshotData {
  id: string
  /** Its name in cursors. */
  prefix: string
  createdAt: number
  /** In ms since 1970. Feeds without a date are not in it. */
  feedDates: ReadonlyMap<string, number>
  openLists: OpenLists
  openPackages: OpenPackages
  ancestors: Ancestors
  /** By id block. */
  epssHistory: ReadonlyMap<string, OpenObject>
  query: { path: string; file: FileEntry }
  member(row: number): ReadMember
  /**
   * Reads the core segment of a row to `at` in `out`.
   * @throws SnapshotError `digest` if the bytes are damaged, `left_out`
   */
  readCore(row: number, out: Buffer, at: number): void
  /** Whether a partial mirror does not have the record of a row. */
  isLeftOut(row: number): boolean
  head(row: number): MemberHead
  /** In the order of `rows`. */
  heads(rows: readonly number[]): MemberHead[]
  /** Returns the segments of a page, checked. */
  page(sort: StoredSort, page: number): readonly SplicedSegment[]
  /** All rows in memory; null if they do not fit, or while a newer snapshot is served. */
  rows: RowStore | null
  /** Pages of the default order in memory; null as `rows`. */
  pages: (readonly SplicedSegment[])[] | null
  close(): void
}

/**
 * Checks the digests of all data in memory. Also checks `query.db`, unless the caller is going to check every file
 * anyway, without blocking.
 * @throws SnapshotError
 */
export function openSnapshot(dist: string, manifest: Manifest, { checkQuery = true } = {}): OpenSnapshot {
  const tables = readTables(dist, manifest)
  // Its rows have their own digests, but a damaged tree would show only at the first queries.
  if (checkQuery) checkObject(dist, fileOf(manifest, 'query'))
  return openTables(dist, tables)
}

/** @throws SnapshotError */
export function openTables(dist: string, tables: SnapshotTables): OpenSnapshot {
  const opening = openFiles(dist, tables)
  for (;;) {
    const step = opening.next()
    if (step.done) return step.value
  }
}

/** Other work runs in between. Aborts if `stop` returns true. */
export async function openTablesInTurns(
  dist: string,
  tables: SnapshotTables,
  stop: () => boolean,
): Promise<OpenSnapshot> {
  const opening = openFiles(dist, tables)
  for (;;) {
    const step = opening.next()
    if (step.done) return step.value
    await new Promise((resolve) => setImmediate(resolve))
    if (stop()) opening.throw(new Error('the gateway is closing'))
  }
}

/** Files per turn: opening one takes about 10 µs, and there are several hundred. */
const FILES_IN_A_TURN = 64

function* openFiles(dist: string, tables: SnapshotTables): Generator<void, OpenSnapshot> {
  const { manifest, index, packageTables } = tables
  const opened: OpenObject[] = []
  const open = (file: FileEntry) => {
    const object = openObject(dist, file)
    opened.push(object)
    return object
  }
  const close = () => {
    for (const object of opened.splice(0)) object.close()
  }
  try {
    const fileOfShard = new Map(manifest.files.filter(({ role }) => role === 'cve').map((file) => [file.name, file]))
    const shards: OpenObject[] = []
    for (const name of index.shards) {
      shards.push(open(fileOfShard.get(name) ?? fileOf(manifest, 'cve', name)))
      if (shards.length % FILES_IN_A_TURN === 0) yield
    }
    const hashed: Record<HashedRole, OpenObject[]> = { advisories: [], packages: [] }
    for (const role of HASHED_ROLES) {
      for (const file of hashedFiles(manifest.files, role)) {
        hashed[role].push(open(file))
        if (hashed[role].length % FILES_IN_A_TURN === 0) yield
      }
    }
    const epssHistory = new Map<string, OpenObject>()
    for (const [block, file] of historyFiles(manifest)) {
      epssHistory.set(block, open(file))
      if (epssHistory.size % FILES_IN_A_TURN === 0) yield
    }
    const pages = byStoredSort((sort) => open(fileOf(manifest, 'pages', sort)))
    const lists = openLists(manifest, tables.lists, open)
    const aliases = aliasesFile(manifest)
    const packages = openPackages(packageTables, hashed, aliases && open(aliases), tables.about)
    const postingFile = open(fileOf(manifest, 'columns', 'lists'))
    const { columns, listPostings } = tables
    const { stats, reportTypes } = tables
    const parts: Omit<OpenSnapshot, 'cves'> = {
      ...opening(dist, tables, shards, pages),
      columns: { ...columns, ...namedPostings(listPostings, lists, postingFile, columns.count) },
      epssHistory,
      openLists: lists,
      openPackages: packages,
      *stats() {
        return stats
      },
      *reportTypes() {
        return reportTypes
      },
      lists: memoryLists(lists),
      packages: memoryPackages(packages),
      texts: NO_TEXTS,
      close,
    }
    const snapshot = parts as OpenSnapshot
    // They read rows and pages, which the snapshot gets later. Object.assign would make all its properties slow.
    snapshot.cves = memoryCves(snapshot)
    return snapshot
  } catch (error) {
    close()
    throw error
  }
}

function opening(
  dist: string,
  tables: SnapshotTables,
  shards: readonly OpenObject[],
  pages: Record<StoredSort, OpenObject>,
): Omit<
  OpenSnapshot,
  | 'columns'
  | 'epssHistory'
  | 'openLists'
  | 'openPackages'
  | 'stats'
  | 'reportTypes'
  | 'cves'
  | 'lists'
  | 'packages'
  | 'texts'
  | 'close'
> {
  const { manifest, index, orders } = tables
  const query = fileOf(manifest, 'query')
  const read = (object: OpenObject, at: number, length: number): ReadMember => {
    const bytes = object.read(at, length)
    return { ...decodeMemberHead(bytes), bytes }
  }
  const head = (row: number) => decodeMemberHead(shards[index.shard[row]!]!.read(index.at[row]!, coreEnd(index, row)))
  const { coreSegments } = index
  // One array: each row is in another shard, and separate objects would cost a cache miss each.
  const fds = Int32Array.from(shards, ({ fd }) => fd)
  const isLeftOut = (row: number) => fds[index.shard[row]!] === LEFT_OUT
  return {
    ...tables,
    id: manifest.snapshot,
    prefix: manifest.snapshot.slice(0, SNAPSHOT_PREFIX_LENGTH),
    createdAt: Date.parse(manifest.created_at),
    feedDates: new Map(
      Object.entries(tables.about.feeds).flatMap(([name, { updated_at }]) =>
        updated_at === null ? [] : [[name, Date.parse(updated_at)] as const],
      ),
    ),
    ancestors: openAncestors(dist, manifest),
    query: { path: objectPath(dist, query.sha256), file: query },
    member: (row) => read(shards[index.shard[row]!]!, index.at[row]!, index.length[row]!),
    readCore(row, out, at) {
      const core = row * CORE_NUMBERS
      const length = coreSegments[core + CORE.length]!
      if (isLeftOut(row)) shards[index.shard[row]!]!.read(0, length)
      const read = readSync(fds[index.shard[row]!]!, out, at, length, coreSegments[core + CORE.at]!)
      if (read !== length || crc32(out.subarray(at, at + length)) !== coreSegments[core + CORE.storedCrc]) {
        throw new SnapshotError('digest', `the core of ${idAt(index, row)} is damaged`)
      }
    },
    isLeftOut,
    head,
    heads: (rows) => rows.map(head),
    page(sort, page) {
      const { pagesAt } = orders[sort]
      const at = pagesAt[page]
      if (at === undefined)
        throw new SnapshotError('malformed', `the CVE list has no page ${page} in sort order ${sort}`)
      const member = read(pages[sort], at, (pagesAt[page + 1] ?? pages[sort].size) - at)
      if (member.key !== pageKey(page) || member.segments.some(({ kind }) => kind !== ROWS_KIND)) {
        throw new SnapshotError('malformed', `sort order ${sort} points to ${member.key} for page ${page}`)
      }
      return member.segments.map((segment) => spliced(member, segment))
    },
    rows: null,
    pages: null,
  }
}

/** The caller provides the text search. */
const NO_TEXTS: TextData = {
  matches: () => noSearch(),
  firstMatches: () => noSearch(),
  countMatches: () => noSearch(),
  search: () => noSearch(),
  suggest: () => noSearch(),
}

function* noSearch(): Steps<never> {
  throw new TypeError('the snapshot was opened without text search')
}
