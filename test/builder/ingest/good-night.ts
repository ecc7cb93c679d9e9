/** A good night of every feed with twenty small items, for tests to damage, and the corpus of the previous night. */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import * as assert from 'uvu/assert'
import { IngestError } from '../../../builder/ingest/error.ts'
import { type IngestOptions, type IngestReport, ingest } from '../../../builder/ingest/ingest.ts'
import type { FeedName } from '../../../corpus/feeds/table.ts'
import {
  archiveCsv,
  capecBundle,
  capecPattern,
  cweXml,
  cweXmlEntry,
  frameworkJson,
  nvdPage,
  nvdRecord,
  osvEntry,
} from '../../contract/support/upstream.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { cnaJson, cveRecord, kevJson, putFeeds, recordPath, zipOf } from '../../support/feeds.ts'

export const [BEFORE, YESTERDAY, TODAY] = ['2024-05-31', '2024-06-01', '2024-06-02'] as const
export const COUNT = 20

export const id = (n: number) => `CVE-2024-${String(1000 + n)}` as const
const uuid = (n: number) => `7b6c1f0e-5a53-4c1e-9c1b-${String(n).padStart(12, '0')}`
const ghsa = (n: number) => `GHSA-aaaa-bbbb-${String(n).padStart(4, '0')}`

export type Content = Uint8Array | string

/** The format of a feed: its items as text, and their file. */
export interface Form {
  path(day: string): string
  item(n: number): string
  /** Returns the file of these items. In feeds with one file per item, it is that of item 1, whatever its content. */
  file(items: readonly string[], day: string): Content
  /** The keys of items in the report. */
  key(n: number): string
}

const member = (json: string, list = 'vulnerabilities') => JSON.stringify(JSON.parse(json)[list][0])
const tree = (items: readonly string[], name: (n: number) => string) =>
  zipOf(Object.fromEntries(items.map((item, i) => [name(i + 1), item])))
const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('')

/** The operator's own feeds of lines. */
function own(name: string, key: (n: number) => string, fields: (n: number) => object): Form {
  return {
    path: (day) => `first-party/${name}-${day}.ndjson`,
    item: (n) => JSON.stringify(fields(n)),
    file: lines,
    key,
  }
}

