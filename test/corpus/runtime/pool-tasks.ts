/** Tasks for threads that behave, and that do not. */
import { CodedError } from '../../../corpus/errors/coded-error.ts'
import type { TaskResult } from '../../../corpus/runtime/pool.ts'

class RefusedError extends CodedError<'refused'> {}

const never = () => new Promise<TaskResult>(() => {})

let counted = 0

export const tasks = {
  /** Returns the number of calls in this thread. */
  count: (): TaskResult => ({ value: ++counted }),
  echo: (value: unknown): TaskResult => ({ value }),
  stay: never,
  exit(): never {
    process.exit(3)
  },
  throwLater(): Promise<TaskResult> {
    setImmediate(() => {
      throw new Error('thrown outside of the task')
    })
    return never()
  },
  refuse(): never {
    throw new RefusedError('refused', 'not today')
  },
}
