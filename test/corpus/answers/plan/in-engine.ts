/** Runs steps in a gateway's engine, as the work of a request. */
import { jsonAnswer } from '../../../../corpus/answers/answer.ts'
import type { Steps } from '../../../../corpus/runtime/steps.ts'
import { openAccess } from '../../../../gateway/access/access.ts'
import { createEngine, type EngineParts } from '../../../../gateway/http/engine.ts'

export interface InEngine {
  /** Returns the result at once if the work waits for nothing. */
  run<T>(work: Steps<T>): T | Promise<T>
  /** Number of times that the snapshots are kept open now. */
  readonly held: number
}

const noEarlier = async () => {
  throw new Error('the work is for the current snapshot')
}

export function inEngine(): InEngine {
  let held = 0
  const registry = {
    current: {},
    retained: () => null,
    hold() {
      held++
      return () => void held--
    },
  } as unknown as EngineParts['registry']
  const answer = createEngine({
    registry,
    history: {} as EngineParts['history'],
    access: openAccess,
    earlier: noEarlier,
  })
  return {
    run<T>(work: Steps<T>) {
      let result: T
      const handle = function* () {
        result = yield* work
        return jsonAnswer(null, 'merge', 'snapshot')
      }
      const answered = answer({}, { snapshot: null, answer: handle }, { tier: 0 }, '/target', () => {})
      return answered instanceof Promise ? answered.then(() => result) : result!
    },
    get held() {
      return held
    },
  }
}
