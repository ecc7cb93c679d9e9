/** Answers request targets without HTTP: the answers and errors of a gateway. */
import { awaited, completed, type Steps } from '../runtime/steps.ts'
import { gunzipFile, onlySnapshot, type SnapshotData, SnapshotError, splicePlain } from '../snapshot/index.ts'
import type { Answer, Body } from './answer.ts'
import type { Context, History } from './context.ts'
import { ApiError, gone, leftOutAnswer, notFound } from './errors.ts'
import { routeMatcher } from './match.ts'
import type { SnapshotChoice } from './parameters/ids.ts'
import { quote } from './parameters/parameter.ts'
import type { Question, Route } from './route.ts'

/** The prefix of all paths of a gateway. Targets here are without it. */
const PREFIX = '/api/v1'

export interface Reply {
  status: number
  /** JSON. */
  body: string
}

/** The snapshots of a repository. */
export interface Answering {
  history: History
  /**
   * Opens the snapshot that a request asks for; without a choice the current one.
   * @throws ApiError `gone`, `not_found`, `invalid_parameter`
   */
  open(choice: SnapshotChoice | null): LentSnapshot | Promise<LentSnapshot>
}

/** A snapshot that stays open until it is released. */
export interface LentSnapshot {
  data: SnapshotData
  release(): void
}

/** Who asks. */
export type Caller = Pick<Context, 'access' | 'subject' | 'charge'>

/**
 * Returns a function that answers a target such as `/cves?kev=true`. It throws ApiError, and SnapshotError or TransferError
 * for faults of the snapshot.
 * @throws TypeError unless the target begins with `/`
 */
export function answerer(
  routes: readonly Route<Context>[],
  { history, open }: Answering,
): (target: string, caller?: Caller) => Promise<Answer> {
  const match = routeMatcher(routes)

  function* steps({ snapshot, answer }: Question<Context>, caller: Caller): Steps<Answer> {
    const { data, release } = yield* awaited(open(snapshot))
    try {
      if (snapshot === null) return yield* answer({ ...caller, history, snapshots: onlySnapshot(data, false) })
      return yield* pinnedAnswer(answer, { ...caller, history }, data)
    } finally {
      release()
    }
  }

  return async (target, caller = ANYBODY) => {
    if (typeof target !== 'string' || !target.startsWith('/')) {
      throw new TypeError(`a target begins with '/', such as /cves?kev=true, unlike ${JSON.stringify(target)}`)
    }
    const mark = target.indexOf('?')
    const path = mark === -1 ? target : target.slice(0, mark)
    const found = match(path)
    if (!found) throw notFound(`no endpoint has the path ${quote(PREFIX + path)}`)
    const question = found.route.read(found.values, mark === -1 ? '' : target.slice(mark + 1))
    return await completed(steps(question, caller))
  }
}

/**
 * Answers a request for one snapshot.
 * @throws ApiError `gone` if files of it were removed
 */
export function* pinnedAnswer(
  answer: Question<Context>['answer'],
  context: Omit<Context, 'snapshots'>,
  data: SnapshotData,
): Steps<Answer> {
  try {
    const found = yield* answer({ ...context, snapshots: onlySnapshot(data, true) })
    return { ...found, pinnedAt: data.createdAt }
  } catch (error) {
    if (!(error instanceof SnapshotError) || error.code !== 'missing') throw error
    throw gone(
      `snapshot ${data.id} lacks files that this answer needs; its operator can make derived files again with 'vulnshelf derive'`,
    )
  }
}

/** Everybody may read everything. */
const ANYBODY: Caller = { access: { judge() {}, isAdvisoryRestricted: () => false }, subject: {}, charge() {} }

/** Returns the reply of a gateway. Faults of the snapshot are thrown, not answered. */
export async function replyOf(answering: Promise<Answer>): Promise<Reply> {
  try {
    const { body } = await answering
    return { status: 200, body: textOf(body) }
  } catch (error) {
    const known = error instanceof ApiError ? error : leftOutAnswer(error)
    if (!known) throw error
    return { status: known.status, body: JSON.stringify(known.body) }
  }
}

function textOf(body: Body): string {
  if ('pieces' in body) return splicePlain(body.pieces).toString()
  return 'gzip' in body ? gunzipFile('stats', Buffer.from(body.gzip)).toString() : body.text
}