export const FORMS: Record<FeedName, Form> = {
  kev: {
    path: (day) => `kev/${day}/known_exploited_vulnerabilities.json`,
    item: (n) => member(kevJson([id(n)])),
    file: (items, day) =>
      kevJson([], `${day}T10:00:00.000Z`)
        .replace('"vulnerabilities":[]', () => `"vulnerabilities":[${items}]`)
        .replace('"count":0', `"count":${items.length}`),
    key: id,
  },
  vulncheck: {
    path: (day) => `vulncheck/${day}/vulncheck_known_exploited_vulnerabilities.json`,
    item: (n) =>
      JSON.stringify({
        vendorProject: 'Acme',
        product: 'Widget',
        vulnerabilityName: 'Acme Widget Out-of-Bounds Read',
        knownRansomwareCampaignUse: 'Unknown',
        cve: [id(n)],
        date_added: '2024-05-20T00:00:00Z',
      }),
    file: (items) => `[${items.join(',\n')}]`,
    key: id,
  },
  euvd: {
    path: (day) => `euvd/${day}/euvd_kev.json`,
    item: (n) =>
      JSON.stringify({
        cveId: id(n),
        euvdId: `EUVD-2024-${1000 + n}`,
        dateAdded: '2024-05-20',
        sources: ['eukev_kev'],
        vendorProject: 'Acme',
        product: 'Widget',
        vulnerabilityName: 'Acme Widget Out-of-Bounds Read',
      }),
    file: (items) => `[${items.join(',\n')}]`,
    key: id,
  },
  cna: {
    path: (day) => `cna/${day}/CNAsList.json`,
    item: (n) => cnaJson([`cna${n}`]).slice(1, -1),
    file: (items) => `[${items}]`,
    key: (n) => `cna${n}`,
  },
  cwe: {
    path: (day) => `cwe/${day}/cwec_v4.15.xml`,
    item: (n) => cweXmlEntry(n),
    file: (items, day) => cweXml(items.join('\n')).replace('2024-07-16', day),
    key: (n) => `CWE-${n}`,
  },
  capec: {
    path: (day) => `capec/${day}/stix-capec.json`,
    item: (n) => capecPattern(n),
    file: (items, day) => capecBundle(items).replaceAll('2023-01-24', day),
    key: (n) => `CAPEC-${n}`,
  },
  epss: {
    path: (day) => `epss/epss_scores-${day}.csv.gz`,
    item: (n) => `${id(n)},0.5,0.${n + 10}`,
    file: (items, day) =>
      gzipSync(`#model_version:v1,score_date:${day}T00:00:00+0000\ncve,epss,percentile\n${lines(items)}`),
    key: id,
  },
  exploitdb: {
    path: (day) => `exploitdb/${day}/files_exploits.csv`,
    item: (n) => archiveCsv([archived(n)]).split('\n')[1]!,
    file: (items) => lines([archiveCsv([]), ...items]),
    key: String,
  },
  metasploit: {
    path: (day) => `metasploit/${day}/modules_metadata_base.json`,
    item: (n) => frameworkJson({ [`exploit/linux/local/m${n}`]: { references: [id(n)] } }).slice(1, -1),
    file: (items) => `{${items}}`,
    key: (n) => `exploit/linux/local/m${n}`,
  },
  nuclei: {
    path: (day) => `nuclei/${day}/cves.json`,
    item: (n) => JSON.stringify({ ID: id(n), Info: { Name: 'A template' }, file_path: `http/${id(n)}.yaml` }),
    file: lines,
    key: id,
  },
  poc: {
    path: (day) => `poc/PoC-in-GitHub-${day}.zip`,
    item: (n) =>
      JSON.stringify([{ html_url: `https://github.example/${n}`, full_name: `someone/${n}`, stargazers_count: 3 }]),
    file: (items) => tree(items, (n) => `PoC-in-GitHub/2024/${id(n)}.json`),
    key: id,
  },
  'report-types': own(
    'report-types',
    (n) => `kind_${n}`,
    (n) => ({ prompt_name: `kind_${n}`, enabled: true, output_schema: { type: 'object' } }),
  ),
  reports: own('reports', uuid, (n) => ({
    id: uuid(n),
    cve_id: id(n),
    report_type: 'kind_1',
    model: 'm',
    created_at: '2024-05-20T00:00:00Z',
    status: 'final',
    report_text: 'What it is about.',
  })),
  analyses: own('analyses', id, (n) => ({
    cve_id: id(n),
    summary: 'What it is about.',
    generated_at: '2024-05-20T00:00:00Z',
  })),
  'service-scores': own(
    'service-scores',
    (n) => `${id(n)} 3.1`,
    (n) => ({
      cve_id: id(n),
      cvss_version: '3.1',
      vector_string: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
      scored_at: '2024-05-20T00:00:00Z',
    }),
  ),
  detections: own(
    'detections',
    (n) => `siem own Rule ${n} (${id(n)})`,
    (n) => ({ cve_id: id(n), layer: 'siem', source: 'own', name: `Rule ${n}`, confidence: 'high' }),
  ),
  exploited: own(
    'exploited',
    (n) => `acme ${id(n)}`,
    (n) => ({ cve_id: id(n), catalog: 'acme', date_added: '2024-05-20' }),
  ),
  ghsa: {
    path: (day) => `ghsa/advisory-database-${day}.zip`,
    item: (n) => JSON.stringify(osvEntry(ghsa(n), [id(n)])),
    file: (items) => tree(items, (n) => `x/advisories/github-reviewed/2024/05/${ghsa(n)}/${ghsa(n)}.json`),
    key: ghsa,
  },
  osv: {
    path: (day) => `osv/npm/${day}-all.zip`,
    item: (n) => JSON.stringify(osvEntry(`NPM-${n}`, [id(n)])),
    file: (items) => tree(items, (n) => `NPM-${n}.json`),
    key: (n) => `NPM-${n}`,
  },
  nvd: {
    path: (day) => `nvd/nvdcve-2.0-2024-${day}.json`,
    item: (n) => JSON.stringify(nvdRecord(id(n))),
    file: (items, day) =>
      nvdPage([], `${day}T00:00:00.000`)
        .replace('"vulnerabilities":[]', () => `"vulnerabilities":[${items}]`)
        .replaceAll(/"(resultsPerPage|totalResults)":0/g, `"$1":${items.length}`),
    key: id,
  },
  cvelist: {
    path: (day) => `cvelistv5/${day}_all_CVEs.zip`,
    item: (n) => JSON.stringify(cveRecord({ id: id(n) })),
    file: (items) => tree(items, (n) => recordPath(id(n))),
    key: id,
  },
}

