/**
 * A query thread that takes every question for an endless one. It writes the database of the question, which does not
 * exist yet, so SQLite's journal beside it shows that the native call runs.
 */
import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { loadSqlite, reportLoaded } from '../../../corpus/runtime/threads.ts'

const ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n'

loadSqlite()
reportLoaded()
parentPort!.on(
  'message',
  ({ path }: { path: string }) => void new Database(path).exec(`CREATE TABLE result AS ${ENDLESS}`),
)
