/**
 * Keeps the load generator's event loop running, so that it never sleeps while one server answers it.
 *
 * Reason: answers wake a generator that sleeps in `epoll_wait`. The server that writes the answer pays for waking the
 * other core, inside `writev`. A fast server rarely pays, because the generator is still busy with the previous
 * answers. A slower server pays nearly every time. The ratio of the two would then measure the scheduler.
 *
 * Measured on two virtual cores shared with other work, with pages of 25 rows and nine rounds. In the best round, the
 * gateway reached 21,400 requests/s with a generator that sleeps (up to 1 ms at a time) and 25,500 with one that polls;
 * polka reached 68,000 and 66,400. With 64 connections, the gateway reached 17,200 and 26,100, and polka 50,900 and
 * 60,800. The medians show the opposite (13,200 and 9,000 for the gateway with 16 connections), because polling needs a
 * full core and loses it to other processes. The choice of 16 connections and polling for every server of a round is
 * therefore for an otherwise idle machine, and based on best rounds only. Polling is off when a second thread of the
 * server works too (text queries).
 */

export interface Polling {
  /** Records that something happened in this turn. */
  touch(): void
  /** Stops. Returns the share of the time in turns in which something happened. */
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

/** The same for a generator that may sleep: its busy time is the time that the event loop did not wait. */
export function mayWait(): Polling {
  const before = performance.eventLoopUtilization()
  return { touch() {}, stop: () => performance.eventLoopUtilization(before).utilization }
}
