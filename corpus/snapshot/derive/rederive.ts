/** Rederives files from the others, as the builder does. Needs the threads, time and memory of a full build. */

import { compareCveIds, firstOfBlock } from '../../model/ids/cve-id.ts'
import { moduleUrl } from '../../runtime/module-url.ts'
import { openPool, type Pool, runInOrder } from '../../runtime/pool.ts'
import { gunzipFile } from '../codec/inflate.ts'
import { decodeAbout } from '../files/about.ts'
import { decodeEditions } from '../files/epss-editions.ts'
import { fileOf, readObject } from '../files/layout.ts'
import type { Manifest } from '../files/manifest.ts'
import { CATALOGS, type CatalogName, decodeCatalog, type LocatedEntry } from '../record/catalog.ts'
import { decodeEpss } from '../record/epss.ts'
import { historyFiles } from '../record/epss-history.ts'
import { type HashedRole, hashedFiles } from '../record/hashed-shard.ts'
import { decodeRejected } from '../record/rejected.ts'
import { appendRows } from './advisory-extract.ts'
import { type HashedRows, noAdvisories, noPackages } from './advisory-rows.ts'
import { type DerivedFile, type DeriveInput, deriveFiles } from './derive.ts'
import type { ShardExtract } from './extract.ts'
import { type Rows, rowCollector } from './rows.ts'

/**
 * Yields all derived files of a snapshot, from its other files in `dist`. `temporary` returns the path to write a file
 * of that name.
 * @throws SnapshotError when a file is missing or damaged
 */
export async function* rederive(
  dist: string,
  manifest: Manifest,
  jobs: number,
  temporary: (name: string) => string,
): AsyncGenerator<DerivedFile> {
  const pool = openPool(moduleUrl('./tasks.ts', import.meta.url), jobs)
  try {
    yield* deriveFiles(pool, await inputOf(dist, manifest, pool), temporary)
  } finally {
    await pool.close()
  }
}

async function inputOf(dist: string, manifest: Manifest, pool: Pool): Promise<DeriveInput> {
  const rows = await rowsOf(dist, manifest, pool)
  const plain = (role: 'about' | 'epss' | 'epss-editions' | 'rejected') =>
    gunzipFile(role, readObject(dist, fileOf(manifest, role)))
  const entriesOf = (name: CatalogName) => decodeCatalog(name, readObject(dist, fileOf(manifest, 'catalog', name)))
  const about = decodeAbout(plain('about'))
  return {
    rows,
    epss: decodeEpss(plain('epss')),
    history: { dist, files: [...historyFiles(manifest).values()], editions: decodeEditions(plain('epss-editions')) },
    advisories: await hashedRows(dist, manifest, pool, 'advisories', noAdvisories()),
    rejected: decodeRejected(plain('rejected')),
    packages: await hashedRows(dist, manifest, pool, 'packages', noPackages()),
    catalogs: Object.fromEntries(CATALOGS.map((name) => [name, entriesOf(name)])) as Record<
      CatalogName,
      LocatedEntry[]
    >,
    corpusDate: about.corpus_date,
    lastUpdate: about.last_update,
  }
}

async function hashedRows<Rows extends HashedRows>(
  dist: string,
  { files }: Manifest,
  pool: Pool,
  role: HashedRole,
  rows: Rows,
): Promise<Rows> {
  const inputs = hashedFiles(files, role).map((file) => ({ dist, file }))
  for await (const more of runInOrder<Rows>(pool, `gather-${role}`, inputs)) appendRows(rows, more)
  return rows
}

async function rowsOf(dist: string, manifest: Manifest, pool: Pool): Promise<Rows> {
  const shards = manifest.files
    .filter(({ role }) => role === 'cve')
    .sort((a, b) => compareCveIds(firstOfBlock(a.name), firstOfBlock(b.name)))
  const collector = rowCollector()
  const inputs = shards.map((file) => ({ dist, file }))
  let added = 0
  for await (const shard of runInOrder<ShardExtract>(pool, 'gather', inputs)) {
    collector.add({ name: shards[added++]!.name, shard })
  }
  return collector.rows()
}
