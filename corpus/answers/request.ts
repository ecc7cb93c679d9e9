/** Answers request targets without HTTP: the answers and errors of a gateway. */
import { completed } from '../runtime/steps.ts'
import { gunzipFile, type SnapshotData, splicePlain } from '../snapshot/index.ts'
import type { Body } from './answer.ts'
import type { Context, History } from './context.ts'
import { ApiError, notFound } from './errors.ts'
import { routeMatcher } from './match.ts'
import { quote } from './parameters/parameter.ts'
import type { Route } from './route.ts'

/** The prefix of all paths of a gateway. Targets here are without it. */
const PREFIX = '/api/v1'

export interface Reply {
  status: number
  /** JSON. */
  body: string
}

/**
 * Returns a function that answers a target such as `/cves?kev=true`. Faults of the snapshot are thrown, not answered.
 * @throws TypeError unless the target begins with `/`; SnapshotError, TransferError
 */
export function answerer(
  routes: readonly Route<Context>[],
  snapshot: SnapshotData,
  history: History,
): (target: string) => Promise<Reply> {
  const context: Context = {
    snapshots: { current: snapshot, retained: (prefix) => (prefix === snapshot.prefix ? snapshot : null) },
    history,
    access: EVERYBODY,
    subject: {},
    charge() {},
  }
  const match = routeMatcher(routes)
  return async (target) => {
    if (typeof target !== 'string' || !target.startsWith('/')) {
      throw new TypeError(`a target begins with '/', such as /cves?kev=true, unlike ${JSON.stringify(target)}`)
    }
    const mark = target.indexOf('?')
    const path = mark === -1 ? target : target.slice(0, mark)
    try {
      const found = match(path)
      if (!found) throw notFound(`no endpoint has the path ${quote(PREFIX + path)}`)
      const handle = found.route.read(found.values, mark === -1 ? '' : target.slice(mark + 1))
      const { body } = await completed(handle(context))
      return { status: 200, body: textOf(body) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { status: error.status, body: JSON.stringify(error.body) }
    }
  }
}

/** Everybody may read everything. */
const EVERYBODY: Context['access'] = { judge() {}, isAdvisoryRestricted: () => false }

function textOf(body: Body): string {
  if ('pieces' in body) return splicePlain(body.pieces).toString()
  return 'gzip' in body ? gunzipFile('stats', Buffer.from(body.gzip)).toString() : body.text
}
