/** The query thread: SQLite is synchronous, so it works here, where nothing else waits for it. */
import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { openQuery, type Query } from '../../corpus/snapshot/derive/query.ts'
import type { QueryReply, QueryRequest } from './protocol.ts'

const port = parentPort!
const opened = new Map<string, { database: Database.Database; query: Query }>()

function queryAt(path: string): Query {
  let entry = opened.get(path)
  if (!entry) {
    const database = new Database(path, { readonly: true, fileMustExist: true })
    entry = { database, query: openQuery(database) }
    opened.set(path, entry)
  }
  return entry.query
}

port.on('message', (request: QueryRequest) => {
  if (request.kind === 'forget') {
    opened.get(request.path)?.database.close()
    opened.delete(request.path)
    return
  }
  try {
    if (request.kind === 'open') return void queryAt(request.path)
    const ordinals = queryAt(request.path).matches(request.q).slice()
    port.postMessage({ ordinals } satisfies QueryReply, [ordinals.buffer])
  } catch (error) {
    // What cannot be opened ahead is told to whoever asks it something.
    if (request.kind === 'open') return
    port.postMessage({ error: error instanceof Error ? error : new Error(String(error)) } satisfies QueryReply)
  }
})
