/** The thread of `endWithParent`. `process.exit` would wait for the event loop, so it sends SIGKILL. */
import { workerData } from 'node:worker_threads'

const EVERY_MS = 500

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL')
}, EVERY_MS)
