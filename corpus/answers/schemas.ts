/**
 * The schemas of all response bodies, by name: for `/openapi.json`, `/docs` and the tests. A schema with an `id` is a
 * component there; every field has a description.
 */
export { capecEntry, capecPage, cweEntry, cwePage } from './schemas/catalogs.ts'
export { changes } from './schemas/changes.ts'
export { cveAnalysis } from './schemas/cve-analysis.ts'
export { cveAffected, cveReferences } from './schemas/cve-claims.ts'
export { cveDetail } from './schemas/cve-detail.ts'
export { cveAdvisory, cveReport, cveReports, reportTypes } from './schemas/cve-documents.ts'
export { cveGuidance } from './schemas/cve-guidance.ts'
export { cveTimeline } from './schemas/cve-history.ts'
export { cveKev, kevPage } from './schemas/cve-kev.ts'
export { cveCvss, cveEpss, cveEpssHistory } from './schemas/cve-scores.ts'
export { cveEvidence, cveExploits } from './schemas/cve-signals.ts'
export { cnaCves, cvePage, cweCves, rejectedPage } from './schemas/cve-summary.ts'
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
} from './schemas/directory.ts'
export { openapi } from './schemas/openapi.ts'
export { advisoryPage, affected, osvRecord, packageDetail, packagePage } from './schemas/packages.ts'
export { searchResults, suggestions } from './schemas/search.ts'
export { snapshot, snapshots } from './schemas/snapshot.ts'
export { stats } from './schemas/stats.ts'
