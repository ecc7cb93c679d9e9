/** The catalogues of a snapshot: their entries, in members of the parent where they are the same. */
import { isEntryName } from '../../corpus/feeds/feed.ts'
import type { CapecEntry, CweEntry } from '../../corpus/model/catalogue.ts'
import { joinCatalogues } from '../../corpus/model/catalogue-names.ts'
import type { CnaEntry, ExploitClaim, ReportType } from '../../corpus/model/claim.ts'
import { unlistedCnas } from '../../corpus/model/directory.ts'
import { MAX_CATALOG_PLAIN } from '../../corpus/snapshot/bounds.ts'
import { type CatalogEntry, type CatalogName, catalogKey, type PlacedEntry } from '../../corpus/snapshot/catalog.ts'
import type { CnaEntryDetail, ExploitEntry } from '../../corpus/snapshot/derive/list-rows.ts'
import { assignerCounts, type Rows } from '../../corpus/snapshot/derive/rows.ts'
import type { FileEntry } from '../../corpus/snapshot/manifest.ts'
import { type Pool, runInOrder } from '../../corpus/snapshot/pool.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'
import type { BuiltCatalog, CatalogInput } from './catalog-task.ts'
import type { Changes } from './delta.ts'
import { BuildError } from './error.ts'
import type { ObjectStore } from './objects.ts'
import type { Parent } from './shards.ts'

/** What catalog shards are made with. */
interface CatalogJob {
  parent: Parent | null
  pool: Pool
  objects: ObjectStore
  changes: Changes
}

/** Writes a catalog shard for each of `entries`. Returns the files, and the entries with their places in these. */
export async function writeCatalogs<Name extends CatalogName>(
  entries: Record<Name, CatalogEntry[]>,
  { parent, pool, objects, changes }: CatalogJob,
): Promise<{ files: FileEntry[]; catalogs: Record<Name, PlacedEntry[]> }> {
  const names = Object.keys(entries) as Name[]
  const inputs = names.map((name): CatalogInput => {
    assertFits(name, entries[name])
    const file = parent?.manifest.files.find((one) => one.role === 'catalog' && one.name === name)
    return { entries: entries[name], parent: file && parent ? { dist: parent.dist, file } : null }
  })
  const files: FileEntry[] = []
  const catalogs: Partial<Record<Name, PlacedEntry[]>> = {}
  for await (const { bytes, content, entries, change } of runInOrder<BuiltCatalog>(pool, 'catalog', inputs)) {
    const name = names[files.length]!
    changes.add('catalog', name, change, bytes.length)
    files.push(await objects.put({ role: 'catalog', name, content, count: entries.length, derived: false }, bytes))
    catalogs[name] = entries
  }
  return { files, catalogs: catalogs as Record<Name, PlacedEntry[]> }
}

function assertFits(name: CatalogName, entries: readonly CatalogEntry[]): void {
  const most = MAX_CATALOG_PLAIN[name]
  const bytes = entries.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  if (bytes <= most) return
  throw new BuildError('too_large', `the catalog ${name} has ${bytes} bytes, more than ${most}: shorten its feed`)
}

/** Returns the entries of all catalogues but `cnas`, as the feeds state them. */
export function feedEntries(corpus: Corpus): Record<Exclude<CatalogName, 'cnas'>, CatalogEntry[]> {
  const { cwes, capecs } = joinCatalogues({
    cwes: corpus.catalogue<CweEntry>('cwe'),
    capecs: corpus.catalogue<CapecEntry>('capec'),
  })
  const exploits = ['exploitdb', 'metasploit'].flatMap((feed) => corpus.catalogue<ExploitClaim>(feed))
  return {
    cwes: keyed(cwes, ({ slug }) => slug),
    capecs: keyed(capecs, ({ id }) => id),
    exploits: keyed(exploits.map(exploitEntry), ({ source, source_id }) => `${source}/${source_id}`),
    'report-types': keyed(corpus.catalogue<ReportType>('report-types').map(reportType), (type) => type.prompt_name),
  }
}

function keyed<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string): CatalogEntry[] {
  return entries
    .map((entry) => ({ key: catalogKey(keyOf(entry)), text: JSON.stringify(entry) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/**
 * Returns the CNAs of the list and those that only records name (rule 27). An assigner whose name is too long for a key
 * has no entry.
 */
export function cnaEntries(corpus: Corpus, rows: Rows): CatalogEntry[] {
  const listed = corpus.catalogue<CnaEntry>('cna').map(cnaDetail)
  const unlisted = unlistedCnas(new Set(listed.map(({ slug }) => slug)), assignerCounts(rows))
  const known = { country: null, organization_type: [], scope: null, advisories_url: null }
  const cnas = [...listed, ...unlisted.filter(({ slug }) => isEntryName(slug)).map((cna) => ({ ...cna, ...known }))]
  return keyed(cnas, ({ slug }) => slug)
}

function cnaDetail({ slug, name, country, organizationTypes, scope, advisoriesUrl }: CnaEntry): CnaEntryDetail {
  return {
    slug,
    cna_name: name,
    country,
    organization_type: organizationTypes,
    scope,
    advisories_url: advisoriesUrl,
  }
}

function exploitEntry({ module, cveIds }: ExploitClaim): ExploitEntry {
  return { ...module, cve_ids: cveIds }
}

function reportType({ promptName, enabled, outputSchema }: ReportType) {
  return { prompt_name: promptName, enabled, output_schema: outputSchema }
}
