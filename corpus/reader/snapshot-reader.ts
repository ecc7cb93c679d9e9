/** The methods of a reader, for any source. Uses no API of Node. */
import type { History } from '../answers/context.ts'
import { ApiError } from '../answers/errors.ts'
import { snapshotAt } from '../answers/parameters/ids.ts'
import { parseParams } from '../answers/parameters/parse.ts'
import { planCvePage } from '../answers/plan/cve-page.ts'
import { type Answering, answerer, type Reply, replyOf } from '../answers/request.ts'
import { affectingPackage } from '../answers/routes/affected.ts'
import { cvesQuery, filtersOf, sortOf } from '../answers/routes/cves.ts'
import { ROUTES } from '../answers/routes.ts'
import type { AffectedRow } from '../model/packages/affected-row.ts'
import type { Stats } from '../model/stats.ts'
import { completed, type Steps } from '../runtime/steps.ts'
import {
  type About,
  CursorError,
  countCves,
  cursorBinding,
  type DEFAULT_SECTIONS,
  type ListName,
  type Manifest,
  ROWS_PER_PAGE,
  ROWS_PER_SEGMENT,
  type RowRun,
  type Section,
  type SnapshotData,
  SnapshotError,
  type Suggestion,
  splicePlain,
} from '../snapshot/index.ts'
import { openLineage } from '../snapshot/ranges/lineage.ts'
import type { SearchResults } from '../snapshot/ranges/text-search.ts'
import { type EarlierSnapshots, findSnapshot, openEarlier, openManifest } from './earlier.ts'
import { readerHistory } from './history.ts'
import type { ListEntry, ListPage } from './list-types.ts'
import type { Objects } from './objects.ts'
import { currentManifest, type Trust } from './open.ts'
import {
  type ChangesOptions,
  type CveListOptions,
  type CveWalkOptions,
  type ListOptions,
  listName,
  type PackageQuestion,
  packageParts,
  pathPart,
  queryOf,
  type ReadOptions,
  type SearchOptions,
  type SnapshotsOptions,
} from './options.ts'
import type { ChangePage, CveDetail, CvePage, CveSummary, OsvRecord, SnapshotPage } from './record.ts'

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
   * `latest.json` as the repository had it when the reader was opened: JSON, signed or not. It names the current snapshot.
   * With `keys`, its signature was verified.
   */
  readonly pointer: string
  /**
   * The ecosystems that the snapshot has advisories of, ascending, without suffixes such as `:12`. For packages of others,
   * `affected` returns no rows, which does not mean that they are not affected.
   */
  readonly ecosystems: readonly string[]
  /** The releases of each distribution among them, such as `12` of Debian. The same is true for other releases. */
  readonly releases: Readonly<Record<string, readonly string[]>>
  /**
   * Answers a request of the API without its prefix, such as `/cves?kev=true`, as a gateway does, errors included. The other
   * methods are short forms of it.
   * @throws TypeError unless the target begins with `/`; SnapshotError, TransferError
   */
  request(target: string): Promise<Reply>
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
   * @throws TypeError, SnapshotError, TransferError
   */
  affected(question: PackageQuestion): Promise<AffectedRow[]>
  /**
   * Returns an advisory as `/advisories/{advisoryId}` does: by its own id in any case, withdrawn ones too. Null if there
   * is none.
   * @throws TypeError, SnapshotError, TransferError
   */
  advisory(id: string): Promise<OsvRecord | null>
  /**
   * Returns a page of a list as the API does. With `vendor`, `products` are those of `/vendors/{vendor}/products`.
   * @throws TypeError, CursorError, SnapshotError, TransferError
   */
  entries<Name extends ListName>(list: Name, options?: ListOptions[Name]): Promise<ListPage<Name>>
  /**
   * Returns an entry of a list as the API does, by its id in each form that the API accepts: `79`, `CWE-79`;
   * `<vendor>/<product>`, `<source>/<source_id>` and `<ecosystem>/<name>`, where `%2F` is a slash within the vendor. Null
   * for an unknown id.
   * @throws TypeError for an id of another form, SnapshotError, TransferError
   */
  entry<Name extends keyof ListEntry>(list: Name, id: string | number): Promise<ListEntry[Name] | null>
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
   * Returns a page of `/snapshots`: the snapshots that `changes` can compare, newest first.
   * @throws TypeError, CursorError, SnapshotError, TransferError
   */
  snapshots(options?: SnapshotsOptions): Promise<SnapshotPage>
  close(): Promise<void>
}

/**
 * Opens the current snapshot, or the one that `at` selects. `close` ends what the objects use.
 * @throws SnapshotError, TransferError
 */
