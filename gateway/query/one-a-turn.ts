/** Spreading work over turns of the event loop. */

/** Takes work to be done, in the order in which it comes: one piece in a turn, so that requests come in between. */
export function oneATurn(): (work: () => void) => void {
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
