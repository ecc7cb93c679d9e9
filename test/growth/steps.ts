/** Counts the steps of some work, so that growth can be tested without a clock. */
import { type Profiler, Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'

/** Begins to count in this thread. Functions that were compiled before have no blocks to count. */
export function stepCounter() {
  // Code of this compiler does not count (Node 26).
  setFlagsFromString('--no-maglev')
  const session = new Session()
  session.connect()
  // In a session of the own thread, commands complete before `post` returns.
  const post = (method: string, params?: object): unknown => {
    let answer: unknown
    session.post(method, params, (error, result) => {
      if (error) throw error
      answer = result
    })
    return answer
  }
  post('Profiler.enable')
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const take = () => post('Profiler.takePreciseCoverage') as Profiler.TakePreciseCoverageReturnType
  return {
    /**
     * Returns how often the block of each function that runs most ran, summed over the functions of the product and of its
     * packages. The sum of all blocks would jump, because V8 omits a block that runs as often as the one around it. The
     * work inside of regular expressions and other functions of the engine is not counted.
     */
    async steps(work: () => unknown): Promise<number> {
      take()
      await work()
      let sum = 0
      for (const { url, functions } of take().result) {
        if (!url.startsWith('file:') || url.includes('/test/')) continue
        for (const { ranges } of functions) sum += ranges.reduce((most, { count }) => Math.max(most, count), 0)
      }
      return sum
    },
  }
}
