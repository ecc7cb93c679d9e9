/**
 * The query thread. SQLite is synchronous and searches take time, so they must not block the answering thread.
 * Searches take turns, so that short ones do not wait for long ones.
 */
import { parentPort } from 'node:worker_threads'
import { loadSqlite, reportLoaded } from '../../corpus/runtime/threads.ts'
import { openQuery, type Query, type Steps, textCache } from '../../corpus/snapshot/index.ts'
import { PROCESS_BYTES } from '../process/bounds.ts'
import { lowerCpuPriority } from '../process/low-priority.ts'
import { openDatabase } from './database.ts'
import { packMatches } from './matches.ts'
import type { Found, QueryReply, QueryRequest, Question } from './protocol.ts'

const TURN_MS = 0.5

/**
 * The next turn goes to the search with the least time used, minus a share of its waiting time. Otherwise shorter
 * searches could delay a long one forever. Under full load, the long one gets up to half of the time.
 */
const WAITING_COUNTS = 0.5

interface Search {
  steps: Steps<Found>
  began: number
  deadline: number
  spentMs: number
}

const port = parentPort!
lowerCpuPriority()
const cache = textCache(PROCESS_BYTES.texts)
const descriptors = new Map<string, number | null>()
const opened = new Map<string, { query: Query; close(): void }>()
const searches = new Map<number, Search>()
let warming: Steps<void> | null = null
let turning = false

function queryAt(path: string): Query {
  let entry = opened.get(path)
  if (!entry) {
    const database = openDatabase(path, descriptors.get(path) ?? null)
    try {
      const query = openQuery(database, cache)
      const close = () => {
        query.forget()
        database.close()
      }
      entry = { query, close }
    } catch (error) {
      database.close()
      throw error
    }
    opened.set(path, entry)
  }
  return entry.query
}

function* stepsOf({ stepped }: Query, question: Question): Steps<Found> {
  if (question.kind === 'matches') return packMatches(yield* stepped.matches(question.set, question.q))
  return yield* stepped[question.kind](question.types, question.q, question.limit)
}

type Outcome = { found: Found } | { late: true } | { error: Error }

function reply(number: number, outcome: Outcome): void {
  searches.delete(number)
  const moved = 'found' in outcome && 'bytes' in outcome.found ? [outcome.found.bytes.buffer as ArrayBuffer] : []
  port.postMessage({ number, ...outcome } satisfies QueryReply, moved)
}

const asError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))

function turn(): void {
  let next: number | null = null
  let least = Number.POSITIVE_INFINITY
  const now = performance.now()
  for (const [number, { spentMs, began }] of searches) {
    const had = spentMs - (now - began) * WAITING_COUNTS
    if (had >= least) continue
    next = number
    least = had
  }
  if (next === null) {
    warmNext()
  } else {
    const outcome = advance(searches.get(next)!)
    if (outcome) reply(next, outcome)
  }
  turning = searches.size > 0 || warming !== null
  // New questions arrive between two turns.
  if (turning) setImmediate(turn)
}

/** Returns null if the search has not ended. */
function advance(search: Search): Outcome | null {
  const began = performance.now()
  try {
    for (;;) {
      const step = search.steps.next()
      if (step.done) return { found: step.value }
      const now = performance.now()
      if (now > search.deadline) return { late: true }
      if (now - began < TURN_MS) continue
      search.spentMs += now - began
      return null
    }
  } catch (thrown) {
    return { error: asError(thrown) }
  }
}

function warmNext(): void {
  try {
    if (warming?.next().done) warming = null
  } catch {
    // The next query reports the damage.
    warming = null
  }
}

function receive(request: QueryRequest): void {
  if (request.kind === 'ask') {
    const { number, path, question, budgetMs } = request
    const began = performance.now()
    try {
      searches.set(number, { steps: stepsOf(queryAt(path), question), began, deadline: began + budgetMs, spentMs: 0 })
    } catch (thrown) {
      reply(number, { error: asError(thrown) })
    }
  } else if (request.kind === 'open') {
    descriptors.set(request.path, request.descriptor)
    try {
      queryAt(request.path)
    } catch {
      // The next query reports the failure.
    }
  } else if (request.kind === 'serve') {
    try {
      warming = queryAt(request.path).stepped.warm()
    } catch {
      // The next query reports the failure.
    }
    // Selects the texts to cache, even while searches take all turns.
    warmNext()
  } else {
    opened.get(request.path)?.close()
    opened.delete(request.path)
    descriptors.delete(request.path)
  }
}

loadSqlite()
reportLoaded()
port.on('message', (request: QueryRequest) => {
  receive(request)
  if (turning || (searches.size === 0 && warming === null)) return
  turning = true
  setImmediate(turn)
})
