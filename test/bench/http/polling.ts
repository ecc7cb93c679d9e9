/**
 * Keeps the load generator's event loop running, so that it never sleeps while one server answers it. Otherwise that
 * server pays for waking the generator. Reason and figures: test/bench/README.md, "Load generator".
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
