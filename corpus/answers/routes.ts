/** The route table: every path under `/api/v1`. */

import type { Context } from './context.ts'
import { openapiDocument } from './openapi/document.ts'
import type { OpenapiDocument } from './openapi/model.ts'
import type { Route } from './route.ts'
import { getOsvRecord, listAdvisories } from './routes/advisories.ts'
import { listAffecting } from './routes/affected.ts'
import { getCapec, listCapecs } from './routes/capecs.ts'
import { listChanges } from './routes/changes.ts'
import { getCna, getCnaStats, listCnaCves, listCnas } from './routes/cnas.ts'
import { getCve } from './routes/cve.ts'
import { getAdvisory, getReport, getReports, listReportTypes } from './routes/cve-documents.ts'
import {
  getAffected,
  getAnalysis,
  getCveExploits,
  getCvss,
  getEpss,
  getEpssHistory,
  getEvidence,
  getGuidance,
  getKev,
  getReferences,
  getTimeline,
} from './routes/cve-parts.ts'
import { listCves } from './routes/cves.ts'
import { getCwe, listCweCves, listCwes } from './routes/cwes.ts'
import { getExploit, listExploits } from './routes/exploits.ts'
import { listKev } from './routes/kev.ts'
import { openapiRoute } from './routes/openapi.ts'
import { getPackage, listPackages } from './routes/packages.ts'
import { listRejected } from './routes/rejected.ts'
import { search, suggest } from './routes/search.ts'
import { getSnapshot, listSnapshots } from './routes/snapshot.ts'
import { getStats } from './routes/stats.ts'
import { getProduct, getVendor, listProducts, listVendorProducts, listVendors } from './routes/vendors.ts'

/** The first matching route answers: `/cnas/stats` before `/cnas/:slug`. */
export const ROUTES: readonly Route<Context>[] = [
  listCves,
  getCve,
  getCvss,
  getEpss,
  getEpssHistory,
  getAffected,
  getReferences,
  getCveExploits,
  getEvidence,
  getTimeline,
  getAnalysis,
  getGuidance,
  getKev,
  getAdvisory,
  getReports,
  getReport,
  listCwes,
  getCwe,
  listCweCves,
  listCapecs,
  getCapec,
  listVendors,
  getVendor,
  listVendorProducts,
  getProduct,
  listProducts,
  listCnas,
  getCnaStats,
  getCna,
  listCnaCves,
  listExploits,
  getExploit,
  listKev,
  listRejected,
  listReportTypes,
  listAffecting,
  listPackages,
  getPackage,
  listAdvisories,
  getOsvRecord,
  search,
  suggest,
  listChanges,
  getSnapshot,
  listSnapshots,
  getStats,
  openapiRoute(apiDocument),
]

let document: OpenapiDocument | undefined

/** Returns the description of the API. Made at the first call, because a gateway can start without it. */
export function apiDocument(): OpenapiDocument {
  document ??= openapiDocument(ROUTES)
  return document
}
