/** The API of the current snapshot for one caller, for interfaces that answer by it. */
import { asApiError } from '../../corpus/answers/errors.ts'
import { routeMatcher } from '../../corpus/answers/match.ts'
import { affectingPackage } from '../../corpus/answers/routes/affected.ts'
import { ROUTES } from '../../corpus/answers/routes.ts'
import type { AffectedRow } from '../../corpus/model/packages/affected-row.ts'
import type { IndexedEcosystems } from '../../corpus/model/versions/ecosystems.ts'
import { completed } from '../../corpus/runtime/steps.ts'
import type { AnswerRequest } from '../http/engine.ts'
import type { SnapshotRegistry } from '../snapshots/registry.ts'

export interface ApiIndex extends IndexedEcosystems {
  readonly snapshot: ApiSnapshot
  /** Answers a target without its prefix. `charge` takes one more unit of the quota. Rejects with an error of the service. */
  request(target: string, charge: () => void | Promise<void>): Promise<ApiReply>
  /** Returns the rows of a package in the snapshot. @throws ApiError for an unknown ecosystem */
  affected(question: Parameters<typeof affectingPackage>[1]): Promise<readonly AffectedRow[]>
}

export interface ApiSnapshot {
  id: string
  /** RFC 3339 timestamp. */
  created_at: string
}

export interface ApiReply {
  status: number
  /** JSON. */
  body: string
  /** The snapshot of the answer: an earlier one for a cursor of its pages. Null for an error. */
  snapshot: ApiSnapshot | null
}

const match = routeMatcher(ROUTES)

/** The caller must keep the current snapshot open. */
export function apiIndex(
  registry: Pick<SnapshotRegistry, 'current' | 'opened'>,
  answer: AnswerRequest,
  subject: { tier: number },
): ApiIndex {
  const { current } = registry
  const { ecosystems, releases } = current.about
  const shown = ({ id, manifest }: typeof current): ApiSnapshot => ({ id, created_at: manifest.created_at })

  function snapshotOf(id: string, pinnedAt: number | undefined): ApiSnapshot {
    const open = [current, ...registry.opened].find((one) => one.id === id)
    return open === undefined ? { id, created_at: new Date(pinnedAt!).toISOString() } : shown(open)
  }

  return {
    ecosystems,
    releases,
    snapshot: shown(current),
    async request(target, charge) {
      const mark = target.indexOf('?')
      const path = mark === -1 ? target : target.slice(0, mark)
      try {
        const { route, values } = match(path)!
        const question = route.read(values, mark === -1 ? '' : target.slice(mark + 1))
        const { identity, snapshotId, pinnedAt } = await answer(route, question, subject, target, charge)
        return { status: 200, body: identity().toString(), snapshot: snapshotOf(snapshotId, pinnedAt) }
      } catch (thrown) {
        const error = asApiError(thrown)
        if (error.status >= 500) throw thrown
        return { status: error.status, body: JSON.stringify(error.body), snapshot: null }
      }
    },
    affected: (question) => completed(affectingPackage(current, question)),
  }
}
