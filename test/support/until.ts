/** Waiting for what another process does. */
import { setTimeout as sleep } from 'node:timers/promises'

/** What takes longer never happens. */
const LONGEST_MS = 120_000
const EVERY_MS = 20

/** Resolves when `test` holds; rejects, with what `said` tells, where it does not in two minutes. */
export async function until(test: () => boolean | Promise<boolean>, said: () => string): Promise<void> {
  const end = performance.now() + LONGEST_MS
  while (!(await test())) {
    if (performance.now() > end) throw new Error(`it never happened: ${said()}`)
    await sleep(EVERY_MS)
  }
}
