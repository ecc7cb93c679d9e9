/** Runs the handlers of routes: at once if everything is in memory, else while other requests are answered. */
import type { Answer } from '../../corpus/answers/answer.ts'
import type { Access, Context, History } from '../../corpus/answers/context.ts'
import { pinnedAnswer } from '../../corpus/answers/request.ts'
import type { Question, Route } from '../../corpus/answers/route.ts'
import type { Step, Steps } from '../../corpus/runtime/steps.ts'
import type { EarlierAnswers } from '../earlier/answers.ts'
import { PROCESS_BYTES } from '../process/bounds.ts'
import type { SnapshotRegistry } from '../snapshots/registry.ts'
import { type EncodedAnswer, encoded } from './encoded-answer.ts'
import { responseCache } from './response-cache.ts'
import { inSlices } from './slices.ts'

/** Answers a request whose parameters are valid. `target` is without the prefix; `charge` is that of `Context`. */
export type AnswerRequest = (
  route: Pick<Route<Context>, 'isKept'>,
  question: Question<Context>,
  subject: { tier: number },
  target: string,
  charge: Context['charge'],
) => EncodedAnswer | Promise<EncodedAnswer>

export interface EngineParts {
  registry: Pick<SnapshotRegistry, 'current' | 'retained' | 'opened' | 'hold'>
  history: History
  access: Access
  /** Answers from snapshots that are not open. */
  earlier: EarlierAnswers['answer']
}

export function createEngine({ registry, history, access, earlier }: EngineParts): AnswerRequest {
  const cache = responseCache(PROCESS_BYTES.answers)
  return ({ isKept = false }, { snapshot, answer }, subject, target, charge) => {
    const { current } = registry
    const asked = { history, access, subject, charge }
    if (snapshot !== null) {
      const open = registry.opened.find(({ id }) => id === snapshot)
      return open ? finished(pinnedAnswer(answer, asked, open)) : earlier(target, subject.tier, charge)
    }
    if (isKept) {
      const kept = cache.find(current, target)
      if (kept) return kept
    }
    const found = finished(answer({ ...asked, snapshots: registry }))
    return isKept && !(found instanceof Promise) ? cache.keep(current, target, found) : found
  }

  function finished(work: Steps<Answer>): EncodedAnswer | Promise<EncodedAnswer> {
    const step = work.next()
    return step.done ? encoded(step.value) : resumed(work, step, registry)
  }
}

/** Runs work from a step on at which it waits. Snapshots that are open at a wait stay open until the work ends. */
async function resumed(
  work: Steps<Answer>,
  first: Step<Answer>,
  registry: EngineParts['registry'],
): Promise<EncodedAnswer> {
  const releases: (() => void)[] = []
  try {
    let step = first
    while (!step.done) {
      // A snapshot may have been opened since the wait before.
      releases.push(registry.hold())
      step = await next(work, step.value)
    }
    return encoded(step.value)
  } finally {
    for (const release of releases) release()
  }
}

async function next<T>(work: Steps<T>, waiting: Promise<unknown> | undefined): Promise<Step<T>> {
  let value: unknown
  try {
    if (!(waiting instanceof Promise)) return await inSlices(work)
    value = await waiting
  } catch (error) {
    // Ends the work, unless it threw the error itself.
    return work.throw(error)
  }
  return work.next(value)
}
