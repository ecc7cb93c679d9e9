/** The columns of an export: one row per CVE. builder/README.md has the same table. */
import type { CveCore, CvssSection, Epss, Facets, KevCatalogEntry } from '../../corpus/model/record.ts'
import { readExposure } from '../../corpus/model/scores/exposure.ts'

/** What a snapshot states about a CVE, as far as columns need it. */
export interface ExportedCve {
  core: CveCore
  cvss: CvssSection
  kev: KevCatalogEntry[]
  facets: Facets
  epss: Epss | null
}

/** `date` is `YYYY-MM-DD`, `timestamp` an ISO 8601 time in UTC, `list` texts. */
export type ColumnType = 'text' | 'boolean' | 'number' | 'date' | 'timestamp' | 'list'
export type Value = string | number | boolean | readonly string[] | null

export interface ExportColumn {
  name: string
  type: ColumnType
  /** Whether the value can be null. */
  nullable: boolean
  value(cve: ExportedCve): Value
}

const column = (name: string, type: ColumnType, value: ExportColumn['value'], nullable = true): ExportColumn => ({
  name,
  type,
  nullable,
  value,
})
const always = (name: string, type: ColumnType, value: ExportColumn['value']) => column(name, type, value, false)

const primaryMetric = ({ cvss }: ExportedCve) => cvss.metrics.find(({ is_primary }) => is_primary)
/** CISA's catalog alone decides `kev.listed`. */
const listing = ({ kev }: ExportedCve) => kev.find(({ catalog }) => catalog === 'cisa')
const exposure = ({ facets }: ExportedCve) => readExposure(facets.exposure)

export const COLUMNS: readonly ExportColumn[] = [
  always('cve_id', 'text', ({ core }) => core.cve_id),
  always('state', 'text', ({ core }) => core.state),
  column('title', 'text', ({ core }) => core.title),
  column('description', 'text', ({ core }) => core.description),
  column('date_published', 'timestamp', ({ core }) => core.date_published),
  column('date_updated', 'timestamp', ({ core }) => core.date_updated),
  column('assigner', 'text', ({ core }) => core.assigner),
  column('severity', 'text', ({ core }) => core.severity),
  column('cvss_score', 'number', ({ core }) => core.cvss_score),
  column('cvss_score_source', 'text', ({ core }) => core.cvss_score_source),
  column('cvss_version', 'text', (cve) => primaryMetric(cve)?.cvss_version ?? null),
  column('cvss_vector', 'text', (cve) => primaryMetric(cve)?.vector_string ?? null),
  column('attack_vector', 'text', (cve) => exposure(cve).attack_vector),
  column('privileges_required', 'text', (cve) => exposure(cve).privileges_required),
  column('user_interaction', 'text', (cve) => exposure(cve).user_interaction),
  column('epss_score', 'number', ({ epss }) => epss?.score ?? null),
  column('epss_percentile', 'number', ({ epss }) => epss?.percentile ?? null),
  column('epss_date', 'date', ({ epss }) => epss?.date ?? null),
  always('kev', 'boolean', ({ core }) => core.kev.listed),
  column('kev_date_added', 'date', ({ core }) => core.kev.date_added),
  column('kev_due_date', 'date', (cve) => listing(cve)?.due_date ?? null),
  column('kev_ransomware', 'text', (cve) => listing(cve)?.ransomware ?? null),
  always('kev_catalogs', 'list', ({ kev }) => kev.map(({ catalog }) => catalog)),
  column('ssvc_exploitation', 'text', ({ core }) => core.ssvc.exploitation),
  column('ssvc_automatable', 'text', ({ core }) => core.ssvc.automatable),
  column('ssvc_technical_impact', 'text', ({ core }) => core.ssvc.technical_impact),
  column('ssvc_decision', 'text', ({ core }) => core.ssvc.decision),
  always('has_exploit', 'boolean', ({ core }) => core.has_exploit),
  always('has_patch', 'boolean', ({ core }) => core.has_patch),
  always('has_workaround', 'boolean', ({ core }) => core.has_workaround),
  always('has_detection', 'boolean', ({ core }) => core.has_detection),
  always('detection_layers', 'list', ({ core }) => core.detection_layers),
  column('primary_cwe_id', 'text', ({ core }) => core.primary_cwe_id),
  always('cwe_ids', 'list', ({ facets }) => facets.weaknesses),
  always('vendors', 'list', ({ facets }) => [...new Set(facets.products.map(({ vendor }) => vendor))]),
  always('products', 'list', ({ facets }) =>
    facets.products.flatMap(({ vendor, product }) => (product === null ? [] : [`${vendor}/${product}`])),
  ),
  always('tags', 'list', ({ facets }) => facets.tags),
]
