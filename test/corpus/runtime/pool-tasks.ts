/** Tasks for threads, with and without faults. */
import type { TaskResult } from '../../../corpus/runtime/pool.ts'

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
    throw Object.assign(new Error('not today'), { name: 'RefusedError', code: 'refused' })
  },
}
