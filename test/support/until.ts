/** Waits for another process. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Timeout, in ms. */
const LONGEST_MS = 120_000
const EVERY_MS = 20

/** Resolves when `test` returns true. Rejects with the text of `said` after two minutes. */
export async function until(test: () => boolean | Promise<boolean>, said: () => string): Promise<void> {
  const end = performance.now() + LONGEST_MS
  while (!(await test())) {
    if (performance.now() > end) throw new Error(`it never happened: ${said()}`)
    await sleep(EVERY_MS)
  }
}
