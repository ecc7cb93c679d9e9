/**
 * Keeps the event loop of the load generator turning, so that it never sleeps while one server answers it alone.
 *
 * Why: a generator that sleeps in `epoll_wait` is woken by the answers, and on two virtual cores waking the other one
 * costs the server that writes the answer 10 to 25 µs inside `writev`. A fast server pays that rarely, for the
 * generator is still busy with its last answers; a slower one pays it nearly every time, so that the ratio of the two
 * measures the scheduler. Seen on a machine with two cores, best of nine rounds, 16 connections, pages of 25 rows: sleeping, the
 * gateway made 21,400 requests/s and polka 68,000; polling, 25,500 and 66,400. More connections (64) batch some of the
 * wake-ups away but not all (17,200 sleeping, 26,100 polling), and their latencies are mostly queueing. So: 16
 * connections, polling, for every server of a round alike. It takes a core of its own: on a machine with other work
 * the figures are worse than without, and where a second thread of the server works as well (text queries) it is off.
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
