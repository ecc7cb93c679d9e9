/** The route table: every path under `/api/v1`. */
import { openapiDocument } from '../openapi/document.ts'
import type { Route } from '../route.ts'
import type { Context } from './context.ts'
import { getAffected, getCve, getCvss, getEpss, getReferences } from './cve.ts'
import { listCves } from './cves.ts'
import { openapiRoute } from './openapi.ts'
import { search, suggest } from './search.ts'
import { getSnapshot } from './snapshot.ts'

export const ROUTES: readonly Route<Context>[] = [
  listCves,
  getCve,
  getCvss,
  getEpss,
  getReferences,
  getAffected,
  search,
  suggest,
  getSnapshot,
  openapiRoute(() => DOCUMENT),
]

/** The description of every route above, made once. */
export const DOCUMENT = openapiDocument(ROUTES)
