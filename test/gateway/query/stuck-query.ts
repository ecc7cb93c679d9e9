/** A query thread that takes every question for an endless one, and announces it. */
import { BroadcastChannel, parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { reportLoaded } from '../../../corpus/runtime/threads.ts'

const database = new Database(':memory:')
reportLoaded()
const channel = new BroadcastChannel('stuck-query')
parentPort!.on('message', () => {
  channel.postMessage('asked')
  database.prepare('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n').get()
})
