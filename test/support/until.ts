/** Waits for another process. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Default timeout. */
const LONGEST_MS = 120_000
const EVERY_MS = 20

/** Resolves when `test` returns true. Rejects with the text of `said` after `longestMs`, default: two minutes. */
export async function until(
  test: () => boolean | Promise<boolean>,
  said: () => string,
  longestMs = LONGEST_MS,
): Promise<void> {
  const end = performance.now() + longestMs
  while (!(await test())) {
    if (performance.now() > end) throw new Error(`it never happened: ${said()}`)
    await sleep(EVERY_MS)
  }
}
