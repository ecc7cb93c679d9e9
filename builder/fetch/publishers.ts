/**
 * Table of publishers: the address of each feed, and its path in the feeds folder. The adapters' table is
 * `corpus/feeds/table.ts`.
 */
import type { PublishedFeed } from '../../corpus/feeds/table.ts'
import { utcTimestamp } from '../../corpus/model/values/date.ts'
import { META_HEAD } from './digest.ts'
import { cveListFiles, newestCatalog, newestRelease, newestScores, RELEASE_FILE } from './editions.ts'
import type { FileAt } from './wanted.ts'

export interface PublisherContext {
  /** `YYYY-MM-DD`, UTC. */
  today: string
  /** `all` is OSV's whole list; null is the default. */
  ecosystems: readonly string[] | null
}

export interface Listing {
  url: string
  maxBytes: number
  /** @throws TransferError `listing` for any other page */
  read(page: string): FileAt[]
}

export interface Publisher {
  feed: PublishedFeed
  title: string
  folder: string
  /** Several times today's size. */
  maxBytes: number
  head: RegExp
  /** The listing page, if the names are not fixed. */
  files(at: PublisherContext): FileAt[] | Listing
  /** File names that a copy may have. */
  copied: RegExp
  /** Files that ingest does not read, but programs that copy the publisher's files: `builder/SERVING.md`. */
  companions?: { name: RegExp; head: RegExp }[]
  /** As in `WantedFile`. */
  dated?(head: string): string | null
  /** Whether each file stands alone: one that fails leaves the others as they are. */
  independentFiles?: true
  /** Default: all. */
  choose?(names: string[], at: PublisherContext): string[]
}

const MB = 1 << 20
const GB = 1 << 30

const GITHUB_RAW = 'https://raw.githubusercontent.com'
const CODELOAD = 'https://codeload.github.com'
const NVD = 'https://nvd.nist.gov/feeds/json/cve/2.0'
const OSV = 'https://osv-vulnerabilities.storage.googleapis.com'

/** NVD's feed of 2002 contains the earlier years too. */
const FIRST_NVD_YEAR = 2002

/** Package ecosystems, and those with advisories of their own. Distributions repeat the contents of others. */
const DEFAULT_ECOSYSTEMS: readonly string[] = [
  'Bitnami',
  'crates.io',
  'GitHub Actions',
  'Go',
  'Hackage',
  'Hex',
  'Julia',
  'Maven',
  'npm',
  'NuGet',
  'Packagist',
  'Pub',
  'PyPI',
  'RubyGems',
  'SwiftURL',
]

const oneFile = (name: string, url: string) => () => [{ name, url }]
/** Only before the records, because a record may have a field of that name. */
const statedIn = (pattern: RegExp) => (head: string) =>
  utcTimestamp(pattern.exec(head.split('"vulnerabilities"', 1)[0]!)?.[1] ?? '')
/** Zips are checked by their directory. */
const ANY = /^/

