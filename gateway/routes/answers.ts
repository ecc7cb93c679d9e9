/**
 * The schemas of all response bodies, by name: for `/openapi.json`, `/docs` and the tests. A schema with an `id` is a
 * component there; every field has a description.
 */
export { capecEntry, capecPage, cweEntry, cwePage } from './answers/catalogs.ts'
export { changes } from './answers/changes.ts'
export { cveAnalysis } from './answers/cve-analysis.ts'
export { cveAffected, cveReferences } from './answers/cve-claims.ts'
export { cveDetail } from './answers/cve-detail.ts'
export { cveAdvisory, cveReport, cveReports, reportTypes } from './answers/cve-documents.ts'
export { cveGuidance } from './answers/cve-guidance.ts'
export { cveTimeline } from './answers/cve-history.ts'
export { cveCvss, cveEpss } from './answers/cve-scores.ts'
export { cveEvidence, cveExploits } from './answers/cve-signals.ts'
export { cnaCves, cvePage, cweCves } from './answers/cve-summary.ts'
export {
  cnaDetail,
  cnaPage,
  cnaStats,
  exploitDetail,
  exploitPage,
  productPage,
  productRow,
  vendorPage,
  vendorProducts,
  vendorRow,
} from './answers/directory.ts'
export { openapi } from './answers/openapi.ts'
export { affected, osvRecord, packageDetail, packagePage } from './answers/packages.ts'
export { searchResults, suggestions } from './answers/search.ts'
export { snapshot, snapshots } from './answers/snapshot.ts'
export { stats } from './answers/stats.ts'
