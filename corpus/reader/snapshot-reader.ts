/** The methods of a reader, for any source. Uses no API of Node. */
import type { CnaStats } from '../model/directory.ts'
import { type CveId, parseCveId } from '../model/ids/cve-id.ts'
import type { AffectedRow } from '../model/packages/affected-row.ts'
import type { Stats } from '../model/stats.ts'
import { memberOf } from '../model/values/closed-set.ts'
import { generationalCache } from '../runtime/generational-cache.ts'
import {
  type About,
  type CveFilters,
  cursorAfter,
  cursorBinding,
  DEFAULT_SECTIONS,
  decodeMemberHead,
  decodeStats,
  fileOf,
  firstPassing,
  gunzipFile,
  isCveKey,
  type ListName,
  orderView,
  ROWS_PER_PAGE,
  recordPieces,
  resume,
  SECTION_NAMES,
  type Section,
  type Suggestion,
  splicePlain,
} from '../snapshot/index.ts'
import { openAliasLookup } from './alias-lookup.ts'
import { type ChangePage, openChanges, type SnapshotRow } from './changes.ts'
import { type CveLookup, openCveLookup } from './cve-lookup.ts'
import { openDocuments, type ReportOptions } from './documents.ts'
import { openEntries } from './entries.ts'
import { openHashedLookup } from './hashed-lookup.ts'
import { openLineage } from './lineage.ts'
import type { ListOptions } from './list-query.ts'
import type { CveAdvisory, CveReport, ListEntry, ListPage, ReportTypes } from './list-types.ts'
import { openLists } from './lists.ts'
import { type NamePostings, openNamePostings } from './name-postings.ts'
import { type Objects, remembered } from './objects.ts'
import { namedSnapshot, openCurrent, type ReadSnapshot, readTables, type Trust } from './open.ts'
import { openPackages, type PackageQuestion } from './packages.ts'
import {
  assertKnown,
  type ChangesOptions,
  type CveListOptions,
  type CveWalkOptions,
  readChanges,
  readList,
  readSearch,
  readSnapshots,
  readSuggest,
  readWalk,
  type SearchOptions,
  type SnapshotsOptions,
} from './query.ts'
import type { CveDetail, CvePage, CveSummary, OsvRecord } from './record.ts'
import { openRows, parsedJson, rowsOfOrdinals } from './rows.ts'
import { openHeaders } from './table-headers.ts'
import { openTextSearch, type SearchResults } from './text-search.ts'
import { openUnfiltered } from './unfiltered.ts'

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
   * The ecosystems that the snapshot has advisories of, ascending, without suffixes such as `:12`. For packages of others,
   * `affected` returns no rows, which does not mean that they are not affected.
   */
  readonly ecosystems: readonly string[]
  /** The releases of each distribution among them, such as `12` of Debian. The same is true for other releases. */
  readonly releases: Readonly<Record<string, readonly string[]>>
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
  /**
   * Returns the advisories that affect a version of a package or may affect it: all rows of `/affected`, in its order.
   * Without a version, every advisory of the package. No rows for an unknown package, or a purl of a type that is not
   * indexed (`ecosystems`).
   * @throws PurlError for a malformed purl, TypeError, SnapshotError, TransferError
   */
  affected(question: PackageQuestion): Promise<AffectedRow[]>
  /**
   * Returns an advisory as `/advisories/{advisoryId}` does: by its own id in any case, withdrawn ones too. Null if there
   * is none.
   * @throws TypeError, SnapshotError, TransferError
   */
  advisory(id: string): Promise<OsvRecord | null>
  /**
   * Returns a page of a list as the API does. With `vendor`, `products` are those of `/vendors/{vendor}/products`;
   * without it, all products.
   * @throws TypeError, CursorError, SnapshotError, TransferError
   */
  entries<Name extends ListName>(list: Name, options?: ListOptions[Name]): Promise<ListPage<Name>>
  /**
   * Returns an entry of a list as the API does, by its id in each form that the API accepts: `79`, `CWE-79`;
   * `<vendor>/<product>`, `<source>/<source_id>` and `<ecosystem>/<name>`, where `%2F` is a slash within the vendor. Null
   * for an unknown id.
   * @throws TypeError for an id of another form, SnapshotError, TransferError
   */
  entry<Name extends ListName>(list: Name, id: string | number): Promise<ListEntry[Name] | null>
  /**
   * Returns the answer of `/cves/{cveId}/advisory`; null without an advisory.
   * @throws TypeError, SnapshotError, TransferError
   */
  advisoryOf(cveId: string): Promise<CveAdvisory | null>
  /**
   * Returns the `reports` of `/cves/{cveId}/reports`; null without a record.
   * @throws TypeError, SnapshotError, TransferError
   */
  reports(cveId: string, options?: ReportOptions): Promise<CveReport[] | null>
  /**
   * Returns the answer of `/reports/types`.
   * @throws TypeError, SnapshotError, TransferError
   */
  reportTypes(options?: { include_schema?: boolean | undefined }): Promise<ReportTypes>
  /**
   * Returns the answer of `/cnas/stats`.
   * @throws SnapshotError, TransferError
   */
  cnaStats(): Promise<CnaStats>
  /**
   * Returns the figures as `/stats` does.
   * @throws SnapshotError, TransferError
   */
  stats(): Promise<Stats>
  /**
   * Searches ids, keys, names and titles as `/search` does. `q` has 2 to 200 characters.
   * @throws TypeError, SnapshotError, TransferError
   */
  search(q: string, options?: SearchOptions): Promise<SearchResults>
  /**
   * Returns the suggestions of `/search/suggest`. `q` has 2 to 200 characters.
   * @throws TypeError, SnapshotError, TransferError
   */
  suggest(q: string, options?: SearchOptions): Promise<Suggestion[]>
  /**
   * Returns a page of `/changes`: the CVEs that were added, changed or removed since an earlier snapshot. `since` is its
   * id, at least its first 7 digits, or a time, which selects the newest snapshot created at or before it.
   * @throws TypeError, CursorError, SnapshotError, TransferError; SnapshotError `missing` if the repository no longer has
   *   the snapshot
   */
  changes(since: string | Date, options?: ChangesOptions): Promise<ChangePage>
  /**
   * Returns the rows of `/snapshots`: the snapshots that `changes` can compare, newest first.
   * @throws TypeError, SnapshotError, TransferError
   */
  snapshots(options?: SnapshotsOptions): Promise<SnapshotRow[]>
  close(): Promise<void>
}