export const PUBLISHERS: readonly Publisher[] = [
  {
    feed: 'kev',
    title: 'KEV',
    folder: 'kev',
    maxBytes: 64 * MB,
    head: /"vulnerabilities"/,
    files: oneFile(
      'known_exploited_vulnerabilities.json',
      'https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json',
    ),
    copied: /^known_exploited_vulnerabilities\.json$/,
    dated: statedIn(/"dateReleased"\s*:\s*"([^"]*)"/),
  },
  {
    feed: 'euvd',
    title: 'EUVD KEV',
    folder: 'euvd',
    maxBytes: 64 * MB,
    head: /"euvdId"/,
    files: oneFile('euvd_kev.json', 'https://euvdservices.enisa.europa.eu/api/kev/dump'),
    copied: /^euvd_kev\.json$/,
  },
  {
    feed: 'cna',
    title: 'CNA list',
    folder: 'cna',
    maxBytes: 64 * MB,
    head: /"shortName"/,
    files: oneFile('CNAsList.json', `${GITHUB_RAW}/CVEProject/cve-website/dev/src/assets/data/CNAsList.json`),
    copied: /^CNAsList\.json$/,
  },
  {
    feed: 'epss',
    title: 'EPSS',
    folder: 'epss',
    maxBytes: 64 * MB,
    head: /^(?:#[^\n]*\n)?cve,epss,percentile\r?\n/,
    files: () => [
      {
        name: 'epss_scores-current.csv.gz',
        url: 'https://epss.empiricalsecurity.com/epss_scores-current.csv.gz',
        rename: newestScores.nameOf,
      },
    ],
    copied: newestScores.pattern,
    choose: newestScores.choose,
  },
  {
    feed: 'cvelist',
    title: 'CVE list',
    folder: 'cvelistv5',
    maxBytes: 4 * GB,
    head: ANY,
    files: () => ({
      // During an upload, the newest release may have no files yet.
      url: 'https://api.github.com/repos/CVEProject/cvelistV5/releases?per_page=5',
      maxBytes: 32 * MB,
      read: cveListFiles,
    }),
    copied: RELEASE_FILE,
    choose: newestRelease,
  },
  {
    feed: 'nvd',
    title: 'NVD',
    folder: 'nvd',
    maxBytes: 512 * MB,
    head: /"vulnerabilities"/,
    files: ({ today }) => nvdFiles(Number(today.slice(0, 4))),
    // Also pages of the API, under any name.
    copied: /^(?!nvdcpe|cpe)[\w.-]+\.json(?:\.gz)?$|^nvdcve-2\.0-\w+\.meta$/i,
    companions: [{ name: /\.meta$/, head: META_HEAD }],
    dated: statedIn(/"timestamp"\s*:\s*"([^"]*)"/),
    independentFiles: true,
  },
  {
    feed: 'ghsa',
    title: 'GitHub advisories',
    folder: 'ghsa',
    maxBytes: 4 * GB,
    head: ANY,
    files: oneFile('advisory-database.zip', `${CODELOAD}/github/advisory-database/zip/refs/heads/main`),
    copied: /^advisory-database\.zip$/,
  },
  {
    feed: 'osv',
    title: 'OSV',
    folder: 'osv',
    maxBytes: 4 * GB,
    head: ANY,
    files: ({ ecosystems }) =>
      ecosystems?.includes('all')
        ? { url: `${OSV}/${OSV_LIST}`, maxBytes: MB, read: (page) => osvFiles(namedEcosystems(page)) }
        : osvFiles(ecosystems ?? DEFAULT_ECOSYSTEMS),
    copied: /^(?:[A-Za-z0-9][\w .-]*\/(?:all\.zip|modified_id\.csv)|ecosystems\.txt)$/,
    independentFiles: true,
    companions: [
      { name: /^ecosystems\.txt$/, head: /^[\w [\]:.-]+\r?$/m },
      { name: /\/modified_id\.csv$/, head: /^\d{4}-\d{2}-\d{2}T[^,\n]*,\S/ },
    ],
    choose: (names, { ecosystems }) =>
      ecosystems === null || ecosystems.includes('all')
        ? names
        : names.filter((name) => name === OSV_LIST || ecosystems.includes(name.split('/', 1)[0]!)),
  },
  {
    feed: 'cwe',
    title: 'CWE',
    folder: 'cwe',
    maxBytes: 64 * MB,
    head: /<(?:\w+:)?Weakness_Catalog[\s>]/,
    files: oneFile('cwec_latest.xml.zip', 'https://cwe.mitre.org/data/xml/cwec_latest.xml.zip'),
    copied: /^cwec_(?:latest|v[\d.]+)\.xml(?:\.zip)?$/,
    choose: newestCatalog,
  },
  {
    feed: 'capec',
    title: 'CAPEC',
    folder: 'capec',
    maxBytes: 64 * MB,
    head: /"bundle--/,
    files: oneFile('stix-capec.json', `${GITHUB_RAW}/mitre/cti/master/capec/2.1/stix-capec.json`),
    copied: /^(?=[\w.-]*stix)[\w.-]+\.(?:json|zip)$/,
  },
  {
    feed: 'exploitdb',
    title: 'Exploit-DB',
    folder: 'exploitdb',
    maxBytes: 256 * MB,
    head: /^id,file,description,/,
    files: oneFile('files_exploits.csv', 'https://gitlab.com/exploit-database/exploitdb/-/raw/main/files_exploits.csv'),
    copied: /^files_exploits\.csv(?:\.gz)?$/,
  },
  {
    feed: 'metasploit',
    title: 'Metasploit',
    folder: 'metasploit',
    maxBytes: 256 * MB,
    head: /"fullname"/,
    files: oneFile(
      'modules_metadata_base.json',
      `${GITHUB_RAW}/rapid7/metasploit-framework/master/db/modules_metadata_base.json`,
    ),
    copied: /^modules_metadata_base\.json(?:\.gz)?$/,
  },
  {
    feed: 'nuclei',
    title: 'Nuclei',
    folder: 'nuclei',
    maxBytes: 256 * MB,
    head: /^\{"ID":"/,
    files: oneFile('cves.json', `${GITHUB_RAW}/projectdiscovery/nuclei-templates/main/cves.json`),
    copied: /^cves\.json$/,
  },
  {
    feed: 'poc',
    title: 'PoC-in-GitHub',
    folder: 'poc',
    maxBytes: 2 * GB,
    head: ANY,
    files: oneFile('PoC-in-GitHub.zip', `${CODELOAD}/nomi-sec/PoC-in-GitHub/zip/refs/heads/master`),
    copied: /^PoC-in-GitHub\.zip$/,
  },
]

/** `modified` covers the last eight days; NVD renews it every two hours. */
function nvdFiles(thisYear: number): FileAt[] {
  const years = Array.from({ length: thisYear - FIRST_NVD_YEAR + 1 }, (_, index) => String(FIRST_NVD_YEAR + index))
  return [...years, 'modified'].map((part) => ({
    name: `nvdcve-2.0-${part}.json.gz`,
    url: `${NVD}/nvdcve-2.0-${part}.json.gz`,
    meta: new URL(`${NVD}/nvdcve-2.0-${part}.meta`),
    mayBeMissing: part === String(thisYear),
  }))
}

const OSV_LIST = 'ecosystems.txt'

/** The list of changes comes before the records, so that these have every change that it names. */
function osvFiles(ecosystems: readonly string[]): FileAt[] {
  const files = ecosystems.flatMap((ecosystem) =>
    ['modified_id.csv', 'all.zip'].map((file) => ({
      name: `${ecosystem}/${file}`,
      url: `${OSV}/${encodeURIComponent(ecosystem)}/${file}`,
    })),
  )
  return [{ name: OSV_LIST, url: `${OSV}/${OSV_LIST}` }, ...files]
}

/** `Debian:12` belongs to `Debian`. Names that cannot be folder names are ignored. */
function namedEcosystems(page: string): string[] {
  const names = page.split('\n').map((line) => line.trim().split(':', 1)[0]!)
  return [...new Set(names)].filter((name) => ECOSYSTEM.test(name))
}

export const ECOSYSTEM = /^[A-Za-z0-9][\w .-]*$/
