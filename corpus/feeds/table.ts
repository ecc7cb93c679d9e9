/** The table of feeds: name, location, publisher, licence and adapter. */
import { CAPEC_ADAPTER, findCapec, readCapec } from './capec/capec.ts'
import { CNA_ADAPTER, findCnaList, readCnaList } from './cna.ts'
import { cveList } from './cvelist/cvelist.ts'
import { findCveList } from './cvelist/files.ts'
import { CWE_ADAPTER, findCwe, readCwe } from './cwe/cwe.ts'
import { EPSS_ADAPTER, findEpss, readEpss, readPastEpss } from './epss.ts'
import { EUVD_ADAPTER, findEuvd, readEuvd } from './euvd.ts'
import { EXPLOIT_DB_ADAPTER, findExploitDb, readExploitDb } from './exploits/exploitdb.ts'
import { findMetasploit, METASPLOIT_ADAPTER, readMetasploit } from './exploits/metasploit.ts'
import { findNuclei, NUCLEI_ADAPTER, readNuclei } from './exploits/nuclei.ts'
import { findPoc, poc } from './exploits/poc.ts'
import type { Feed } from './feed.ts'
import { FIRST_PARTY_FEEDS } from './first-party/feeds.ts'
import type { FirstPartyName } from './first-party/files.ts'
import { findGhsa, ghsa } from './ghsa/ghsa.ts'
import { findKev, KEV_ADAPTER, readKev } from './kev.ts'
import { findNvd } from './nvd/files.ts'
import { NVD_ADAPTER, type NvdBatch, openNvd, readNvdBatch } from './nvd/nvd.ts'
import { findOsv, osv } from './osv/osv.ts'
import { findVulnCheck, readVulnCheck, VULNCHECK_ADAPTER } from './vulncheck.ts'

export type PublishedFeed =
  | 'cvelist'
  | 'kev'
  | 'vulncheck'
  | 'euvd'
  | 'epss'
  | 'cna'
  | 'nvd'
  | 'ghsa'
  | 'osv'
  | 'cwe'
  | 'capec'
  | 'exploitdb'
  | 'metasploit'
  | 'nuclei'
  | 'poc'

export type FeedName = PublishedFeed | FirstPartyName

