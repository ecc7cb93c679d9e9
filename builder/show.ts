/** `vulnshelf show`: prints any part of a snapshot as JSON. */
import { type CveId, parseCveId } from '../corpus/model/ids/cve-id.ts'
import { rejectionText } from '../corpus/model/rejection.ts'
import {
  decodeIndex,
  decodeRejected,
  decodeTable,
  epssAt,
  type FileEntry,
  fileOf,
  findRow,
  gunzipFile,
  gunzipMember,
  kindOf,
  type MAX_GZIP_PLAIN,
  type Manifest,
  membersOf,
  readCurrent,
  readManifest,
  readObject,
  SnapshotError,
} from '../corpus/snapshot/index.ts'
import { findSnapshot } from './snapshots.ts'

/**
 * Returns the part at `path` of the current snapshot, or of the one that `at` selects: `manifest` (default), `pointer`, a CVE id for the record, or
 * `<role>/<name>` for a file (`cve/2024/3xxx`, `about`). Shards become objects by member key, tables objects by
 * column.
 * @throws SnapshotError `missing` for an unknown path or snapshot
 */
export function show(dist: string, path = 'manifest', at?: string): unknown {
  const { pointer, manifest: current } = readCurrent(dist)
  const manifest = at === undefined ? current : readManifest(dist, findSnapshot(dist, at).digest)
  if (path === 'manifest') return manifest
  if (path === 'pointer') return pointer
  const id = parseCveId(path)
  if (id) return showCve(dist, manifest, id)
  const [role, ...name] = path.split('/')
  const file = manifest.files.find((one) => one.role === role && one.name === (name.join('/') || 'cve'))
  if (!file) {
    const known = [...new Set(manifest.files.map((one) => one.role))].join(', ')
    throw new SnapshotError(
      'missing',
      `the snapshot has no '${path}'. Use manifest, pointer, a CVE id, or <role>/<name> with one of these roles: ${known}`,
    )
  }
  return showFile(dist, file)
}

function showCve(dist: string, manifest: Manifest, id: CveId): unknown {
  const index = decodeIndex(readObject(dist, fileOf(manifest, 'index', 'cve')))
  const row = findRow(index, id)
  if (row < 0) throw noRecord(dist, manifest, id)
  const shard = readObject(dist, fileOf(manifest, 'cve', index.shards[index.shard[row]!]!))
  const at = index.at[row]!
  const record: unknown = JSON.parse(gunzipMember(shard.subarray(at, at + index.length[row]!)).toString())
  return { ...(record as object), epss: epssAt(index.epss, row) }
}

function noRecord(dist: string, manifest: Manifest, id: string): SnapshotError {
  const bytes = gunzipFile('rejected', readObject(dist, fileOf(manifest, 'rejected')))
  const rejection = decodeRejected(bytes).get(id)
  if (!rejection) return new SnapshotError('missing', `the snapshot has no record of ${id}`)
  return new SnapshotError('missing', `${id} ${rejectionText(rejection)}`)
}

function showFile(dist: string, file: FileEntry): unknown {
  const bytes = readObject(dist, file)
  switch (kindOf(file.role).form) {
    case 'members':
      return Object.fromEntries(
        [...membersOf(bytes)].map(({ key, at, length }) => [
          key,
          JSON.parse(gunzipMember(bytes.subarray(at, at + length)).toString()),
        ]),
      )
    case 'gzip': {
      const plain = gunzipFile(file.role as keyof typeof MAX_GZIP_PLAIN, bytes)
      return file.role === 'epss' ? showTable(plain) : JSON.parse(plain.toString())
    }
    case 'table':
      return showTable(bytes)
    case 'database':
      return { file, note: 'an SQLite database: open the object with any SQLite' }
  }
}

function showTable(bytes: Uint8Array): unknown {
  const { about, columns } = decodeTable(bytes)
  return {
    about,
    columns: Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, Array.from(values)])),
  }
}
