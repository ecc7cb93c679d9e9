/**
 * Compares the files of a snapshot. Rederives derived files from the CVE shards, catalogs and EPSS scores. A forger
 * would have to change those sources too, and so the id.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CveId, compareCveIds, cveBlock, parseCveId } from '../../model/ids/cve-id.ts'
import { handleLater, type Pool } from '../../runtime/pool.ts'
import { gunzipFile } from '../codec/inflate.ts'
import { type Column, decodeTable } from '../codec/table.ts'
import { countsOf, ecosystemsOf } from '../derive/counts.ts'
import { type DeriveInput, deriveFiles, type PageMaker } from '../derive/derive.ts'
import type { ShardExtract } from '../derive/extract.ts'
import { joinShards, type Rows } from '../derive/rows.ts'
import { decodeAbout } from '../files/about.ts'
import { decodeEditions } from '../files/epss-editions.ts'
import { kindOf } from '../files/kinds.ts'
import { describe, fileOf, objectPath, readObject } from '../files/layout.ts'
import type { FileEntry, Manifest } from '../files/manifest.ts'
import { CATALOGS, type CatalogName, type LocatedEntry } from '../record/catalog.ts'
import { decodeEpss, type EpssColumns, NO_EPSS, toBillionths } from '../record/epss.ts'
import { historyFiles } from '../record/epss-history.ts'
import { decodeRejected } from '../record/rejected.ts'
import type { FileFindings } from './file.ts'
import { joinHashedShards } from './hashed.ts'

export interface Checked {
  file: FileEntry
  findings: FileFindings
}

interface Context {
  dist: string
  manifest: Manifest
  pool: Pool
  checked: readonly Checked[]
}

/** Checks the files against each other. Returns the faults, one line per file. */
export async function verifyConsistency(context: Context): Promise<string[]> {
  const { dist, manifest, checked } = context
  const faults: string[] = []
  const shards = checked
    .flatMap(({ file, findings: { extract } }) => (extract ? [{ file, name: file.name, shard: extract }] : []))
    .sort((a, b) => compareFirst(a.shard, b.shard))
  faults.push(...shards.flatMap(({ file, shard }, i) => misplaced(file, shard, shards[i - 1]?.shard)))

  if (faults.length === 0) faults.push(...historyFaults(checked))
  const plain = (role: 'about' | 'epss' | 'epss-editions' | 'rejected') =>
    gunzipFile(role, readObject(dist, fileOf(manifest, role)))
  const rows = joinShards(shards)
  const epss = decodeEpss(plain('epss'))
  const against = (file: FileEntry, wrong: string | null) => {
    if (wrong !== null) faults.push(`${describe(file)} ${wrong}`)
  }
  against(fileOf(manifest, 'epss'), epssFault(epss, rows.count))
  const about = decodeAbout(plain('about'))
  const catalogs = catalogsOf(context)
  const { advisories, packages, faults: ofHashed } = joinHashedShards(checked)
  faults.push(...ofHashed)
  const counted = countsOf(rows, catalogs, { advisories, packages })
  for (const [name, count] of Object.entries(counted)) {
    if (about.counts[name] !== count) {
      against(fileOf(manifest, 'about'), `counts ${about.counts[name]} ${name}, but there are ${count}`)
    }
  }
  const { ecosystems, releases } = about
  const [stated, found] = [{ ecosystems, releases }, ecosystemsOf(packages)].map((names) => JSON.stringify(names))
  if (stated !== found) {
    against(fileOf(manifest, 'about'), `states the ecosystems ${stated}, but there are ${found}`)
  }
  if (about.epss_date !== epss.date) {
    against(fileOf(manifest, 'about'), `states EPSS date ${about.epss_date}, but the scores have ${epss.date}`)
  }
  const editions = decodeEditions(plain('epss-editions'))
  const history = { dist, files: [...historyFiles(manifest).values()], editions }
  const rejected = decodeRejected(plain('rejected'))
  against(fileOf(manifest, 'rejected'), rejectedFault([...rejected.keys()], rows))
  if (faults.length > 0) return faults
  const { corpus_date: corpusDate, last_update: lastUpdate } = about
  return derivedFaults(context, {
    rows,
    epss,
    history,
    catalogs,
    corpusDate,
    lastUpdate,
    advisories,
    rejected,
    packages,
  })
}

/** @throws SnapshotError `missing` when no file contains a catalog */
function catalogsOf({ manifest, checked }: Context): Record<CatalogName, LocatedEntry[]> {
  const entries = CATALOGS.map((name) => {
    const of = fileOf(manifest, 'catalog', name)
    return [name, checked.find(({ file }) => file === of)!.findings.entries] as const
  })
  return Object.fromEntries(entries) as Record<CatalogName, LocatedEntry[]>
}

