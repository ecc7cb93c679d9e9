/** Searches the texts of a snapshot by parts of its search database: the rows of a step are read together. */
import { generationalCache } from '../runtime/generational-cache.ts'
import {
  type FileRows,
  fileOf,
  type Manifest,
  openFileRows,
  openRemoteQuery,
  type QueryInSteps,
  type RowName,
  rowKey,
  type SearchAnswer,
  type SearchType,
  type Steps,
  type Suggestion,
  searchAnswer,
  suggestion,
  type TextSetName,
} from '../snapshot/index.ts'
import { type Objects, remembered } from './objects.ts'

/** The answer of `/search`. */
export type SearchResults = SearchAnswer

interface SearchQuery {
  q: string
  types: readonly SearchType[]
  limit: number
}

/** Each method throws SnapshotError or TransferError. */
export interface TextSearch {
  /**
   * Returns the ordinals of all entries of `set` with `q` in key or label, ascending. An entry of a list has the ordinal
   * of its row in the default order; a CVE that of its publication.
   */
  matches(set: TextSetName, q: string): Promise<Uint32Array>
  search(query: SearchQuery): Promise<SearchResults>
  suggest(query: SearchQuery): Promise<Suggestion[]>
}

/** Cache size for rows: the titles of 350,000 CVEs take about half of it. */
const ROWS_BYTES = 64 * 1024 * 1024
const ENTRY_BYTES = 100

type LoadedRows = ReadonlyMap<string, Uint8Array>

const nameOf = ({ table, set, number }: RowName): string => `${table} ${rowKey(set, number)}`

export function openTextSearch(manifest: Manifest, objects: Objects): TextSearch {
  const file = () => fileOf(manifest, 'query')
  const files = new Map<string, Promise<FileRows>>()
  const open = () => remembered(files, '', () => openFileRows(file().size, (parts) => objects.parts(file(), parts)))
  const cache = generationalCache<string, Uint8Array>(ROWS_BYTES, ({ length }) => length + ENTRY_BYTES)
  const coming = new Map<string, Promise<Uint8Array>>()
  /** The rows of the search that runs: set before each of its steps, because several searches take turns. */
  let loaded: LoadedRows = new Map()
  const query: QueryInSteps = openRemoteQuery({
    read(table, set, number) {
      const bytes = loaded.get(nameOf({ table, set, number }))
      if (!bytes) throw new RangeError(`row ${number} of set ${set} in ${table} was not requested`)
      return bytes
    },
  })

  /** Returns rows by their names. Searches share downloads. */
  async function load(names: readonly RowName[]): Promise<LoadedRows> {
    const rows = new Map<string, Uint8Array>()
    const awaited = new Map<string, Promise<Uint8Array>>()
    const unknown = new Map<string, RowName>()
    for (const name of names) {
      const key = nameOf(name)
      const known = cache.get(key)
      if (known) rows.set(key, known)
      else if (coming.has(key)) awaited.set(key, coming.get(key)!)
      else unknown.set(key, name)
    }
    if (unknown.size > 0) {
      const reading = open().then((file) => file.read([...unknown.values()]))
      for (const [i, key] of [...unknown.keys()].entries()) {
        awaited.set(
          key,
          remembered(coming, key, () => reading.then((bytes) => bytes[i]!).finally(() => coming.delete(key))),
        )
      }
    }
    const values = await Promise.all(awaited.values())
    for (const [i, key] of [...awaited.keys()].entries()) {
      rows.set(key, values[i]!)
      cache.set(key, values[i]!)
    }
    return rows
  }

  async function run<T>(steps: Steps<T>): Promise<T> {
    let own: LoadedRows = new Map()
    for (;;) {
      loaded = own
      const step = steps.next()
      if (step.done) return step.value
      if (step.value) own = await load(step.value())
    }
  }

  return {
    matches: (set, q) => run(query.matches(set, q)),
    async search({ q, types, limit }) {
      return searchAnswer(types, await run(query.search(types, q, limit)))
    },
    suggest: async ({ q, types, limit }) => (await run(query.suggest(types, q, limit))).map(suggestion),
  }
}
