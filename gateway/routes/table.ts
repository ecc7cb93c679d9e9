/** The route table: every path under `/api/v1`. */

import type { Route } from '../http/route.ts'
import { openapiDocument } from '../openapi/document.ts'
import type { OpenapiDocument } from '../openapi/model.ts'
import { getOsvRecord } from './advisories.ts'
import { getCapec, listCapecs } from './capecs.ts'
import { listChanges } from './changes.ts'
import { getCna, getCnaStats, listCnaCves, listCnas } from './cnas.ts'
import type { Context } from './context.ts'
import { getCve } from './cve.ts'
import { getAdvisory, getReport, getReports, listReportTypes } from './cve-documents.ts'
import {
  getAffected,
  getAnalysis,
  getCveExploits,
  getCvss,
  getEpss,
  getEvidence,
  getGuidance,
  getReferences,
  getTimeline,
} from './cve-parts.ts'
import { listCves } from './cves.ts'
import { getCwe, listCweCves, listCwes } from './cwes.ts'
import { getExploit, listExploits } from './exploits.ts'
import { openapiRoute } from './openapi.ts'
import { getPackage, listAffecting, listPackages } from './packages.ts'
import { search, suggest } from './search.ts'
import { getSnapshot, listSnapshots } from './snapshot.ts'
import { getStats } from './stats.ts'
import { getProduct, getVendor, listProducts, listVendorProducts, listVendors } from './vendors.ts'

/** The first matching route answers: `/cnas/stats` before `/cnas/:slug`. */
export const ROUTES: readonly Route<Context>[] = [
  listCves,
  getCve,
  getCvss,
  getEpss,
  getAffected,
  getReferences,
  getCveExploits,
  getEvidence,
  getTimeline,
  getAnalysis,
  getGuidance,
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
  listReportTypes,
  listAffecting,
  listPackages,
  getPackage,
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
