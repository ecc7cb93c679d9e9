/**
 * What the upstream files of the sample's second night say, read without the product's adapters: what an answer is
 * compared with when a test asks where a value comes from.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { XMLParser } from 'fast-xml-parser'
import { unzipSync } from 'fflate'
import type { SampleDist } from '../../support/samples.ts'

export type Json = Record<string, unknown>

export interface Container {
  providerMetadata: { shortName: string; dateUpdated?: string }
  title?: string
  descriptions?: { lang: string; value: string }[]
  affected?: Json[]
  references?: { url: string; name?: string; tags?: string[] }[]
  problemTypes?: { descriptions: { cweId?: string; description: string }[] }[]
  metrics?: Record<string, Json>[]
  workarounds?: unknown[]
  x_adpType?: string
}

export interface CveJson {
  cveMetadata: {
    cveId: string
    state: string
    assignerShortName?: string
    datePublished?: string
    dateUpdated?: string
  }
  containers: { cna?: Container; adp?: Container[] }
}

export interface NvdJson {
  id: string
  lastModified: string
  metrics: Record<string, { source: string; cvssData: Json; baseSeverity?: string }[]>
  weaknesses?: { source: string; type: string; description: { value: string }[] }[]
  references: { url: string; tags?: string[] }[]
}

/** An advisory in the OSV schema. */
export interface OsvJson {
  id: string
  modified: string
  published: string
  withdrawn?: string
  aliases?: string[]
  upstream?: string[]
  summary?: string
  details?: string
  severity?: { type: string; score: string }[]
  references?: { type: string; url: string }[]
  affected: { package?: { ecosystem: string; name: string } }[]
  credits?: { type: string; name: string; contact?: string[] }[]
  database_specific?: {
    severity?: string
    cwe_ids?: string[]
    github_reviewed?: boolean
    github_reviewed_at?: string | null
  }
}

export interface XmlElement {
  [name: string]: XmlElement[] | string | undefined
}

export interface StixJson extends Json {
  type: string
  id: string
  name: string
  description: string
  modified: string
  external_references: { source_name: string; external_id?: string; description?: string }[]
}

export interface VulnCheckJson extends Omit<KevJson, 'cveID' | 'dateAdded' | 'dueDate' | 'requiredAction' | 'notes'> {
  cve: string[]
  date_added: string
  dueDate: string | null
  required_action: string
}

export interface EuvdJson {
  cveId: string
  dateAdded: string
  sources: string[]
  vendorProject?: string
  product?: string
}

export interface KevJson {
  cveID: string
  dateAdded: string
  dueDate: string
  requiredAction: string
  knownRansomwareCampaignUse: string
  notes: string
  vendorProject: string
  product: string
  vulnerabilityName: string
  shortDescription: string
}

export type SampleFeeds = ReturnType<typeof sampleFeeds>