/**
 * Opens the current snapshot. `close` ends what the objects use.
 * @throws SnapshotError, TransferError
 */
export async function openSnapshot(objects: Objects, trust: Trust, close: () => Promise<void>): Promise<Reader> {
  const { manifest, about } = await openCurrent(objects, trust)
  const headers = openHeaders(objects)
  const cves = openCveLookup(manifest, objects, headers)
  const members = keptMembers(cves)
  const aliases = openAliasLookup(manifest, objects, headers)
  const packages = openPackages(openHashedLookup(manifest, objects, headers), cves, aliases, about.ecosystems)
  const rows = openRows(manifest, objects)
  const unfiltered = openUnfiltered(manifest, objects, rows)
  const history = openChanges(namedSnapshot(manifest), openLineage(manifest, objects), objects)
  const texts = openTextSearch(manifest, objects)
  const tables = openLists(manifest, objects, headers, texts)
  const { entries, entry, cnaStats } = openEntries(tables, packages, about.ecosystems)
  const documents = openDocuments(manifest, objects, members)
  const matchesOf = (q: string | undefined) => (q === undefined ? null : texts.matches('cve', q))
  const opened = new Map<string, Promise<{ snapshot: ReadSnapshot; names: NamePostings }>>()
  const lists = () =>
    remembered(opened, '', async () => {
      const snapshot = await readTables(objects, manifest)
      return { snapshot, names: openNamePostings(manifest, snapshot, objects, tables, about.ecosystems) }
    })
  const named = namedSnapshot(manifest)
  const open = { current: named, retained: (prefix: string) => (prefix === named.prefix ? named : null) }
  return {
    snapshot: {
      id: manifest.snapshot,
      created_at: manifest.created_at,
      parent: manifest.parent?.snapshot ?? null,
      counts: about.counts,
      feeds: about.feeds,
      epss_date: about.epss_date,
    },
    ecosystems: about.ecosystems,
    releases: about.releases,

    async get<S extends Section>(cveId: string, options: ReadOptions<S> = {}) {
      assertKnown(['include'], options)
      const { include } = options
      const id = knownCveId(cveId)
      const sections = sectionsOf(include ?? DEFAULT_SECTIONS)
      const found = await members(id)
      if (!found) return null
      return parsedJson(splicePlain(recordPieces(found.member, found.epss, sections)).toString()) as CveDetail<S>
    },

    async list(options = {}) {
      const { sort, filters, limit, cursor } = readList(options)
      const binding = cursorBinding('cves', sort, filters)
      const { after } = resume(open, cursor, binding, isCveKey)
      if (!isFiltered(filters)) {
        const { rows: data, next } = await unfiltered.page(sort, after, limit)
        return { data, pagination: { limit, next_cursor: next && cursorAfter(named, binding, next) } }
      }
      const { snapshot, names } = await lists()
      const [matches] = await Promise.all([matchesOf(filters.q), names.load(filters)])
      const order = orderView(snapshot, sort.key, sort.descending)
      const start = after ? order.positionAfter(after) : 0
      // One row more than requested shows whether another page follows (rule 8).
      const found = firstPassing(snapshot, filters, matches, { order, start, most: limit + 1 })
      const ordinals = found.slice(0, limit)
      const last = ordinals.at(-1)
      const more = found.length > limit && last !== undefined
      return {
        data: await rowsOfOrdinals(snapshot, rows, sort.key, ordinals),
        pagination: { limit, next_cursor: more ? cursorAfter(snapshot, binding, order.keyOf(last)) : null },
      }
    },

    walk(options = {}) {
      const { sort, filters } = readWalk(options)
      return walkOf(async () => {
        if (!isFiltered(filters)) return unfiltered.all(sort)
        const { snapshot, names } = await lists()
        const [matches] = await Promise.all([matchesOf(filters.q), names.load(filters)])
        const order = orderView(snapshot, sort.key, sort.descending)
        const ordinals = firstPassing(snapshot, filters, matches, { order, start: 0, most: order.count })
        const read = (from: number, to: number) => rowsOfOrdinals(snapshot, rows, sort.key, ordinals.slice(from, to))
        return { count: ordinals.length, read }
      })
    },

    affected: packages.affected,
    advisory: packages.advisory,
    entries,
    entry,
    advisoryOf: async (cveId) => documents.advisoryOf(knownCveId(cveId)),
    reports: async (cveId, options) => documents.reports(knownCveId(cveId), options),
    reportTypes: documents.reportTypes,
    cnaStats,

    async stats() {
      return decodeStats(gunzipFile('stats', await objects.whole(fileOf(manifest, 'stats'))))
    },

    // `async`, so that invalid arguments reject.
    search: async (q, options = {}) => texts.search(readSearch(q, options)),
    suggest: async (q, options = {}) => texts.suggest(readSuggest(q, options)),
    changes: async (since, options = {}) => history.page(readChanges(since, options)),
    snapshots: async (options = {}) => history.snapshots(readSnapshots(options)),
    async close() {
      await texts.close()
      await close()
    },
  }
}