const compareFirst = (a: ShardExtract, b: ShardExtract) =>
  compareCveIds((a.ids[0] ?? 'CVE-0000-0000') as CveId, (b.ids[0] ?? 'CVE-0000-0000') as CveId)

/** Returns a fault when the CVEs of a shard are outside its block or not in id order. */
function misplaced(file: FileEntry, { ids }: ShardExtract, before: ShardExtract | undefined): string[] {
  let last = before?.ids.at(-1)
  for (const id of ids) {
    if (cveBlock(id as CveId) !== file.name) return [`${describe(file)} contains ${id}, which belongs to another block`]
    if (last !== undefined && compareCveIds(last as CveId, id as CveId) >= 0) {
      return [`${describe(file)} contains ${id} after ${last}, out of order`]
    }
    last = id
  }
  return ids.length === 0 ? [`${describe(file)} contains no CVE`] : []
}

/** Returns a fault for each file of the history without CVEs, or with the points of another block. */
function historyFaults(checked: readonly Checked[]): string[] {
  const blocks = new Set(checked.flatMap(({ file: { role, name } }) => (role === 'cve' ? [name] : [])))
  return checked.flatMap(({ file, findings: { keys } }) => {
    if (file.role !== 'epss-history') return []
    if (!blocks.has(file.name)) return [`${describe(file)} has the history of a block without CVEs`]
    return keys.length === 1 && keys[0] === file.name ? [] : [`${describe(file)} contains ${keys.join(', ')}`]
  })
}

function epssFault({ scores, percentiles }: EpssColumns, count: number): string | null {
  if (scores.length !== count) return `has ${scores.length} rows for ${count} CVEs`
  const one = toBillionths(1)
  const row = scores.findIndex((score, i) => {
    const percentile = percentiles[i]!
    if (score === NO_EPSS || percentile === NO_EPSS) return score !== percentile
    return score > one || percentile > one
  })
  return row < 0 ? null : `has no valid probability and percentile in row ${row}`
}

function rejectedFault(rejected: readonly string[], rows: Rows): string | null {
  const records = new Set(rows.ids)
  let last: CveId | null = null
  for (const id of rejected) {
    const cveId = parseCveId(id)
    if (cveId === null || cveId !== id) return `contains ${id}, which is not a CVE id`
    if (records.has(id)) return `contains ${id}, which has a record`
    if (last !== null && compareCveIds(last, cveId) >= 0) return `contains ${id} after ${last}, out of order`
    last = cveId
  }
  return null
}

/**
 * Rederives all derived files and returns the differences. Compares pages by content, because compressed bytes differ
 * between zlib versions.
 */
async function derivedFaults(context: Context, input: DeriveInput): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vulnshelf-verify-'))
  try {
    return await compareDerived(context, input, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compareDerived({ dist, manifest, pool, checked }: Context, input: DeriveInput, folder: string) {
  const faults: string[] = []
  const wanted = new Set<FileEntry>()
  const derivedFiles = deriveFiles(
    pool,
    input,
    (name) => join(folder, name),
    storedPages({ dist, manifest, pool, checked }),
  )
  for await (const { role, name, content, from } of derivedFiles) {
    const file = fileOf(manifest, role, name)
    wanted.add(file)
    const isTable = kindOf(role).form === 'table'
    const stored = isTable ? readObject(dist, file) : null
    const isSame = stored ? Buffer.compare(stored, from as Uint8Array) === 0 : content === file.content
    if (!isSame) {
      const columns = stored ? columnsOf(stored, from as Uint8Array) : ''
      faults.push(`${describe(file)} does not match the files it is derived from${columns}`)
    }
  }
  const others = manifest.files.filter((file) => file.derived && !wanted.has(file))
  return [...faults, ...others.map((file) => `${describe(file)} is marked as derived, but is unknown`)]
}

/** Takes the positions of pages from the stored files, and derives only their contents. */
function storedPages({ dist, manifest, pool, checked }: Context): PageMaker {
  const contents = new Map<string, Promise<string>>()
  return {
    start: (name, source) => void contents.set(name, handleLater(pool.run<string>('pages', source))),
    made: async () => void (await Promise.all(contents.values())),
    async take(name) {
      const file = fileOf(manifest, 'pages', name)
      const { membersAt: at } = checked.find((one) => one.file === file)!.findings
      return { at, content: await contents.get(name)!, from: { path: objectPath(dist, file.sha256) } }
    },
  }
}

function columnsOf(stored: Uint8Array, derived: Uint8Array): string {
  const [a, b] = [decodeTable(stored).columns, decodeTable(derived).columns]
  const bytesOf = (column: Column | undefined) =>
    column ? Buffer.from(column.buffer, column.byteOffset, column.byteLength) : Buffer.alloc(0)
  const names = Object.keys(b).filter((name) => Buffer.compare(bytesOf(a[name]), bytesOf(b[name])) !== 0)
  return names.length === 0 ? '' : ` (${names.join(', ')})`
}
