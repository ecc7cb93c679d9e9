/** Rows of `/affected` that are kept, and made once for all requests that wait for them. */
import type { AffectedRow } from '../../model/packages/affected-row.ts'
import type { GenerationalCache } from '../../runtime/generational-cache.ts'
import type { Steps } from '../../runtime/steps.ts'

type Rows = readonly AffectedRow[]

export interface SharedRows {
  /** Returns the rows of a key, which `make` makes. */
  of(key: string, make: () => Steps<Rows>): Steps<Rows>
}

export function sharedRows(kept: GenerationalCache<string, Rows>): SharedRows {
  const coming = new Map<string, Promise<Rows>>()
  return {
    *of(key, make) {
      const known = kept.get(key)
      if (known) return known
      const waiting = coming.get(key)
      if (waiting) return (yield waiting) as Rows
      const { promise, resolve, reject } = Promise.withResolvers<Rows>()
      // Only other requests wait for it.
      promise.catch(() => {})
      coming.set(key, promise)
      try {
        const rows = yield* make()
        kept.set(key, rows)
        resolve(rows)
        return rows
      } catch (error) {
        reject(error)
        throw error
      } finally {
        coming.delete(key)
      }
    },
  }
}