/** @throws TypeError */
function knownCveId(cveId: string): CveId {
  const id = parseCveId(cveId)
  if (id === null) throw new TypeError(`'${cveId}' is not a CVE id such as CVE-2024-3400`)
  return id
}

/** Cache size for members. A program often reads several parts of one CVE. */
const MEMBERS_BYTES = 4 * 1024 * 1024

/** Returns a lookup of members that keeps the last ones. Concurrent callers share one download. */
function keptMembers({ member }: CveLookup): CveLookup['member'] {
  const kept = generationalCache<CveId, NonNullable<Awaited<ReturnType<CveLookup['member']>>>>(
    MEMBERS_BYTES,
    ({ member }) => member.bytes.length,
  )
  const coming = new Map<string, ReturnType<CveLookup['member']>>()
  return async (id) => {
    const known = kept.get(id)
    if (known) return known
    const found = await remembered(coming, id, () => member(id).finally(() => coming.delete(id)))
    if (!found) return null
    // Copies the bytes: the part may be a view into a larger buffer.
    const bytes = Buffer.from(found.member.bytes)
    const own = { member: { ...decodeMemberHead(bytes), bytes }, epss: found.epss }
    kept.set(id, own)
    return own
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

const isFiltered = (filters: CveFilters) => Object.values(filters).some((value) => value !== undefined)

/** Rows per read: one page. */
const BATCH_ROWS = ROWS_PER_PAGE
/** Maximum batches that are prefetched. The number grows by one with each consumed batch. */
const BATCHES_AHEAD = 3

async function* walkOf(
  start: () => Promise<{ count: number; read(from: number, to: number): Promise<CveSummary[]> }>,
): AsyncGenerator<CveSummary, void, undefined> {
  const { count, read } = await start()
  const coming: Promise<CveSummary[]>[] = []
  let next = 0
  for (let taken = 0; ; taken++) {
    while (coming.length <= Math.min(taken, BATCHES_AHEAD) && next < count) {
      const batch = read(next, Math.min(next + BATCH_ROWS, count))
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
