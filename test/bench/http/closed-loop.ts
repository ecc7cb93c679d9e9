/** Load in a closed loop: each connection sends its next request when the previous one is answered. */
import { type Connection, openConnection } from './connection.ts'
import type { LoadRun, RequestSource } from './load.ts'
import { keepPolling, mayWait } from './polling.ts'
import { createTally, type LoadResult } from './tally.ts'

/**
 * Latencies start when the request is sent.
 * @throws Error for an answer with an unexpected status
 */
export function closedLoop(run: LoadRun & { polling: boolean }, next: RequestSource): Promise<LoadResult> {
  const { port, connections, seconds, expect } = run
  return new Promise((resolve, reject) => {
    const all: Connection[] = []
    const sentAt = new Map<Connection, number>()
    const tally = createTally(expect)
    const loop = run.polling ? keepPolling() : mayWait()
    const began = performance.now()
    const end = began + seconds * 1000
    let left = connections

    const finish = (error?: Error) => {
      for (const one of all.splice(0)) one.destroy()
      const busy = loop.stop()
      if (error) reject(error)
      else resolve(tally.result((performance.now() - began) / 1000, busy))
    }
    const send = (connection: Connection, now: number) => {
      sentAt.set(connection, now)
      connection.send(next())
    }
    const events = {
      onConnect: (connection: Connection) => send(connection, performance.now()),
      onResponse(connection: Connection, status: number, bytes: number) {
        loop.touch()
        if (!expect.includes(status)) return finish(new Error(`a request was answered ${status}`))
        const now = performance.now()
        tally.add(status, bytes, now - sentAt.get(connection)!)
        if (now < end) send(connection, now)
        else if (--left === 0) finish()
      },
      onFailure: finish,
    }
    for (let i = 0; i < connections; i++) all.push(openConnection(port, events))
  })
}