/** In ingest order: small feeds first, so that their errors are reported early. */
export const FEEDS: readonly (Feed & { name: FeedName })[] = [
  {
    name: 'kev',
    title: 'KEV',
    kind: 'claims',
    lookedFor: 'kev/known_exploited_vulnerabilities.json',
    licence: 'CC0-1.0',
    attribution: 'CISA, Known Exploited Vulnerabilities Catalog',
    required: false,
    // Published on some working days.
    maxDaysApart: 7,
    maxAgeDays: 10,
    adapter: KEV_ADAPTER,
    find: findKev,
    read: readKev,
  },
  {
    name: 'vulncheck',
    title: 'VulnCheck KEV',
    kind: 'claims',
    lookedFor: 'vulncheck/vulncheck_known_exploited_vulnerabilities*.json',
    licence: 'VulnCheck terms of service',
    attribution: 'VulnCheck, VulnCheck KEV (https://vulncheck.com/kev)',
    required: false,
    // Its file states no date.
    maxDaysApart: null,
    maxAgeDays: null,
    adapter: VULNCHECK_ADAPTER,
    find: findVulnCheck,
    read: readVulnCheck,
  },
  {
    name: 'euvd',
    title: 'EUVD KEV',
    kind: 'claims',
    lookedFor: 'euvd/euvd_kev*.json',
    licence: 'free to use with attribution',
    attribution: 'ENISA, European Vulnerability Database (https://euvd.enisa.europa.eu)',
    required: false,
    // Its file states no date.
    maxDaysApart: null,
    maxAgeDays: null,
    adapter: EUVD_ADAPTER,
    find: findEuvd,
    read: readEuvd,
  },
  {
    name: 'cna',
    title: 'CNA list',
    kind: 'claims',
    lookedFor: 'cna/CNAsList.json',
    licence: 'CVE Terms of Use',
    attribution: 'CVE Program, list of partners',
    required: false,
    maxDaysApart: null,
    maxAgeDays: null,
    adapter: CNA_ADAPTER,
    find: findCnaList,
    read: readCnaList,
  },
  {
    name: 'cwe',
    title: 'CWE',
    kind: 'claims',
    lookedFor: 'cwe/cwec*.xml or cwe/cwec*.xml.zip',
    licence: 'CWE Terms of Use',
    attribution: 'The MITRE Corporation, Common Weakness Enumeration (https://cwe.mitre.org)',
    required: false,
    maxDaysApart: null,
    maxAgeDays: null,
    adapter: CWE_ADAPTER,
    find: findCwe,
    read: readCwe,
  },
  {
    name: 'capec',
    title: 'CAPEC',
    kind: 'claims',
    lookedFor: 'capec/*stix*.json or capec/*stix*.zip',
    licence: 'CAPEC Terms of Use',
    attribution:
      'The MITRE Corporation, Common Attack Pattern Enumeration and Classification (https://capec.mitre.org)',
    required: false,
    datedByRecords: true,
    maxDaysApart: null,
    maxAgeDays: null,
    adapter: CAPEC_ADAPTER,
    find: findCapec,
    read: readCapec,
  },
  {
    name: 'epss',
    title: 'EPSS',
    kind: 'scores',
    lookedFor: 'epss/epss_scores-<date>.csv.gz',
    licence: 'free to use with attribution',
    attribution: 'FIRST, Exploit Prediction Scoring System (https://www.first.org/epss)',
    required: false,
    maxDaysApart: 1,
    maxAgeDays: 3,
    adapter: EPSS_ADAPTER,
    find: findEpss,
    read: readEpss,
    readPast: readPastEpss,
  },
  {
    name: 'exploitdb',
    title: 'Exploit-DB',
    kind: 'claims',
    lookedFor: 'exploitdb/files_exploits.csv',
    licence: 'GPL-2.0-or-later',
    attribution: 'OffSec, Exploit Database (https://www.exploit-db.com)',
    required: false,
    datedByRecords: true,
    maxDaysApart: null,
    maxAgeDays: 60,
    adapter: EXPLOIT_DB_ADAPTER,
    find: findExploitDb,
    read: readExploitDb,
  },
  {
    name: 'metasploit',
    title: 'Metasploit',
    kind: 'claims',
    lookedFor: 'metasploit/modules_metadata_base.json',
    licence: 'BSD-3-Clause',
    attribution: 'Rapid7, Metasploit Framework (https://github.com/rapid7/metasploit-framework)',
    required: false,
    datedByRecords: true,
    maxDaysApart: null,
    maxAgeDays: 60,
    adapter: METASPLOIT_ADAPTER,
    find: findMetasploit,
    read: readMetasploit,
  },
  {
    name: 'nuclei',
    title: 'Nuclei templates',
    kind: 'claims',
    lookedFor: 'nuclei/cves.json',
    licence: 'MIT',
    attribution: 'ProjectDiscovery, nuclei-templates (https://github.com/projectdiscovery/nuclei-templates)',
    required: false,
    maxDaysApart: null,
    maxAgeDays: null,
    adapter: NUCLEI_ADAPTER,
    find: findNuclei,
    read: readNuclei,
  },
  {
    name: 'poc',
    title: 'PoC-in-GitHub',
    lookedFor: 'poc/*.zip or poc/PoC-in-GitHub*/',
    licence: 'not stated',
    attribution: 'nomi-sec, PoC-in-GitHub (https://github.com/nomi-sec/PoC-in-GitHub)',
    required: false,
    maxDaysApart: 1,
    maxAgeDays: 3,
    find: findPoc,
    ...poc,
  },
  ...FIRST_PARTY_FEEDS,
  {
    name: 'ghsa',
    title: 'GitHub advisories',
    lookedFor: 'ghsa/advisory-database*.zip or ghsa/**/advisories/',
    licence: 'CC-BY-4.0',
    attribution: 'GitHub Advisory Database (https://github.com/advisories)',
    required: false,
    maxDaysApart: 1,
    maxAgeDays: 3,
    find: findGhsa,
    ...ghsa,
  },
  {
    name: 'osv',
    title: 'OSV',
    lookedFor: 'osv/all.zip or osv/<ecosystem>/all.zip',
    licence: 'by database: https://google.github.io/osv.dev/data/',
    attribution: 'OSV (https://osv.dev) and the databases that it exports',
    required: false,
    independentFiles: true,
    maxDaysApart: 1,
    maxAgeDays: 3,
    find: findOsv,
    ...osv,
  },
  {
    name: 'nvd',
    title: 'NVD',
    kind: 'batches',
    lookedFor: 'nvd/*.json or nvd/*.json.gz',
    licence: 'public domain',
    attribution: 'NIST, National Vulnerability Database; this product is not endorsed or certified by the NVD',
    required: false,
    independentFiles: true,
    maxDaysApart: 1,
    maxAgeDays: 3,
    adapter: NVD_ADAPTER,
    find: findNvd,
    open: openNvd,
    readBatch: (batch) => readNvdBatch(batch as NvdBatch),
  },
  {
    name: 'cvelist',
    title: 'CVE list',
    lookedFor: 'cvelistv5/<date>_all_CVEs*.zip or cvelistv5/**/cves/',
    licence: 'CVE Terms of Use',
    attribution: 'CVE Program, CVE List V5, with the containers of its authorized data publishers (CISA ADP: CC0-1.0)',
    required: true,
    maxDaysApart: null,
    maxAgeDays: 3,
    find: findCveList,
    ...cveList,
  },
]
