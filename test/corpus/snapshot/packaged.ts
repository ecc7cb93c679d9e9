/** Snapshots made from another one, with hand-written advisories and packages. */

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CveId, compareCveIds, firstOfBlock } from '../../../corpus/model/ids/cve-id.ts'
import { advisoryRow } from '../../../corpus/model/packages/advisory-row.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { openPool } from '../../../corpus/runtime/pool.ts'
import { gunzipFile } from '../../../corpus/snapshot/codec/inflate.ts'
import type { AdvisoryRows, HashedRows, PackageRows } from '../../../corpus/snapshot/derive/advisory-rows.ts'
import { type DeriveInput, deriveFiles } from '../../../corpus/snapshot/derive/derive.ts'
import { extractShard } from '../../../corpus/snapshot/derive/extract.ts'
import { rowCollector } from '../../../corpus/snapshot/derive/rows.ts'
import { decodeAbout } from '../../../corpus/snapshot/files/about.ts'
import type { FileEntry, Role } from '../../../corpus/snapshot/files/manifest.ts'
import { CATALOGS, decodeCatalog } from '../../../corpus/snapshot/record/catalog.ts'
import { decodeEpss } from '../../../corpus/snapshot/record/epss.ts'
import { encodeMember } from '../../../corpus/snapshot/record/member.ts'
import { decodeRejected } from '../../../corpus/snapshot/record/rejected.ts'
import { contentOf, type GoodSnapshot } from './forgery.ts'

export interface AdvisoryCase {
  id: string
  aliases?: string[]
  cveIds?: CveId[]
}

export interface PackageCase {
  ecosystem: string
  name: string
  folded: string
  advisories: string[]
}

export interface PackagedSnapshot {
  dist: string
  files: FileEntry[]
  rows: { advisories: AdvisoryRows; packages: PackageRows }
}

const byKey = <T extends { key: string }>(cases: T[]) =>
  cases.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))

/** Returns a copy with one shard of these advisories, one of these packages, and all derived files. */
export async function packagedSnapshot(
  good: GoodSnapshot,
  advisoryCases: readonly AdvisoryCase[],
  packageCases: readonly PackageCase[],
): Promise<PackagedSnapshot> {
  const dist = good.copy()
  const put = (role: Role, name: string, bytes: Uint8Array, content: string, count: number, derived: boolean) => {
    const file: FileEntry = { role, name, sha256: sha256(bytes), size: bytes.length, content, count, derived }
    good.putObject(dist, bytes)
    return file
  }
  const shards: FileEntry[] = []
  const shard = (
    role: 'advisories' | 'packages',
    kind: number,
    entries: { key: string; value: object }[],
  ): HashedRows => {
    const members = entries.map(
      ({ key, value }) =>
        encodeMember(encodeURI(key), [{ kind, count: 1, plain: Buffer.from(JSON.stringify(value)) }, Buffer.from('\n')])
          .bytes,
    )
    const bytes = Buffer.concat(members)
    if (entries.length > 0) shards.push(put(role, '0000', bytes, contentOf(bytes), entries.length, false))
    let end = 0
    const at = members.map((member) => {
      end += member.length
      return end - member.length
    })
    return { keys: entries.map(({ key }) => key), at, length: members.map(({ length }) => length) }
  }
  const advisories = byKey(
    advisoryCases.map(({ id, aliases = [], cveIds = [] }) => ({ key: id, aliases, cveIds, value: { id, aliases } })),
  )
  const packages = byKey(
    packageCases.map(({ ecosystem, name, folded, advisories }) => {
      const value = { ecosystem, name, purl: null }
      return { key: `${ecosystem}/${folded}`, advisories, value }
    }),
  )
  const rows: PackagedSnapshot['rows'] = {
    advisories: {
      ...shard('advisories', 66, advisories),
      aliases: advisories.map(({ aliases }) => aliases),
      cveIds: advisories.map(({ cveIds }) => cveIds),
      rows: advisories.map(({ value }) => JSON.stringify(advisoryRow(value))),
    },
    packages: {
      ...shard('packages', 67, packages),
      packages: packages.map(({ value }) => value),
      ecosystems: packages.map(({ value }) => [value.ecosystem]),
      advisories: packages.map(({ advisories }) => advisories),
    },
  }
  const kept = good.manifest.files.filter(
    ({ role, derived }) => !derived && role !== 'advisories' && role !== 'packages',
  )
  const files = [...kept, ...shards]
  files.push(...(await derivedFiles(good, dist, { ...inputOf(good), ...rows })))
  good.activate(dist, files)
  return { dist, files, rows }
}

/** Writes all derived files to a copy. */
async function derivedFiles(good: GoodSnapshot, dist: string, input: DeriveInput): Promise<FileEntry[]> {
  const files: FileEntry[] = []
  const pool = openPool(new URL('../../../corpus/snapshot/derive/tasks.ts', import.meta.url), 0)
  try {
    for await (const { role, name, content, count, from } of deriveFiles(pool, input, (file) => join(dist, file))) {
      const bytes = 'path' in from ? readAndRemove(from.path) : from
      good.putObject(dist, bytes)
      files.push({ role, name, sha256: sha256(bytes), size: bytes.length, content, count, derived: true })
    }
  } finally {
    await pool.close()
  }
  return files
}

function readAndRemove(path: string): Buffer {
  const bytes = readFileSync(path)
  rmSync(path)
  return bytes
}

function inputOf({ manifest, bytesOf }: GoodSnapshot): Omit<DeriveInput, 'advisories' | 'packages'> {
  const collector = rowCollector()
  for (const { name } of manifest.files.filter(({ role }) => role === 'cve').sort(byFirstId)) {
    collector.add({ name, shard: extractShard(bytesOf('cve', name)) })
  }
  const catalogs = CATALOGS.map((name) => [name, decodeCatalog(name, bytesOf('catalog', name))])
  const about = decodeAbout(gunzipFile('about', bytesOf('about')))
  return {
    rows: collector.rows(),
    epss: decodeEpss(gunzipFile('epss', bytesOf('epss'))),
    history: { dist: '', files: [], editions: [] },
    catalogs: Object.fromEntries(catalogs),
    corpusDate: about.corpus_date,
    lastUpdate: about.last_update,
    rejected: decodeRejected(gunzipFile('rejected', bytesOf('rejected'))),
  }
}

const byFirstId = (a: FileEntry, b: FileEntry) => compareCveIds(firstOfBlock(a.name), firstOfBlock(b.name))
