/** The memory that this process still needs. The resident size also has what is free, and differs from run to run. */
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the bytes of heap and buffers after garbage collection. */
export async function usedBytes(): Promise<number> {
  // Compressors are released in one turn and collected in the next.
  for (let round = 0; round < 2; round++) {
    await turn()
    collectGarbage()
  }
  await turn()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
