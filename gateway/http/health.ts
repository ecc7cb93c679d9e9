/** `/healthz` and `/readyz`, for monitoring: outside `/api/v1` and without a token. */
import { unavailable } from '../../corpus/answers/errors.ts'
import { type OpenRoute, uncachedJson } from './open-route.ts'

const RETRY_SECONDS = 1

/** `snapshotId` returns the id of the served snapshot, or null while none is loaded. */
export function healthRoutes(snapshotId: () => string | null): OpenRoute[] {
  return [
    { path: '/healthz', answer: () => uncachedJson({ status: 'ok' }) },
    {
      path: '/readyz',
      answer: () => {
        const id = snapshotId()
        if (id === null) throw unavailable('no snapshot is loaded', RETRY_SECONDS)
        return uncachedJson({ status: 'ready', snapshot: id })
      },
    },
  ]
}
