/** Small feeds in the upstream formats, in a folder that a test can change, and the content of a corpus. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { unzipSync, zipSync } from 'fflate'
import { type CveId, cveBlock } from '../../corpus/model/ids/cve-id.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'

export interface SmallRecord {
  id: CveId
  state?: 'PUBLISHED' | 'REJECTED'
  title?: string
  updated?: string
  /** `packageURL` of its affected product. */
  purl?: string
}

/** Returns a record of the CVE list in upstream's format, with the fields that the tests use. */
export function cveRecord({
  id,
  state = 'PUBLISHED',
  title = `A fault in ${id}`,
  updated,
  purl,
}: SmallRecord): unknown {
  const dateUpdated = updated ?? '2024-05-02T08:00:00.000Z'
  const dates = { datePublished: '2024-05-01T08:00:00.000Z', dateUpdated }
  const provider = { orgId: '00000000-0000-4000-8000-000000000001', shortName: 'acme', dateUpdated }
  const metadata = { cveId: id, state, assignerShortName: 'acme', ...dates }
  if (state === 'REJECTED') {
    const cna = { providerMetadata: provider, rejectedReasons: [{ lang: 'en', value: 'Given out twice.' }] }
    return { dataType: 'CVE_RECORD', cveMetadata: { ...metadata, dateRejected: dateUpdated }, containers: { cna } }
  }
  const cna = {
    providerMetadata: provider,
    title,
    descriptions: [{ lang: 'en', value: 'The parser of Acme Widget reads past the end of its input.' }],
    affected: [
      { vendor: 'Acme', product: 'Widget', packageURL: purl, versions: [{ version: '1.0', status: 'affected' }] },
    ],
    references: [{ url: 'https://acme.example/advisories/1' }],
  }
  return { dataType: 'CVE_RECORD', dataVersion: '5.1', cveMetadata: metadata, containers: { cna } }
}

/** `cves/2024/3xxx/CVE-2024-3400.json`. */
export const recordPath = (id: CveId): string => `cves/${cveBlock(id)}/${id}.json`

/** Returns a zip of these files, with the same bytes for the same content. */
export function zipOf(files: Record<string, Uint8Array | string>, level: 0 | 6 = 6): Uint8Array {
  const bytes = Object.entries(files).map(([name, content]) => [name, Buffer.from(content)])
  return zipSync(Object.fromEntries(bytes), { level, mtime: new Date(2024, 0, 1) })
}

/** Returns the release zip of these records, mixed with upstream's other files. */
export function baselineZip(records: readonly SmallRecord[]): Uint8Array {
  const files = records.map((record): [string, string] => [recordPath(record.id), JSON.stringify(cveRecord(record))])
  return zipOf({ ...Object.fromEntries(files), 'cves/delta.json': '{}', 'cves/deltaLog.json': '[]' })
}

export function deltaZip(records: readonly SmallRecord[]): Uint8Array {
  return zipOf(
    Object.fromEntries(records.map((record) => [`deltaCves/${record.id}.json`, JSON.stringify(cveRecord(record))])),
  )
}

export function kevJson(ids: readonly string[], released = '2024-06-01T10:00:00.0000Z'): string {
  const vulnerabilities = ids.map((cveID) => ({
    cveID,
    vendorProject: 'Acme',
    product: 'Widget',
    vulnerabilityName: 'Acme Widget Out-of-Bounds Read Vulnerability',
    dateAdded: '2024-05-20',
    shortDescription: 'Acme Widget contains an out-of-bounds read.',
    requiredAction: 'Apply mitigations per vendor instructions.',
    dueDate: '2024-06-10',
    knownRansomwareCampaignUse: 'Unknown',
    notes: '',
  }))
  const catalogVersion = released.slice(0, 10).replaceAll('-', '.')
  return JSON.stringify({
    title: 'Catalog',
    catalogVersion,
    dateReleased: released,
    count: ids.length,
    vulnerabilities,
  })
}

export function epssCsv(rows: readonly [id: string, score: number, percentile: number][], date: string): Uint8Array {
  const head = `#model_version:v2024.01.01,score_date:${date}T00:00:00+0000\ncve,epss,percentile\n`
  return gzipSync(head + rows.map((row) => `${row.join(',')}\n`).join(''))
}

export function cnaJson(shortNames: readonly string[]): string {
  return JSON.stringify(
    shortNames.map((shortName) => ({
      shortName,
      organizationName: `${shortName} Incorporated`,
      scope: 'Its own products.',
      securityAdvisories: { advisories: [{ url: `https://${shortName}.example/advisories` }] },
      CNA: { type: ['Vendor', 'Open Source'] },
      country: 'Iceland',
    })),
  )
}

/** Contents by path in a feeds folder; null removes a file. */
export type FeedFiles = Record<string, Uint8Array | string | null>

export function putFeeds(folder: string, files: FeedFiles): string {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    if (content === null) rmSync(path, { recursive: true })
    else writeFileSync(path, content)
  }
  return folder
}

/** Returns all data of a corpus that a build can read. */
export function corpusContents(path: string) {
  const corpus = openCorpus(path)
  try {
    const records = corpus.blocks().flatMap(({ block }) => [...corpus.records(block)])
    const { release, scores } = corpus.epss()
    return {
      ...corpus.state(),
      records: records.map(({ digest, ...record }) => ({ ...record, digest: Buffer.from(digest).toString('hex') })),
      epss: { release, scores: [...scores] },
      // The time of a file differs between copies of a folder.
      editions: corpus.epssHistory.editions().map(({ modified: _, ...edition }) => edition),
      history: corpus.epssHistory.blocks().map((block) => corpus.epssHistory.segments(block)),
      rejected: corpus.rejected(),
      cnas: corpus.catalog('cna'),
    }
  } finally {
    corpus.close()
  }
}

/** Adds JSON files to a zip. */
export function addToZip(path: string, added: Record<string, object>): void {
  const files = unzipSync(readFileSync(path))
  for (const [name, content] of Object.entries(added)) files[name] = Buffer.from(JSON.stringify(content))
  writeFileSync(path, zipSync(files))
}