export async function openSnapshot(
  objects: Objects,
  trust: Trust,
  at: string | Date | undefined,
  close: () => Promise<void>,
): Promise<Reader> {
  const { manifest: newest, pointer } = await currentManifest(objects, trust)
  const manifest = at === undefined ? newest : await manifestAt(newest, at, objects)
  const { data, close: closeTexts } = await openManifest(manifest, objects)
  const { about } = data
  const lineage = openLineage(manifest, objects)
  const earlier = openEarlier(lineage, objects, EARLIER_OPEN, data)
  const history = readerHistory(lineage, objects)
  return {
    snapshot: {
      id: manifest.snapshot,
      created_at: manifest.created_at,
      parent: manifest.parent?.snapshot ?? null,
      counts: about.counts,
      feeds: about.feeds,
      epss_date: about.epss_date,
    },
    pointer: new TextDecoder().decode(pointer),
    ecosystems: about.ecosystems,
    releases: about.releases,
    ...methods(data, history, earlier),
    async close() {
      await earlier.close()
      await closeTexts()
      await close()
    },
  }
}

/** Snapshots that stay open for further requests with `snapshot`. */
const EARLIER_OPEN = 4

/** @throws TypeError, SnapshotError `missing`, TransferError */
async function manifestAt(newest: Manifest, at: string | Date, objects: Objects): Promise<Manifest> {
  const text = at instanceof Date ? at.toISOString() : at
  const link = await ofParameters(async () => findSnapshot(openLineage(newest, objects), snapshotAt().read(text, 'at')))
  return link.manifest()
}

type Methods = Omit<Reader, 'snapshot' | 'pointer' | 'ecosystems' | 'releases' | 'close'>

function methods(data: SnapshotData, history: History, earlier: EarlierSnapshots): Methods {
  const requestOf = (current: SnapshotData) => {
    const open: Answering['open'] = (choice) =>
      choice === null ? { data: current, release() {} } : earlier.open(choice)
    const answer = answerer(ROUTES, { history, open })
    return (target: string) => replyOf(answer(target))
  }
  const request = requestOf(data)
  // `get` returns null for a rejected CVE, so it does not need the table of the reasons.
  const withoutReasons = requestOf({ ...data, cves: { ...data.cves, rejection: noReason } })
  const get = async <T>(path: string, options: object = {}): Promise<T> => {
    const found = await getOrNull<T>(path, options)
    if (found === null) throw new TypeError(`nothing has the path ${path}`)
    return found
  }
  /** Null for a 404. */
  const getOrNull = async <T>(path: string, options: object = {}, ask = request): Promise<T | null> => {
    const query = queryOf(options)
    const { status, body } = await ask(query === '' ? path : `${path}?${query}`)
    if (status === 200) return JSON.parse(body) as T
    if (status === 404) return null
    throw errorOf(JSON.parse(body))
  }
  return {
    request,
    get: async (id, options) => getOrNull(`/cves/${pathPart('the id of a CVE', id)}`, options, withoutReasons),
    list: (options) => get('/cves', options),
    walk: (options = {}) => walkOf(data, options),
    async affected(question) {
      const asked = typeof question === 'string' ? { purl: question } : question
      const named = packageParts(asked)
      if (named) return [...(await ofParameters(() => completed(affectingPackage(data, named))))]
      const rows: AffectedRow[] = []
      for (let cursor: string | undefined; ; ) {
        const page: AffectedPage = await get('/affected', { ...asked, limit: MAX_LIMIT, cursor })
        rows.push(...page.data)
        if (page.pagination.next_cursor === null) return rows
        cursor = page.pagination.next_cursor
      }
    },
    advisory: async (id) => getOrNull(`/advisories/${pathPart('the id of an advisory', id)}`),
    async entries(list, options = {}) {
      const { vendor, ...others } = { vendor: undefined, ...options }
      if (list === 'products' && vendor !== undefined) {
        return get(`/vendors/${pathPart("option 'vendor'", vendor)}/products`, others)
      }
      return get(`/${listName(list)}`, options)
    },
    async entry(list, id) {
      const path = entryPath(list, id)
      // The API has the figures of all CNAs there.
      return path.toLowerCase() === '/cnas/stats' ? null : getOrNull(path)
    },
    stats: () => get('/stats'),
    search: (q, options) => get('/search', { ...options, q }),
    suggest: async (q, options) =>
      (await get<{ suggestions: Suggestion[] }>('/search/suggest', { ...options, q })).suggestions,
    changes: (since, options) => get('/changes', { ...options, since }),
    snapshots: (options) => get('/snapshots', options),
  }
}

