/** The catalogues of a snapshot: entries as the feeds state them, in members of the parent where they are the same. */
import type { CapecEntry, CweEntry } from '../../corpus/model/catalogue.ts'
import { joinCatalogues } from '../../corpus/model/catalogue-names.ts'
import type { CnaEntry, ExploitClaim, ReportType } from '../../corpus/model/claim.ts'
import {
  CATALOGS,
  type CatalogEntry,
  type CatalogName,
  catalogKey,
  type PlacedEntry,
} from '../../corpus/snapshot/catalog.ts'
import type { CnaEntryDetail, ExploitEntry } from '../../corpus/snapshot/derive/list-rows.ts'
import type { FileEntry } from '../../corpus/snapshot/manifest.ts'
import { type Pool, runInOrder } from '../../corpus/snapshot/pool.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'
import type { BuiltCatalog, CatalogInput } from './catalog-task.ts'
import type { Changes } from './delta.ts'
import type { ObjectStore } from './objects.ts'
import type { Parent } from './shards.ts'

/** Writes the catalog shards and gives their entries, as whoever derives from them will read them. */
export async function writeCatalogs(
  corpus: Corpus,
  parent: Parent | null,
  pool: Pool,
  objects: ObjectStore,
  changes: Changes,
): Promise<{ files: FileEntry[]; catalogs: Record<CatalogName, PlacedEntry[]> }> {
  const entries = entriesOf(corpus)
  const inputs = CATALOGS.map((name): CatalogInput => {
    const file = parent?.manifest.files.find((one) => one.role === 'catalog' && one.name === name)
    return { entries: entries[name], parent: file && parent ? { dist: parent.dist, file } : null }
  })
  const files: FileEntry[] = []
  const catalogs: Partial<Record<CatalogName, PlacedEntry[]>> = {}
  for await (const { bytes, content, entries, change } of runInOrder<BuiltCatalog>(pool, 'catalog', inputs)) {
    const name = CATALOGS[files.length]!
    changes.add('catalog', name, change, bytes.length)
    files.push(await objects.put({ role: 'catalog', name, content, count: entries.length, derived: false }, bytes))
    catalogs[name] = entries
  }
  return { files, catalogs: catalogs as Record<CatalogName, PlacedEntry[]> }
}

function entriesOf(corpus: Corpus): Record<CatalogName, CatalogEntry[]> {
  const { cwes, capecs } = joinCatalogues({
    cwes: corpus.catalogue<CweEntry>('cwe'),
    capecs: corpus.catalogue<CapecEntry>('capec'),
  })
  const exploits = ['exploitdb', 'metasploit'].flatMap((feed) => corpus.catalogue<ExploitClaim>(feed))
  return {
    cwes: keyed(cwes, ({ slug }) => slug),
    capecs: keyed(capecs, ({ id }) => id),
    cnas: keyed(corpus.catalogue<CnaEntry>('cna').map(cnaDetail), ({ slug }) => slug),
    exploits: keyed(exploits.map(exploitEntry), ({ source, source_id }) => `${source}/${source_id}`),
    'report-types': keyed(corpus.catalogue<ReportType>('report-types').map(reportType), (type) => type.prompt_name),
  }
}

function keyed<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string): CatalogEntry[] {
  return entries
    .map((entry) => ({ key: catalogKey(keyOf(entry)), text: JSON.stringify(entry) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
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
