/** Progress of long work: one rewritten line on a terminal, occasional lines in a log. */

import { printableLine } from './printable.ts'

export type Progress = (step: string, done: number, total: number) => void

export const noProgress: Progress = () => {}

/** Minimum time between two lines in a log, in ms. */
const LOG_EVERY_MS = 10_000
const REDRAW_EVERY_MS = 100

/** Shows progress on `out`, by default standard error. `now` is a clock in ms. */
export function showProgress(out: NodeJS.WriteStream = process.stderr, now: () => number = Date.now): Progress {
  const every = out.isTTY ? REDRAW_EVERY_MS : LOG_EVERY_MS
  let last = out.isTTY ? 0 : now()
  return (name, done, total) => {
    const step = printableLine(name)
    const ended = done === total
    if (!out.isTTY) {
      if (now() - last < every) return
      last = now()
      out.write(`${step}: ${done} of ${total}\n`)
      return
    }
    if (!ended && now() - last < every) return
    last = now()
    out.write(`\r\x1b[K${ended ? '' : `${step}: ${done} of ${total}`}`)
  }
}
