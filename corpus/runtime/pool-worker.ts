/** The worker thread of `pool.ts`: loads the task module and answers each message with one result. */
import { parentPort, workerData } from 'node:worker_threads'
import { sentError } from '../errors/sent-error.ts'
import type { TaskReply, Tasks } from './pool.ts'
import { loadSqlite, reportLoaded } from './threads.ts'

const port = parentPort!
const loaded = import(workerData as string) as Promise<{ tasks: Tasks }>
// Most tasks need SQLite. When the module fails to load, its tasks fail.
loadSqlite()
loaded.catch(() => {}).finally(reportLoaded)

port.on('message', async ({ task, input }: { task: string; input: never }) => {
  try {
    const { tasks } = await loaded
    const { value, transfer } = await tasks[task]!(input)
    port.postMessage({ value } satisfies TaskReply, transfer ?? [])
  } catch (error) {
    port.postMessage({ error: sentError(error) } satisfies TaskReply)
  }
})
