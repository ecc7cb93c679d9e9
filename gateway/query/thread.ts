/** The query thread: SQLite is synchronous, and searching takes time, so they work here, where nothing else waits. */
import { parentPort } from 'node:worker_threads'
import { blockMemory } from '../../corpus/snapshot/query/blocks.ts'
import { openQuery, type Query } from '../../corpus/snapshot/query/open.ts'
import { openDatabase } from './database.ts'
import type { Found, QueryReply, QueryRequest, Question } from './protocol.ts'

/** What texts may take in memory, of all snapshots together: those of one, at 350,000 CVEs, take some 40 MB. */
const TEXT_BYTES = 64 * 1024 * 1024

const port = parentPort!
const blocks = blockMemory(TEXT_BYTES)
const descriptors = new Map<string, number | null>()
const opened = new Map<string, { query: Query; close(): void }>()

class Late extends Error {}
let deadline = Number.POSITIVE_INFINITY
function check(): void {
  if (performance.now() > deadline) throw new Late()
}

function queryAt(path: string): Query {
  let entry = opened.get(path)
  if (!entry) {
    const database = openDatabase(path, descriptors.get(path) ?? null)
    try {
      const query = openQuery(database, { blocks, check })
      entry = {
        query,
        close() {
          query.forget()
          database.close()
        },
      }
    } catch (error) {
      database.close()
      throw error
    }
    opened.set(path, entry)
  }
  return entry.query
}

function ask(query: Query, question: Question): Found {
  if (question.kind === 'matches') return query.matches(question.set, question.q)
  return query[question.kind](question.types, question.q, question.limit)
}

function reply(path: string, question: Question, budgetMs: number): void {
  deadline = performance.now() + budgetMs
  try {
    const found = ask(queryAt(path), question)
    if (!(found instanceof Uint32Array)) return void port.postMessage({ found } satisfies QueryReply)
    // Moved, not copied again; it may be a part of a larger array, of which nothing else is needed.
    const ordinals = found.slice()
    port.postMessage({ found: ordinals } satisfies QueryReply, [ordinals.buffer])
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    port.postMessage((error instanceof Late ? { late: true } : { error }) satisfies QueryReply)
  }
}

/** Goes on reading ahead, a step at a time, so that questions come in between. */
function warm(path: string, steps: Iterator<void>): void {
  try {
    deadline = Number.POSITIVE_INFINITY
    if (opened.has(path) && !steps.next().done) setImmediate(() => warm(path, steps))
  } catch {
    // What is damaged is told to whoever asks for it.
  }
}

port.on('message', (request: QueryRequest) => {
  if (request.kind === 'ask') return reply(request.path, request.question, request.budgetMs)
  if (request.kind === 'forget') {
    opened.get(request.path)?.close()
    opened.delete(request.path)
    descriptors.delete(request.path)
    return
  }
  descriptors.set(request.path, request.descriptor)
  try {
    const steps = queryAt(request.path).warm()[Symbol.iterator]()
    setImmediate(() => warm(request.path, steps))
  } catch {
    // What cannot be opened ahead is told to whoever asks it something.
  }
})
