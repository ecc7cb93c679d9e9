/**
 * Reads a snapshot without a gateway, from a folder or any web server. Records, pages and walks are the same as the
 * API's. This is the library's entry point, `vulnshelf/reader`.
 */

import { parseCveId } from '../model/ids/cve-id.ts'
import { memberOf } from '../model/values/closed-set.ts'
import { openSource, type Source } from '../repository/source.ts'
import {
  type About,
  type CveSort,
  cursorAfter,
  DEFAULT_SECTIONS,
  decodeMemberHead,
  epssAt,
  findRow,
  firstPassing,
  isCveKey,
  orderView,
  ROWS_PER_PAGE,
  recordPieces,
  resume,
  SECTION_NAMES,
  type Section,
  SnapshotError,
  splicePlain,
  type TrustedKey,
} from '../snapshot/index.ts'
import { TransferError } from '../transfer/error.ts'
import { type NetworkEffects, realNetworkEffects } from '../transfer/network.ts'
import { openNamePostings } from './name-postings.ts'
import { openObjects } from './objects.ts'
import { openCurrent } from './open.ts'
import { assertKnown, type CveListOptions, type CveWalkOptions, readList, readWalk } from './query.ts'
import type { CveDetail, CvePage, CveSummary } from './record.ts'
import { openRows, parsedJson, type Rows } from './rows.ts'

export type { Severity } from '../model/record.ts'
export {
  CursorError,
  KeyError,
  readKeySetFile,
  type Section,
  SnapshotError,
  type TrustedKey,
} from '../snapshot/index.ts'
export type { CveFilterOptions, CveListOptions, CveWalkOptions } from './query.ts'
export type * from './record.ts'
export { TransferError }

export interface ReaderOptions {
  /**
   * Trusted keys. One of them must have signed the pointer, and its signature must not have expired.
   * With keys, every byte is verified: files are checked against their digests completely before parts of them are
   * read. Files from a URL are copied to a temporary folder until `close`.
   * Without keys, digests and CRCs detect damage but not forgery.
   */
  keys?: readonly TrustedKey[] | undefined
  /** Requests, clock and timers. Default: the real ones. */
  effects?: NetworkEffects | undefined
}

export interface ReadOptions<S extends Section> {
  /** The sections in addition to the core. Default: `cvss` and `epss`. */
  include?: readonly S[] | undefined
}

export interface Reader {
  /** The opened snapshot, as `/snapshot` returns it. It does not change when a newer one is published. */
  readonly snapshot: {
    id: string
    created_at: string
    parent: string | null
    /** Number of entries by kind: `cves`, `cwes` and so on. */
    counts: About['counts']
    /** The source feeds, with their dates and licences. */
    feeds: About['feeds']
    epss_date: string | null
  }
  /**
   * Returns the record of a CVE as `/cves/{cveId}` does. Null if there is none or it was rejected.
   * @throws TypeError, SnapshotError, TransferError
   */
  get<S extends Section = (typeof DEFAULT_SECTIONS)[number]>(
    cveId: string,
    options?: ReadOptions<S>,
  ): Promise<CveDetail<S> | null>
  /**
   * Returns a page as `/cves` does.
   * @throws TypeError, CursorError, SnapshotError, TransferError
   */
  list(options?: CveListOptions): Promise<CvePage>
  /**
   * Returns all matching rows in order. Invalid options throw immediately; read errors throw when the walk reaches
   * them.
   * @throws TypeError, SnapshotError, TransferError
   */
  walk(options?: CveWalkOptions): AsyncGenerator<CveSummary, void, undefined>
  close(): Promise<void>
}

/**
 * Opens the current snapshot of a repository: the path of a folder or bundle, or an address with `http://`, `https://`,
 * `s3://` or `file://`. Every byte is checked against a digest or a CRC that the pointer leads to.
 * @throws TypeError, SnapshotError, TransferError
 */
