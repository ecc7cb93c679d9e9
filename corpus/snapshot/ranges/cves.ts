/** The CVEs of a snapshot by ranges. */
import type { Rejection } from '../../model/claim.ts'
import type { Edition } from '../../model/epss/changes.ts'
import type { EpssPoint } from '../../model/epss/history.ts'
import { type CveId, cveBlock } from '../../model/ids/cve-id.ts'
import type { CveFacts } from '../../model/packages/affected-row.ts'
import { generationalCache } from '../../runtime/generational-cache.ts'
import { remembered } from '../../runtime/remembered.ts'
import { awaited } from '../../runtime/steps.ts'
import {
  type CveData,
  type CveSort,
  countCves,
  decodeEditions,
  decodeMemberHead,
  decodeRejected,
  type FoundCve,
  fileOf,
  gunzipFile,
  historyFiles,
  historyIn,
  idAt,
  isStored,
  type Manifest,
  ROWS_PER_PAGE,
  ROWS_PER_SEGMENT,
  type RowRun,
  SnapshotError,
} from '../index.ts'
import type { ChangeOrders } from './change-orders.ts'
import type { CveLookup, FoundCore } from './cve-lookup.ts'
import type { FilterTables } from './cve-tables.ts'
import type { FileParts } from './file-parts.ts'
import type { CveRow, Rows } from './rows.ts'
import type { StoredOrders } from './stored-orders.ts'

/** Cache size for members. A program often reads several parts of one CVE. */
const MEMBERS_BYTES = 4 * 1024 * 1024
/** Cache size of facts of CVEs. */
const FACTS_BYTES = 4 * 1024 * 1024
const BYTES_PER_CVE = 200
/** Members that are read together. */
const MEMBERS_AT_ONCE = 64

export interface CveReaders {
  files: FileParts
  lookup: CveLookup
  rows: Rows
  orders: StoredOrders
  changes: ChangeOrders
  tables: FilterTables
}

export function rangeCves(manifest: Manifest, { files, lookup, rows, orders, changes, tables }: CveReaders): CveData {
  const members = generationalCache<CveId, FoundCve>(MEMBERS_BYTES, ({ member }) => member.bytes.length)
  const coming = new Map<string, Promise<FoundCve | null>>()
  const facts = generationalCache<CveId, { cve: CveFacts | null }>(FACTS_BYTES, () => BYTES_PER_CVE)
  const editions = new Map<string, Promise<Edition[]>>()
  const rejections = new Map<string, Promise<Map<string, Rejection>>>()

  /** Concurrent callers share one download. */
  async function find(id: CveId): Promise<FoundCve | null> {
    const found = await remembered(coming, id, async () => {
      try {
        return (await lookup.members([id])).get(id) ?? null
      } finally {
        coming.delete(id)
      }
    })
    if (!found) return null
    // Copies the bytes: the part may be a view into a larger buffer.
    const bytes = Buffer.from(found.member.bytes)
    const own = { ...found, member: { ...decodeMemberHead(bytes), bytes } }
    members.set(id, own)
    return own
  }

  const histories = historyFiles(manifest)

  async function historyOf(id: CveId): Promise<EpssPoint[]> {
    const file = histories.get(cveBlock(id))
    return file ? historyIn(await files.whole(file), id) : []
  }

  const readEditions = async () =>
    decodeEditions(gunzipFile('epss-editions', await files.whole(fileOf(manifest, 'epss-editions'))))

  const readRejections = async () =>
    decodeRejected(gunzipFile('rejected', await files.whole(fileOf(manifest, 'rejected'))))

  async function factsOf(ids: readonly CveId[]): Promise<(id: CveId) => CveFacts | null> {
    const found = new Map(ids.map((id) => [id, facts.get(id)?.cve ?? null]))
    const unknown = ids.filter((id) => !facts.get(id))
    const cores = await lookup.cores(unknown)
    for (const id of unknown) {
      const cve = factsIn(cores.get(id))
      facts.set(id, { cve })
      found.set(id, cve)
    }
    return (id) => found.get(id) ?? null
  }

  const count = countCves(manifest)
  const positionsIn = (run: RowRun): readonly number[] => {
    if (!('page' in run)) return run.positions
    const from = run.page * ROWS_PER_PAGE + run.segment * ROWS_PER_SEGMENT
    return Array.from({ length: Math.min(ROWS_PER_SEGMENT, count - from) }, (_, i) => from + i)
  }

  /** With the tables, checks the ids of the rows, because an order may be wrong. */
  async function rowsAt(sort: CveSort, positions: readonly number[]): Promise<CveRow[]> {
    const { loaded } = tables
    if (!isStored(sort)) return changes.rows(sort, positions)
    if (!loaded) return orders.rows(sort, positions)
    const { ordinals, pagesAt } = loaded.orders[sort]
    const found = await rows.at(sort, pagesAt, positions)
    positions.forEach((position, i) => {
      const id = idAt(loaded.index, loaded.columns.row[ordinals[position]!]!)
      const { cve_id: other } = found[i]!
      if (other !== id) throw new SnapshotError('malformed', `the row of ${id} contains ${other ?? 'no id'}`)
    })
    return found
  }

  return {
    *find(id) {
      return members.get(id) ?? (yield* awaited(find(id)))
    },
    *epssHistory(id) {
      return yield* awaited(historyOf(id))
    },
    *epssEditions() {
      return yield* awaited(remembered(editions, '', readEditions))
    },
    *epssChanges(ids, days) {
      return yield* awaited(changes.changes(ids, days))
    },
    *rejection(id) {
      return (yield* awaited(remembered(rejections, '', readRejections))).get(id)
    },
    *facts(ids) {
      return yield* awaited(factsOf([...ids()]))
    },
    *tables(filters) {
      return yield* awaited(tables.for(filters))
    },
    *order(sort) {
      const { key, descending } = sort
      return yield* awaited(isStored(key) ? orders.order({ key, descending }) : changes.order(key, descending))
    },
    *pieces(sort, runs) {
      const positions = runs.flatMap(positionsIn)
      if (positions.length === 0) return []
      const found = yield* awaited(rowsAt(sort, positions))
      return [found.map((row) => JSON.stringify(row)).join(',')]
    },
    members: (ordinals, { index, columns }) => membersOf(Array.from(ordinals, (one) => idAt(index, columns.row[one]!))),
  }

  /** Reads the members of a batch when the first of them is asked for. */
  function* membersOf(ids: readonly CveId[]): ReturnType<CveData['members']> & Generator {
    for (let from = 0; from < ids.length; from += MEMBERS_AT_ONCE) {
      const batch = ids.slice(from, from + MEMBERS_AT_ONCE)
      const reading = new Map<string, ReturnType<CveLookup['members']>>()
      for (const id of batch) yield oneOf(() => remembered(reading, '', () => lookup.members(batch)), id)
    }
  }

  function* oneOf(read: () => ReturnType<CveLookup['members']>, id: CveId) {
    const found = (yield* awaited(read())).get(id)
    if (!found) throw new SnapshotError('malformed', `the index has no row of ${id}`)
    return { id, row: found.row, member: found.member }
  }
}

function factsIn(found: FoundCore | undefined): CveFacts | null {
  if (!found) return null
  const { severity, cvss_score, kev, has_exploit } = found.core
  return { severity, cvss_score, kev: kev.listed, has_exploit, epss: found.epss?.score ?? null }
}
