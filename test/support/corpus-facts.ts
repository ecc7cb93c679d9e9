/**
 * The expected content of the lists, counted from the claims in corpus.db with plain loops. It uses no code of the
 * build. It covers the weaknesses, vendors and products of each CVE, and the exploit modules.
 */
import Database from 'better-sqlite3'
import { listedProducts } from '../../corpus/model/affected/products.ts'
import type { AdvisoryClaim, CveClaim, CveListRecord, ExploitClaim, KevEntry } from '../../corpus/model/claim.ts'
import type { ExploitModule } from '../../corpus/model/record.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'
import { type PackedText, unpackText } from '../../corpus/store/packed-text.ts'
import { unpackParts } from '../../corpus/store/record-parts.ts'
import type { RejectedCve } from '../../corpus/store/rejected.ts'
import { packageCves } from './package-cves.ts'
import { keyOfName } from './plain.ts'

interface OsvRecord {
  id: string
  summary?: string
  published?: string
  modified?: string
  withdrawn?: string
  aliases?: string[]
  upstream?: string[]
  affected?: { package?: { ecosystem?: string } }[]
  database_specific?: { derived_from?: string }
}

export interface CorpusFacts {
  /** Summary records without `epss`, and the EPSS scores by id. */
  cores: Record<string, unknown>[]
  epss: Map<string, { score: number; percentile: number }>
  /** By CVE id: every weakness that CNA, ADP, NVD or an advisory maps the CVE to (rule 21). */
  weaknesses: Map<string, Set<string>>
  /** By vendor key: CVEs with claims of CNA, ADP or NVD about this vendor, and the same by product key (rule 27). */
  vendors: Map<string, { cves: Set<string>; products: Map<string, Set<string>> }>
  /** CVE ids by `<ecosystem>/<folded name>`. */
  packages: Map<string, Set<string>>
  /** CVE ids by tag of the CNA. */
  tags: Map<string, Set<string>>
  /** By CVE id: the metrics of the vector of the headline, in words. */
  exposures: Map<string, Record<'AV' | 'PR' | 'UI', string | undefined>>
  modules: (ExploitModule & { cve_ids: string[] })[]
  kev: KevEntry[]
  /** Records in the OSV schema. */
  advisories: OsvRecord[]
  rejected: RejectedCve[]
  cwes: CatalogEntry[]
  capecs: CatalogEntry[]
  cnas: { slug: string; name: string }[]
}

type CatalogEntry = Record<string, unknown> & { numeric_id: number }

export function corpusFacts(path: string): CorpusFacts {
  const database = new Database(path, { readonly: true })
  try {
    const { advisories, rejected } = readCorpus(path)
    return { ...readFacts(database), packages: packageCves(path), advisories, rejected }
  } finally {
    database.close()
  }
}

function readCorpus(path: string): Pick<CorpusFacts, 'advisories' | 'rejected'> {
  const corpus = openCorpus(path)
  try {
    const { keys } = corpus.advisories.digests()
    return {
      advisories: keys.map((id) => JSON.parse(corpus.advisories.record(id)!.text) as OsvRecord),
      rejected: corpus.rejected(),
    }
  } finally {
    corpus.close()
  }
}

type FactsOfDatabase = Omit<CorpusFacts, 'packages' | 'advisories' | 'rejected'>