export function sampleFeeds({ feeds, nights }: SampleDist) {
  const night = nights[1]!
  const bytes = (path: string) => readFileSync(join(feeds, path))
  const unzipped = (path: string) => Object.values(unzipSync(bytes(path))).map((file) => Buffer.from(file).toString())
  const documents = <T>(path: string) => unzipped(path).map((text) => JSON.parse(text) as T)
  const gunzipped = (path: string) => gunzipSync(bytes(path)).toString()
  const lines = (text: string) => text.trimEnd().split('\n')
  const objects = (path: string) => lines(bytes(path).toString()).map((line) => JSON.parse(line) as Json)
  const own = (name: string) => objects(`first-party/${night}/${name}.ndjson`)

  const [epssHead, ...epssLines] = lines(gunzipped(`epss/epss_scores-${night}.csv.gz`))
  const nvd = new Map<string, NvdJson>()
  for (const name of readdirSync(join(feeds, 'nvd'))) {
    const { vulnerabilities } = JSON.parse(gunzipped(`nvd/${name}`)) as { vulnerabilities: { cve: NvdJson }[] }
    for (const { cve } of vulnerabilities) {
      const other = nvd.get(cve.id)
      if (!other || other.lastModified < cve.lastModified) nvd.set(cve.id, cve)
    }
  }
  const kev = JSON.parse(bytes('kev/known_exploited_vulnerabilities.json').toString()) as {
    vulnerabilities: KevJson[]
  }
  const framework = JSON.parse(gunzipped(`metasploit/${night}/modules_metadata_base.json.gz`)) as Record<string, Json>

  /** The records of a night by their ids, as texts. */
  const recordTexts = (of: string) =>
    new Map(
      unzipped(`cvelistv5/${of}_all_CVEs.zip`).map((text) => {
        const { cveMetadata } = JSON.parse(text) as CveJson
        return [cveMetadata.cveId, text]
      }),
    )

  return {
    night,
    recordTexts,
    /** Reserved ones may have no containers at all. */
    records: documents<Partial<CveJson> & Pick<CveJson, 'cveMetadata'>>(`cvelistv5/${night}_all_CVEs.zip`).map(
      (record): CveJson => ({ containers: {}, ...record }),
    ),
    vulncheck: JSON.parse(
      bytes(`vulncheck/${night}/vulncheck_known_exploited_vulnerabilities.json`).toString(),
    ) as VulnCheckJson[],
    euvd: JSON.parse(bytes(`euvd/${night}/euvd_kev.json`).toString()) as EuvdJson[],
    exploited: own('exploited'),
    kevEntries: new Map(kev.vulnerabilities.map((entry) => [entry.cveID, entry])),
    kev: new Map(kev.vulnerabilities.map(({ cveID, dateAdded }) => [cveID, dateAdded])),
    epss: {
      date: /score_date:(\d{4}-\d\d-\d\d)/.exec(epssHead!)![1]!,
      modelVersion: /model_version:([^,]+)/.exec(epssHead!)![1]!,
      scores: new Map(
        epssLines.slice(1).map((line) => {
          const [id, score, percentile] = line.split(',')
          return [id!, { score: Number(score), percentile: Number(percentile) }]
        }),
      ),
    },
    nvd,
    advisories: documents<OsvJson>(`ghsa/${night}/advisory-database.zip`),
    osv: readdirSync(join(feeds, 'osv')).flatMap((part) => documents<OsvJson>(`osv/${part}/all-${night}.zip`)),
    archive: parse(gunzipped(`exploitdb/${night}/files_exploits.csv.gz`), { columns: true }) as Record<
      string,
      string
    >[],
    framework: Object.values(framework),
    templates: objects(`nuclei/${night}/cves.json`),
    /** Ids of CVEs for which there are repositories. */
    searched: Object.keys(unzipSync(bytes(`poc/${night}/PoC-in-GitHub.zip`))).map((name) =>
      name.replace(/^.*\/|\.json$/g, ''),
    ),
    reports: own('reports'),
    reportTypes: own('report-types'),
    analyses: own('analyses'),
    serviceScores: own('service-scores'),
    detections: own('detections'),
    cnas: JSON.parse(bytes('cna/CNAsList.json').toString()) as { shortName: string; organizationName: string }[],
    /** The elements of the catalog. Texts of elements are trimmed, their markup is left in. */
    weaknesses: () => catalog(unzipped(`cwe/${only(feeds, 'cwe')}`)[0]!, ['Weaknesses', 'Weakness']),
    stix: () => (JSON.parse(bytes(`capec/${only(feeds, 'capec')}`).toString()) as { objects: StixJson[] }).objects,
  }
}

const only = (feeds: string, folder: string) => readdirSync(join(feeds, folder))[0]!

/** Every element is a list of elements, or a text at its end; attributes are fields that begin with `@`. */
function catalog(xml: string, [list, entry]: readonly [string, string]): XmlElement[] {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    stopNodes: ['*.Description', '*.Extended_Description', '*.Note', '*.Example_Code', '*.Background_Detail'],
    isArray: (_name, _path, _leaf, isAttribute) => !isAttribute,
  })
  const [root] = Object.values(parser.parse(xml) as Record<string, XmlElement[]>).filter(
    (value) => Array.isArray(value) && typeof value[0] === 'object' && list in value[0],
  )
  return childrenOf(childrenOf(root![0]!, list)[0]!, entry)
}

export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  const value = element[name]
  return Array.isArray(value) ? value : []
}

/** The entries of a list: `itemsOf(weakness, 'Common_Consequences', 'Consequence')`. */
export const itemsOf = (element: XmlElement, list: string, item: string): XmlElement[] =>
  childrenOf(element, list).flatMap((one) => childrenOf(one, item))
