/** The tables of one snapshot that the Atom feeds need. */
import {
  decodeAbout,
  decodeColumns,
  decodeIndex,
  decodeRejected,
  fileOf,
  gunzipFile,
  type Index,
  type Manifest,
  readObject,
  SnapshotError,
} from '../../corpus/snapshot/index.ts'

export interface SnapshotTables {
  /** The date of the data: the corpus date, or the time of the build if the CVE list has no date. */
  date: string
  index: Index
  /** `FLAGS` of each row. */
  flags: Uint8Array
  /** Index into `SEVERITIES` of each row; 255 for none. */
  severity: Uint8Array
  /** Ids of the rejected CVEs. They have no row. */
  rejected: ReadonlySet<string>
}

/** @throws SnapshotError `missing`, `digest`, `malformed`, `unsupported` */
export function readTables(dist: string, manifest: Manifest): SnapshotTables {
  const read = (role: 'about' | 'index' | 'columns' | 'rejected') => readObject(dist, fileOf(manifest, role))
  const index = decodeIndex(read('index'))
  const columns = decodeColumns(read('columns'))
  if (columns.count !== index.count || columns.row.some((row) => row >= index.count)) {
    throw new SnapshotError('malformed', 'index and columns list different CVEs')
  }
  const [flags, severity] = [new Uint8Array(index.count), new Uint8Array(index.count)]
  columns.row.forEach((row, ordinal) => {
    flags[row] = columns.flags[ordinal]!
    severity[row] = columns.severity[ordinal]!
  })
  const rejected = decodeRejected(gunzipFile('rejected', read('rejected')))
  const { corpus_date: date } = decodeAbout(gunzipFile('about', read('about')))
  return {
    date: date ?? new Date(manifest.created_at).toISOString(),
    index,
    flags,
    severity,
    rejected: new Set(rejected.keys()),
  }
}