function readFacts(database: Database.Database): FactsOfDatabase {
  const records = database
    .prepare<[], { id: string; parts: PackedText }>('SELECT cve_id AS id, parts FROM record')
    .all()
  const scores = database.prepare<[], { id: string; score: number; percentile: number }>(
    'SELECT cve_id AS id, score, percentile FROM epss',
  )
  const facts: FactsOfDatabase = {
    cores: records.map(({ parts }) => JSON.parse(unpackParts(parts).core)),
    exposures: new Map(records.map(({ id, parts }) => [id, exposureOf(unpackParts(parts).cvss)])),
    epss: new Map(scores.all().map(({ id, score, percentile }) => [id, { score, percentile }])),
    weaknesses: new Map(records.map(({ id }) => [id, new Set()])),
    vendors: new Map(),
    tags: new Map(),
    modules: ['exploitdb', 'metasploit'].flatMap((feed) =>
      entriesOf<ExploitClaim>(database, feed)
        .filter(
          ({ module, cveIds }) =>
            feed === 'exploitdb' || /^(?:exploit|auxiliary)$/.test(module.module_type!) || cveIds.length > 0,
        )
        .map(({ module, cveIds }) => ({ ...module, cve_ids: cveIds })),
    ),
    kev: ['kev', 'vulncheck', 'euvd', 'exploited'].flatMap((feed) => entriesOf<KevEntry>(database, feed)),
    cwes: entriesOf(database, 'cwe'),
    capecs: entriesOf(database, 'capec'),
    cnas: entriesOf(database, 'cna'),
  }
  for (const { id, claim } of claimsOfRecords(database)) {
    if (['cna', 'adp', 'nvd', 'advisory'].includes(claim.source)) {
      for (const weakness of claim.weaknesses) facts.weaknesses.get(id)!.add(weakness)
    }
    if (claim.source === 'cna') {
      for (const tag of claim.guidance?.tags ?? []) facts.tags.set(tag, (facts.tags.get(tag) ?? new Set()).add(id))
    }
    for (const { source, vendor, product } of claim.affected) {
      const key = keyOfName(vendor)
      if (key === null || !['cna', 'adp', 'nvd'].includes(source)) continue
      const named = facts.vendors.get(key) ?? { cves: new Set(), products: new Map() }
      facts.vendors.set(key, named)
      named.cves.add(id)
      for (const name of listedProducts(source, vendor, product)) {
        const productKey = keyOfName(name)
        if (productKey === null) continue
        named.products.set(productKey, (named.products.get(productKey) ?? new Set()).add(id))
      }
    }
  }
  return facts
}

function* claimsOfRecords(database: Database.Database): Iterable<{ id: string; claim: CveClaim }> {
  const rows = database.prepare<[], { id: string; feed: string; body: PackedText }>(
    `SELECT cve_id AS id, feed, body FROM claim JOIN record USING (cve_key) WHERE feed IN ('cvelist', 'nvd', 'ghsa')`,
  )
  for (const { id, feed, body } of rows.iterate()) {
    const said: unknown = JSON.parse(unpackText(body))
    if (said === null) continue
    if (feed === 'cvelist') for (const claim of (said as CveListRecord).claims) yield { id, claim }
    else if (feed === 'nvd') yield { id, claim: said as CveClaim }
    // A withdrawn advisory claims nothing (rule 29).
    else if ((said as AdvisoryClaim).advisory.withdrawn_at === null) yield { id, claim: (said as AdvisoryClaim).claim }
  }
}

/** Returns each entry of a catalog once: the corpus stores an entry for every CVE that it names. */
function entriesOf<Entry>(database: Database.Database, feed: string): Entry[] {
  const rows = database.prepare<[string], { item: string; body: PackedText }>(
    'SELECT item, body FROM claim WHERE feed = ?',
  )
  return [...new Map(rows.all(feed).map(({ item, body }) => [item, JSON.parse(unpackText(body)) as Entry])).values()]
}

const WORDS: Record<string, Record<string, string>> = {
  AV: { N: 'network', A: 'adjacent', L: 'local', P: 'physical' },
  PR: { N: 'none', L: 'low', H: 'high' },
  UI: { N: 'none', R: 'required', P: 'passive', A: 'active' },
}

/** Returns the metrics of the primary metric of a section `cvss`. */
function exposureOf(text: string): Record<'AV' | 'PR' | 'UI', string | undefined> {
  const { metrics } = JSON.parse(text) as { metrics: { is_primary: boolean; vector_string: string }[] }
  const vector = metrics.find(({ is_primary }) => is_primary)?.vector_string ?? ''
  const of = (name: string) => WORDS[name]![new RegExp(`(?:^|/)${name}:([A-Z])`).exec(vector)?.[1] ?? '']
  return { AV: of('AV'), PR: of('PR'), UI: of('UI') }
}
