/** The API of an earlier snapshot. */
import type { Api } from './api.ts'

/** Their answers are not those of one snapshot (API 27.7). */
export const SPANNING: readonly string[] = ['/changes', '/snapshots', '/openapi.json']

/** Returns the API of an earlier snapshot. It has no `packages`: a reader matches them in its own snapshot. */
export function apiAt({ packages: _, ...api }: Api, snapshot: string): Api {
  return {
    ...api,
    get: (path, params, signal) => api.get(path, SPANNING.includes(path) ? params : { ...params, snapshot }, signal),
  }
}
