/**
 * Load in an open loop: requests are due at a steady rate, whatever the speed of the answers. Latencies start when a
 * request is due, so that a stalled server does not hide the requests it delayed (no coordinated omission). The
 * generator's own delay, a millisecond of its timer, is excluded.
 */
import { type Connection, openConnection } from './connection.ts'
import type { LoadRun, RequestSource } from './load.ts'
import { mayWait } from './polling.ts'
import { createTally, type LoadResult } from './tally.ts'

const TICK_MS = 1
/** Time limit of the last requests, in ms. */
const DRAIN_MS = 5000

/** Counts answers of any status, and requests with a failed connection, which is reopened. */
export function openLoop(run: LoadRun & { perSecond: number }, next: RequestSource): Promise<LoadResult> {
  const { port, connections, seconds, perSecond, expect } = run
  return new Promise((resolve) => {
    const tally = createTally(expect)
    const loop = mayWait()
    const free: Connection[] = []
    const all = new Set<Connection>()
    /** When the current request of a connection was due. */
    const dueAt = new Map<Connection, number>()
    /** Due but not sent: all connections are busy. */
    const waiting: number[] = []
    let failed = 0
    let began = 0
    let issued = 0
    let timer: NodeJS.Timeout | undefined

    const finish = () => {
      clearInterval(timer)
      for (const one of all) one.destroy()
      resolve(tally.result(seconds, loop.stop(), failed + waiting.length + dueAt.size))
    }
    const take = (connection: Connection) => {
      const due = waiting.shift()
      if (due === undefined) return void free.push(connection)
      dueAt.set(connection, due)
      connection.send(next())
    }
    const tick = () => {
      const now = performance.now()
      const due = Math.floor((Math.min(now - began, seconds * 1000) * perSecond) / 1000)
      for (; issued < due; issued++) {
        waiting.push(now)
        const connection = free.pop()
        if (connection) take(connection)
      }
      const over = now - began - seconds * 1000
      if ((over > 0 && waiting.length === 0 && dueAt.size === 0) || over > DRAIN_MS) finish()
    }
    const start = () => {
      began = performance.now()
      timer = setInterval(tick, TICK_MS)
    }
    const open = () => {
      let own: Connection | null = null
      own = openConnection(port, {
        onConnect(connection) {
          take(connection)
          if (began === 0 && free.length === connections) start()
        },
        onResponse(connection, status, bytes) {
          tally.add(status, bytes, performance.now() - dueAt.get(connection)!)
          dueAt.delete(connection)
          take(connection)
        },
        onFailure() {
          // Node reports an error and a close: only the first has an effect.
          if (own === null || !all.delete(own)) return
          if (dueAt.delete(own)) failed++
          const at = free.indexOf(own)
          if (at >= 0) free.splice(at, 1)
          own.destroy()
          setTimeout(open, TICK_MS * 50)
        },
      })
      all.add(own)
    }
    for (let i = 0; i < connections; i++) open()
  })
}