function* noReason(): Steps<undefined> {}

const MAX_LIMIT = 100

interface AffectedPage {
  data: AffectedRow[]
  pagination: { next_cursor: string | null }
}

/** Of an error of the API. */
interface Failure {
  error: string
  message: string
}

function errorOf({ error, message }: Failure): Error {
  if (error === 'invalid_parameter') return new TypeError(message)
  if (error === 'invalid_cursor') return new CursorError('invalid', message)
  if (error === 'unavailable') return new CursorError('newer', message)
  if (error === 'gone' || error === 'not_found') return new SnapshotError('missing', message)
  return new Error(message)
}

/** Runs work whose errors are those of parameters. @throws TypeError */
async function ofParameters<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ApiError ? errorOf(error.body) : error
  }
}

/** Ids of these lists have two parts. */
const IN_PARTS: Partial<Record<ListName, (first: string, second: string) => string>> = {
  products: (vendor, product) => `/vendors/${vendor}/products/${product}`,
  exploits: (source, id) => `/exploits/${source}/${id}`,
  packages: (ecosystem, name) => `/packages/${ecosystem}/${name}`,
}

/** @throws TypeError */
function entryPath(list: ListName, id: string | number): string {
  if (list === 'kev') return `/cves/${pathPart('the id of a CVE', id)}/kev`
  if (list === 'rejected') throw new TypeError('rejected CVEs have no entries; they are in entries()')
  const pathOf = IN_PARTS[listName(list)]
  if (!pathOf) return `/${list}/${pathPart('the id of an entry', id)}`
  const text = String(id)
  const slash = text.indexOf('/')
  if (slash < 1 || slash === text.length - 1)
    throw new TypeError(`the id '${id}' must have two parts, separated by '/'`)
  // `%2F` is a slash within a part.
  const [first, second] = [text.slice(0, slash), text.slice(slash + 1)].map((part) =>
    pathPart('the id of an entry', part.replaceAll('%2F', '/')),
  )
  return pathOf(first!, second!)
}

/** Batches that are read in advance, at most. The number grows by one with each batch that is taken. */
const BATCHES_AHEAD = 3

function walkOf(data: SnapshotData, options: CveWalkOptions): AsyncGenerator<CveSummary, void, undefined> {
  const { limit: _, cursor: __, ...query } = cvesQuery
  let values: ReturnType<typeof parse>
  const parse = () => parseParams({ path: {}, query }, {}, queryOf(options))
  try {
    values = parse()
    const asked = { ...values, limit: undefined, cursor: undefined }
    return rowsOf(data, { sort: sortOf(asked), filters: filtersOf(asked, data.about) })
  } catch (error) {
    throw error instanceof ApiError ? errorOf(error.body) : error
  }
}

async function* rowsOf(
  data: SnapshotData,
  { sort, filters }: Pick<Parameters<typeof planCvePage>[1], 'sort' | 'filters'>,
): AsyncGenerator<CveSummary, void, undefined> {
  const everything = { binding: cursorBinding('cves', sort, filters), limit: countCves(data.manifest), after: null }
  const { runs } = await completed(planCvePage(data, { ...everything, sort, filters }))
  const batches = batchesOf(runs)
  const coming: Promise<CveSummary[]>[] = []
  for (let taken = 0; ; taken++) {
    while (coming.length <= Math.min(taken, BATCHES_AHEAD)) {
      const { value, done } = batches.next()
      if (done) break
      const rows = completed(data.cves.pieces(sort.key, value)).then(
        (pieces) => JSON.parse(`[${splicePlain(pieces)}]`) as CveSummary[],
      )
      // The error is thrown when the walk reaches this batch. A walk may end before that.
      rows.catch(() => undefined)
      coming.push(rows)
    }
    const batch = coming.shift()
    if (!batch) return
    yield* await batch
  }
}

/** Cuts runs into batches of about a page. */
function* batchesOf(runs: readonly RowRun[]): Generator<RowRun[], void> {
  let batch: RowRun[] = []
  let rows = 0
  for (const run of runs) {
    for (const part of 'page' in run ? [run] : slicesOf(run.positions)) {
      batch.push(part)
      rows += 'page' in part ? ROWS_PER_SEGMENT : part.positions.length
      if (rows < ROWS_PER_PAGE) continue
      yield batch
      batch = []
      rows = 0
    }
  }
  if (batch.length > 0) yield batch
}

function* slicesOf(positions: readonly number[]): Generator<{ positions: readonly number[] }, void> {
  for (let at = 0; at < positions.length; at += ROWS_PER_PAGE)
    yield { positions: positions.slice(at, at + ROWS_PER_PAGE) }
}
