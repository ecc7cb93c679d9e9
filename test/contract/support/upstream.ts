/** Records as their publishers write them, with just what a test of a rule is about; and the files they come in. */
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { recordPath, zipOf } from '../../support/feeds.ts'

type Json = Record<string, unknown>

export const UPDATED = '2024-05-02T08:00:00.000Z'
export const PUBLISHED = '2024-05-01T08:00:00.000Z'

/** A container of a CVE record; `name` is the short name of who wrote it. */
export const container = (name: string, fields: Json = {}): Json => ({
  providerMetadata: { orgId: '00000000-0000-4000-8000-000000000001', shortName: name, dateUpdated: UPDATED },
  ...fields,
})

const english = (value: string) => [{ lang: 'en', value }]

/** The least that a CNA's container may have. */
const LEAST: Json = {
  descriptions: english('The parser of Acme Widget reads past the end of its input.'),
  affected: [{ vendor: 'Acme', product: 'Widget', versions: [{ version: '1.0', status: 'affected' }] }],
  references: [{ url: 'https://acme.example/advisories/1' }],
}

export interface UpstreamRecord {
  id: CveId
  /** Fields of the CNA's container; those given replace the least ones, `undefined` takes one away. */
  cna?: Json
  adp?: Json[]
  /** Fields of `cveMetadata`. */
  metadata?: Json
}

export function cveRecord({ id, cna = {}, adp, metadata = {} }: UpstreamRecord): Json {
  const { assignerShortName = 'acme' } = metadata
  return {
    dataType: 'CVE_RECORD',
    dataVersion: '5.1',
    cveMetadata: {
      cveId: id,
      state: 'PUBLISHED',
      assignerShortName,
      datePublished: PUBLISHED,
      dateUpdated: UPDATED,
      ...metadata,
    },
    containers: { cna: container(String(assignerShortName), { ...LEAST, ...cna }), ...(adp ? { adp } : {}) },
  }
}

/** The release of the CVE list of a day, by the name it has in the feeds folder. */
export function cveList(records: readonly UpstreamRecord[], day = '2024-06-01'): Record<string, Uint8Array> {
  const files = records.map((record) => [recordPath(record.id), JSON.stringify(cveRecord(record))])
  return { [`cvelistv5/${day}_all_CVEs.zip`]: zipOf(Object.fromEntries(files)) }
}