export async function openReader(address: string | URL, options: ReaderOptions = {}): Promise<Reader> {
  assertKnown(['keys', 'effects'], options)
  if (options.keys !== undefined && !Array.isArray(options.keys)) {
    throw new TypeError("option 'keys' must be public keys that `readKeySetFile` returned")
  }
  if (address === undefined || address === '')
    throw new TypeError('the address of the repository is missing; pass a URL or a path')
  const { keys = null } = options
  const network = options.effects ? { effects: options.effects, close: async () => {} } : realNetworkEffects()
  // A library logs nothing.
  const effects = { ...network.effects, log() {} }
  const objects = openObjects(sourceAt(String(address), effects), effects, { proven: keys !== null })
  const close = async () => {
    await objects.close()
    await network.close()
  }
  try {
    const snapshot = await openCurrent(objects, { keys, now: effects.now() })
    const { index, epss, shards, manifest, about } = snapshot
    const rows = openRows(snapshot, objects)
    const names = openNamePostings(snapshot, objects)
    const open = { current: snapshot, retained: (prefix: string) => (prefix === snapshot.prefix ? snapshot : null) }
    return {
      snapshot: {
        id: manifest.snapshot,
        created_at: manifest.created_at,
        parent: manifest.parent?.snapshot ?? null,
        counts: about.counts,
        feeds: about.feeds,
        epss_date: about.epss_date,
      },

      async get<S extends Section>(cveId: string, options: ReadOptions<S> = {}) {
        assertKnown(['include'], options)
        const { include } = options
        const id = parseCveId(cveId)
        if (id === null) throw new TypeError(`'${cveId}' is not a CVE id such as CVE-2024-3400`)
        const sections = sectionsOf(include ?? DEFAULT_SECTIONS)
        const row = findRow(index, id)
        if (row < 0) return null
        const span = { at: index.at[row]!, length: index.length[row]! }
        const bytes = (await objects.parts(shards[index.shard[row]!]!, [span]))[0]!
        const member = { ...decodeMemberHead(bytes), bytes }
        if (member.key !== id) throw new SnapshotError('malformed', `the index points to ${member.key} for ${id}`)
        const text = splicePlain(recordPieces(member, epssAt(epss, row), sections)).toString()
        return parsedJson(text) as CveDetail<S>
      },

      async list(options = {}) {
        const { sort, filters, limit, cursor } = readList(options)
        const binding = { list: 'cves', sort, filters }
        const { after } = resume(open, cursor, binding, isCveKey)
        await names.load(filters)
        const order = orderView(snapshot, sort.key, sort.descending)
        const start = after ? order.positionAfter(after) : 0
        // One row more than requested shows whether another page follows (rule 8).
        const found = firstPassing(snapshot, filters, null, { order, start, most: limit + 1 })
        const ordinals = found.slice(0, limit)
        const last = ordinals.at(-1)
        const more = found.length > limit && last !== undefined
        return {
          data: await rows.of(sort.key, ordinals),
          pagination: { limit, next_cursor: more ? cursorAfter(snapshot, binding, order.keyOf(last)) : null },
        }
      },

      walk(options = {}) {
        const { sort, filters } = readWalk(options)
        const order = orderView(snapshot, sort.key, sort.descending)
        const passing = { order, start: 0, most: order.count }
        return walkOf(rows, sort.key, async () => {
          await names.load(filters)
          return firstPassing(snapshot, filters, null, passing)
        })
      },

      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** @throws TypeError for an invalid address, TransferError `unusable` for a file that is no bundle */
function sourceAt(address: string, effects: NetworkEffects): Source {
  try {
    return openSource(address, effects)
  } catch (error) {
    throw error instanceof TransferError && error.code === 'usage' ? new TypeError(error.message) : error
  }
}

/**
 * Returns the sections in answer order, without repeats.
 * @throws TypeError for an unknown section
 */
function sectionsOf(include: readonly string[]): Section[] {
  if (!Array.isArray(include)) throw new TypeError(`option 'include' must be an array of ${SECTION_NAMES.join(', ')}`)
  const given = include.map((name) => {
    const section = memberOf(SECTION_NAMES, String(name))
    if (section === null)
      throw new TypeError(
        `option 'include' has an unknown section '${name}'; known sections are ${SECTION_NAMES.join(', ')}`,
      )
    return section
  })
  return SECTION_NAMES.filter((section) => given.includes(section))
}

/** Rows per read: one page. */
const BATCH_ROWS = ROWS_PER_PAGE
/** Maximum batches that are prefetched. The number grows by one with each consumed batch. */
const BATCHES_AHEAD = 3

async function* walkOf(rows: Rows, sort: CveSort, find: () => Promise<readonly number[]>) {
  const ordinals = await find()
  const coming: Promise<CveSummary[]>[] = []
  let next = 0
  for (let taken = 0; ; taken++) {
    while (coming.length <= Math.min(taken, BATCHES_AHEAD) && next < ordinals.length) {
      const batch = rows.of(sort, ordinals.slice(next, next + BATCH_ROWS))
      // The error is thrown when the walk reaches this batch. A walk may end before that.
      batch.catch(() => undefined)
      coming.push(batch)
      next += BATCH_ROWS
    }
    const batch = coming.shift()
    if (!batch) return
    yield* await batch
  }
}