function archived(id_: number) {
  return { id: id_, description: 'A fault', published: '2024-05-20', verified: true, cves: [id(id_)] }
}

export const NAMES = Object.keys(FORMS) as FeedName[]
export const items = (name: FeedName, count = COUNT): string[] =>
  Array.from({ length: count }, (_, i) => FORMS[name].item(i + 1))
export const good = (name: FeedName, day: string): Content => FORMS[name].file(items(name), day)

let root: ReturnType<typeof temporaryFolder> | undefined
let made: Promise<string> | undefined

function rootFolder(): string {
  root ??= temporaryFolder('faulty-nights')
  return root.path
}

export function removeNights(): void {
  root?.remove()
  root = undefined
  made = undefined
}

/** Returns the corpus of yesterday's good feeds, built once. */
function yesterdaysCorpus(): Promise<string> {
  made ??= (async () => {
    const feeds = putFeeds(join(rootFolder(), 'yesterday'), filesOf(YESTERDAY))
    const corpus = join(rootFolder(), 'corpus.db')
    await ingest({ feeds, corpus, jobs: 0 }, quietEffects())
    return corpus
  })()
  return made
}

const filesOf = (day: string) => Object.fromEntries(NAMES.map((name) => [FORMS[name].path(day), good(name, day)]))

export type Night = Awaited<ReturnType<typeof openNight>>

/** Returns a copy of yesterday's corpus, with yesterday's feeds except `without`. */
export async function openNight(without: readonly FeedName[] = []) {
  const folder = mkdtempSync(join(rootFolder(), 'night-'))
  const corpus = join(folder, 'corpus.db')
  copyFileSync(await yesterdaysCorpus(), corpus)
  const gone = without.map((name) => FORMS[name].path(YESTERDAY))
  const kept = Object.entries(filesOf(YESTERDAY)).filter(([path]) => !gone.includes(path))
  const feeds = putFeeds(join(folder, 'feeds'), Object.fromEntries(kept))
  const run = (options: Partial<IngestOptions> = {}) => ingest({ feeds, corpus, jobs: 0, ...options }, quietEffects())
  return {
    feeds,
    corpus,
    put: (files: Record<string, Content | null>) => void putFeeds(feeds, files),
    run,
    /** Returns the error of an ingest, and asserts that every row of the corpus is unchanged. */
    async refusal(options: Partial<IngestOptions> = {}): Promise<IngestError> {
      const before = rowsDigest(corpus)
      const error = await run(options).then(
        () => assert.unreachable('it was let through'),
        (thrown: unknown) => thrown,
      )
      assert.instance(error, IngestError, String(error))
      assert.is(rowsDigest(corpus), before, 'the corpus changed')
      return error as IngestError
    },
  }
}

/** Returns a digest over every row of every table. */
export function rowsDigest(path: string): string {
  const database = new Database(path, { readonly: true })
  try {
    const digest = createHash('sha256')
    const tables = database.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    for (const table of tables.pluck().all()) {
      const rows = database.prepare<[], unknown[]>(`SELECT * FROM "${table}"`).raw().all()
      const texts = rows.map((row) =>
        JSON.stringify(row.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value))),
      )
      digest.update(`${table}\n${texts.sort().join('\n')}\n`)
    }
    return digest.digest('hex')
  } finally {
    database.close()
  }
}

export const reportOf = (report: IngestReport, name: FeedName) => report.feeds.find((feed) => feed.name === name)!

/** Returns the skipped items of a feed: `CVE-2024-1001 json_invalid`. */
export const skipsOf = (report: IngestReport, name: FeedName): string[] =>
  reportOf(report, name).skipped.flatMap(({ reason, items: all }) => all.map(({ key }) => `${key} ${reason}`))
