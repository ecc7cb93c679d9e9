/** The catalogs of a snapshot. Unchanged entries reuse the members of the parent's shard. */
import { isEntryName } from '../../corpus/feeds/feed.ts'
import type { CapecEntry, CweEntry } from '../../corpus/model/catalog.ts'
import { joinCatalogs } from '../../corpus/model/catalog-names.ts'
import type { CnaEntry, ExploitClaim, ReportType } from '../../corpus/model/claim.ts'
import { unlistedCnas } from '../../corpus/model/directory.ts'
import { jsonText } from '../../corpus/model/values/json-text.ts'
import { type Pool, runInOrder } from '../../corpus/runtime/pool.ts'
import {
  assignerCounts,
  type CatalogEntry,
  type CatalogName,
  type CnaEntryDetail,
  catalogKey,
  type ExploitEntry,
  type FileEntry,
  type LocatedEntry,
  MAX_CATALOG_PLAIN,
  MAX_ENTRY_BYTES,
  MAX_SEGMENT_PLAIN,
  type Rows,
} from '../../corpus/snapshot/index.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'
import type { Changes } from './delta.ts'
import type { ObjectStore } from './objects.ts'
import type { LeftOut } from './shard-task.ts'
import type { Parent } from './shards.ts'
import type { BuiltCatalog, CatalogInput } from './tasks.ts'

interface CatalogJob {
  parent: Parent | null
  pool: Pool
  objects: ObjectStore
  changes: Changes
}

/** Writes a catalog shard for each of `entries`. Returns the files, and the entries' positions. */
export async function writeCatalogs<Name extends CatalogName>(
  entries: Record<Name, CatalogEntry[]>,
  { parent, pool, objects, changes }: CatalogJob,
): Promise<{ files: FileEntry[]; catalogs: Record<Name, LocatedEntry[]> }> {
  const names = Object.keys(entries) as Name[]
  const inputs = names.map((name): CatalogInput => {
    const file = parent?.manifest.files.find((one) => one.role === 'catalog' && one.name === name)
    return { entries: entries[name], parent: file && parent ? { dist: parent.dist, file } : null }
  })
  const files: FileEntry[] = []
  const catalogs: Partial<Record<Name, LocatedEntry[]>> = {}
  for await (const { bytes, content, entries, change } of runInOrder<BuiltCatalog>(pool, 'catalog', inputs)) {
    const name = names[files.length]!
    changes.add('catalog', name, change, bytes.length)
    files.push(await objects.put({ role: 'catalog', name, content, count: entries.length, derived: false }, bytes))
    catalogs[name] = entries
  }
  return { files, catalogs: catalogs as Record<Name, LocatedEntry[]> }
}

/** Returns the entries of all catalogs except `cnas`, from the feeds. */
export function feedEntries(corpus: Corpus, leftOut: LeftOut[]): Record<Exclude<CatalogName, 'cnas'>, CatalogEntry[]> {
  const { cwes, capecs } = joinCatalogs({
    cwes: corpus.catalog<CweEntry>('cwe'),
    capecs: corpus.catalog<CapecEntry>('capec'),
  })
  const exploits = ['exploitdb', 'metasploit'].flatMap((feed) => corpus.catalog<ExploitClaim>(feed).filter(isListed))
  const types = corpus.catalog<ReportType>('report-types')
  const moduleKey = ({ source, source_id }: ExploitEntry) => `${source}/${source_id}`
  return {
    cwes: keyed('cwes', cwes, ({ slug }) => slug, leftOut),
    capecs: keyed('capecs', capecs, ({ id }) => id, leftOut),
    exploits: keyed('exploits', exploits.map(exploitEntry), moduleKey, leftOut),
    'report-types': keyed('report-types', types.map(reportType), (type) => type.prompt_name, leftOut),
  }
}

/**
 * Returns the entries of a catalog in key order. Entries that exceed the limit of an entry or of the catalog go to
 * `leftOut`. Names joined from another catalog can make an entry longer than at ingest.
 */
export function keyed<Entry>(
  catalog: CatalogName,
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  leftOut: LeftOut[],
): CatalogEntry[] {
  const most = catalog === 'report-types' ? MAX_SEGMENT_PLAIN : MAX_ENTRY_BYTES
  let room = MAX_CATALOG_PLAIN[catalog]
  return entries
    .map((entry) => ({ key: catalogKey(keyOf(entry)), text: jsonText(entry) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .filter((entry): entry is CatalogEntry => {
      const bytes = entry.text === null ? null : Buffer.byteLength(entry.text)
      const limit = Math.min(most, room)
      if (bytes !== null && bytes <= limit) {
        room -= bytes
        return true
      }
      leftOut.push({ name: `${catalog}/${entry.key}`, part: 'entry', bytes, limit })
      return false
    })
}

/** Returns the listed CNAs, and those that only records name (rule 27). Assigners with too long names are omitted. */
export function cnaEntries(corpus: Corpus, rows: Rows, leftOut: LeftOut[]): CatalogEntry[] {
  const listed = corpus.catalog<CnaEntry>('cna').map(cnaDetail)
  const unlisted = unlistedCnas(new Set(listed.map(({ slug }) => slug)), assignerCounts(rows))
  const known = { country: null, organization_type: [], scope: null, advisories_url: null }
  const cnas = [...listed, ...unlisted.filter(({ slug }) => isEntryName(slug)).map((cna) => ({ ...cna, ...known }))]
  return keyed('cnas', cnas, ({ slug }) => slug, leftOut)
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

/** Payloads, encoders and other modules of the framework exploit nothing by themselves, unless they name a CVE (rule 27). */
function isListed({ module: { source, module_type: type }, cveIds }: ExploitClaim): boolean {
  return source !== 'exploit_framework' || type === 'exploit' || type === 'auxiliary' || cveIds.length > 0
}

function exploitEntry({ module, cveIds }: ExploitClaim): ExploitEntry {
  return { ...module, cve_ids: cveIds }
}

function reportType({ promptName, enabled, outputSchema }: ReportType) {
  return { prompt_name: promptName, enabled, output_schema: outputSchema }
}
