/**
 * Keeps the event loop of the load generator turning, so that it never sleeps while one server answers it alone.
 *
 * Why: a generator that sleeps in `epoll_wait` is woken by the answers, and the server that writes the answer pays for
 * waking the other core, inside `writev`. A fast server pays that rarely, for the generator is still busy with its last
 * answers; a slower one pays it nearly every time, so that the ratio of the two would measure the scheduler.
 *
 * What was seen, on two virtual cores shared with other work, pages of 25 rows, nine rounds: in the best round the gateway
 * made 21,400 requests/s with a generator that sleeps (up to 1 ms at a time) and 25,500 with one that polls, polka 68,000
 * and 66,400; with 64 connections the gateway 17,200 and 26,100, polka 50,900 and 60,800. The medians say the opposite
 * (13,200 and 9,000 for the gateway with 16 connections), because polling takes a core of its own and loses it to whatever
 * else runs. So the choice, 16 connections and polling, for every server of a round alike, is for a machine that does
 * nothing else, and rests on best rounds only. It is off where a second thread of the server works as well (text queries).
 */

export interface Polling {
  /** Something happened in this turn. */
  touch(): void
  /** Stops; gives the share of the time that went into turns in which something happened. */
  stop(): number
}

export function keepPolling(): Polling {
  const began = performance.now()
  let last = began
  let busyMs = 0
  let touched = false
  let stopped = false
  const turn = () => {
    const now = performance.now()
    if (touched) busyMs += now - last
    touched = false
    last = now
    if (!stopped) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    touch() {
      touched = true
    },
    stop() {
      stopped = true
      return busyMs / (performance.now() - began)
    },
  }
}

/** The same for a generator that may sleep: what it did is what the event loop did not wait. */
export function mayWait(): Polling {
  const before = performance.eventLoopUtilization()
  return { touch() {}, stop: () => performance.eventLoopUtilization(before).utilization }
}
