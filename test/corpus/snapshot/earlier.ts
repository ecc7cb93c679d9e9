/** A snapshot as builders wrote it before they knew packages and posting lists of names. */
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { fileOf, objectPath } from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry, Role } from '../../../corpus/snapshot/files/manifest.ts'
import { QUERY_TABLES, queryDigest, rowKey } from '../../../corpus/snapshot/query/rows.ts'
import { setNumber } from '../../../corpus/snapshot/query/sets.ts'
import type { GoodSnapshot } from './forgery.ts'

const LATER_ROLES: readonly Role[] = ['advisories', 'packages', 'aliases']

/** Returns a copy without advisories and packages: their shards, tables, list and texts. */
export function earlierSnapshot(good: GoodSnapshot): string {
  const dist = good.copy()
  const file = fileOf(good.manifest, 'query')
  const path = join(dist, 'query.db')
  copyFileSync(objectPath(dist, file.sha256), path)
  const database = new Database(path)
  for (const table of QUERY_TABLES) {
    database.prepare(`DELETE FROM ${table} WHERE key >= ?`).run(rowKey(setNumber('package'), 0))
  }
  const { content, count } = queryDigest(database)
  database.close()
  const bytes = readFileSync(path)
  rmSync(path)
  good.putObject(dist, bytes)
  const query = { ...file, sha256: sha256(bytes), size: bytes.length, content, count }
  const isLater = ({ role, name }: FileEntry) =>
    LATER_ROLES.includes(role) ||
    name === 'advisories' ||
    name === 'packages' ||
    name === 'lists' ||
    name.startsWith('packages.')
  const files = good.manifest.files.filter((one) => !isLater(one))
  good.activate(
    dist,
    files.map((one) => (one === file ? query : one)),
  )
  return dist
}
