/** Spreads work over turns of the event loop. */

/** Runs one piece of work per turn, in order, so that requests are handled in between. */
export function tickQueue(): (work: () => void) => void {
  const waiting: (() => void)[] = []
  const next = () => {
    waiting[0]!()
    waiting.shift()
    if (waiting.length > 0) setImmediate(next)
  }
  return (work) => {
    waiting.push(work)
    if (waiting.length === 1) setImmediate(next)
  }
}
