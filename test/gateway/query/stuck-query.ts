/** A query thread that takes every question for an endless one. */
import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { reportLoaded } from '../../../corpus/runtime/threads.ts'

const database = new Database(':memory:')
reportLoaded()
parentPort!.on('message', () => {
  database.prepare('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n').get()
})
