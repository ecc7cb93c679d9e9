/**
 * The bodies of answers as schemas, by name: what `/openapi.json` and `/docs` show, and what tests hold every answer
 * against. A schema with an `id` is a component there; every field says what it means.
 */
export { cveAffected, cveReferences } from './answers/cve-claims.ts'
export { cveDetail } from './answers/cve-detail.ts'
export { cveCvss, cveEpss } from './answers/cve-scores.ts'
export { cvePage } from './answers/cve-summary.ts'
export { openapi } from './answers/openapi.ts'
export { searchResults, suggestions } from './answers/search.ts'
export { snapshot } from './answers/snapshot.ts'