/** Vectors and what they score, for tests that need different ones. */
export const VECTORS = {
  '4.0': { score: 9.3, vector: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' },
  '3.1': { score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' },
  '3.0': { score: 5.3, vector: 'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N' },
  '2.0': { score: 5, vector: 'AV:N/AC:L/Au:N/C:P/I:N/A:N' },
} as const

/** A metric of a CVE record's container, `cvssV3_1: {…}`. */
export function cveMetric(
  version: keyof typeof VECTORS,
  baseScore: number = VECTORS[version].score,
  vectorString: string = VECTORS[version].vector,
): Json {
  const key = `cvssV${version.replace('.', '_')}`
  return { format: 'CVSS', [key]: { version, baseScore, vectorString, baseSeverity: 'MEDIUM' } }
}

/** What CISA hangs into a container's metrics. */
export const ssvcMetric = (exploitation: string, automatable: string, impact: string, timestamp: string): Json => ({
  other: {
    type: 'ssvc',
    content: {
      id: 'x',
      role: 'CISA Coordinator',
      version: '2.0.3',
      timestamp,
      options: [{ Exploitation: exploitation }, { Automatable: automatable }, { 'Technical Impact': impact }],
    },
  },
})

export const nvdRecord = (id: CveId, fields: Json = {}): Json => ({
  cve: { id, published: '2024-05-03T09:00:00.000', lastModified: '2024-05-04T09:00:00.000', ...fields },
})

export function nvdPage(records: readonly Json[], timestamp = '2024-06-01T00:00:00.000'): string {
  const totalResults = records.length
  const head = {
    resultsPerPage: totalResults,
    startIndex: 0,
    totalResults,
    format: 'NVD_CVE',
    version: '2.0',
    timestamp,
  }
  return JSON.stringify({ ...head, vulnerabilities: records })
}

/** An entry in the OSV schema. */
export const osvEntry = (id: string, aliases: readonly string[], fields: Json = {}): Json & { id: string } => ({
  schema_version: '1.6.0',
  id,
  aliases,
  published: '2024-05-05T10:00:00Z',
  modified: '2024-05-06T10:00:00Z',
  ...fields,
})

export function ghsaZip(entries: readonly (Json & { id: string })[]): Record<string, Uint8Array> {
  const files = entries.map((entry) => [
    `advisory-database-main/advisories/github-reviewed/2024/05/${entry.id}/${entry.id}.json`,
    JSON.stringify(entry),
  ])
  return { 'ghsa/advisory-database.zip': zipOf(Object.fromEntries(files)) }
}

export function osvZip(entries: readonly (Json & { id: string })[], ecosystem = 'npm'): Record<string, Uint8Array> {
  const files = entries.map((entry) => [`${entry.id}.json`, JSON.stringify(entry)])
  return { [`osv/${ecosystem}/all.zip`]: zipOf(Object.fromEntries(files)) }
}

const CWE_NAMESPACES = 'xmlns="http://cwe.mitre.org/cwe-7" xmlns:xhtml="http://www.w3.org/1999/xhtml"'

/** A weakness; `content` stands behind its description. */
export const cweXmlEntry = (id: number, content = '', attributes = 'Abstraction="Base" Status="Draft"') =>
  `<Weakness ID="${id}" Name="Weakness ${id}" Structure="Simple" ${attributes}>
    <Description>About ${id}.</Description>${content}</Weakness>`

export const cweXml = (weaknesses: string, more = '') =>
  `<?xml version="1.0" encoding="UTF-8"?><Weakness_Catalog Name="CWE" Version="4.15" Date="2024-07-16" ${CWE_NAMESPACES}>
    <Weaknesses>${weaknesses}</Weaknesses>${more}</Weakness_Catalog>`

const patternId = (id: number) => `attack-pattern--00000000-0000-4000-8000-${String(id).padStart(12, '0')}`

/** Returns references to attack patterns: `{ x_capec_child_of_refs: patternRefs(66) }`. */
export const patternRefs = (...ids: number[]) => ids.map(patternId)

/** Returns an attack pattern of STIX with these fields besides the required ones. */
export const capecPattern = (id: number, more: Json = {}): string =>
  JSON.stringify({
    type: 'attack-pattern',
    id: patternId(id),
    name: `Pattern ${id}`,
    description: `About ${id}.`,
    modified: '2023-01-24T00:00:00.000Z',
    external_references: [{ source_name: 'capec', external_id: `CAPEC-${id}` }],
    x_capec_abstraction: 'Standard',
    x_capec_status: 'Draft',
    x_capec_version: '3.9',
    ...more,
  })

/** Returns the CAPEC catalog; `objects` are JSON texts. */
export const capecBundle = (objects: readonly string[]) => `{"type":"bundle","id":"bundle--1","objects":[${objects}]}`

const ARCHIVE_COLUMNS =
  'id,file,description,date_published,author,type,platform,port,date_added,date_updated,verified,codes,tags,aliases,screenshot_url,application_url,source_url'

export interface ArchiveRow {
  id: number
  description: string
  published: string
  verified: boolean
  cves: readonly string[]
  platform?: string
}

export const archiveCsv = (rows: readonly ArchiveRow[]) =>
  [
    ARCHIVE_COLUMNS,
    ...rows.map(
      ({ id, description, published, verified, cves, platform = 'linux' }) =>
        `${id},exploits/${platform}/local/${id}.py,"${description}",${published},someone,local,${platform},,${published},${published},${verified ? 1 : 0},${cves.join(';')},,,,,`,
    ),
  ].join('\n')

/** Modules of the framework by their full names. */
export function frameworkJson(modules: Record<string, Json>): string {
  const entries = Object.entries(modules).map(([fullname, fields]) => {
    const module = {
      name: `Module ${fullname}`,
      fullname,
      type: fullname.split('/')[0],
      path: `/modules/${fullname}.rb`,
    }
    return [fullname.replaceAll('/', '_'), { ...module, author: ['someone'], platform: 'Windows', ...fields }]
  })
  return JSON.stringify(Object.fromEntries(entries))
}

/** Lines of the operator's own files. */
export const lines = (items: readonly Json[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('')
