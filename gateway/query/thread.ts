/**
 * The query thread. SQLite is synchronous and searches take time, so they must not block the answering thread.
 * Searches take turns, so that short ones do not wait for long ones.
 */
import { parentPort } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { loadSqlite, reportLoaded } from '../../corpus/runtime/threads.ts'
import { searchRunner } from '../../corpus/snapshot/derived.ts'
import { LOCAL_COSTS, openSearches } from '../../corpus/snapshot/index.ts'
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

type Steps = Generator<void, Found>

interface RunningSearch {
  path: string
  steps: Steps
  began: number
  deadline: number
  spentMs: number
}

interface OpenQuery {
  database: Database
  ask(question: Question): Steps
}

const port = parentPort!
lowerCpuPriority()
const descriptors = new Map<string, number | null>()
const opened = new Map<string, OpenQuery>()
const searches = new Map<number, RunningSearch>()
let turning = false

function queryAt(path: string): OpenQuery {
  let query = opened.get(path)
  if (!query) {
    const database = openDatabase(path, descriptors.get(path) ?? null)
    const searches = openSearches(LOCAL_COSTS)
    const run = searchRunner(database)
    query = {
      database,
      *ask(question) {
        const { kind, q } = question
        if (kind === 'matches') return packMatches(yield* run(searches.matches(question.set, q)))
        if (kind === 'count') return yield* run(searches.countMatches(question.set, q))
        if (kind === 'first') return yield* run(searches.firstMatches(question.set, q, question.range))
        return yield* run<Found>(searches[kind](question.types, q, question.limit))
      },
    }
    opened.set(path, query)
  }
  return query
}

/** Ends the searches of a file before it is closed. */
function close(path: string): void {
  for (const [number, search] of searches) {
    if (search.path !== path) continue
    search.steps.return(0)
    reply(number, { late: true })
  }
  opened.get(path)?.database.close()
  opened.delete(path)
  descriptors.delete(path)
}

/** Gives the memory for pages to the file that is served. */
function serve(path: string): void {
  for (const { database } of opened.values()) database.pragma(`cache_size = -${OTHER_KIB}`)
  queryAt(path).database.pragma(`cache_size = -${PROCESS_BYTES.texts / 1024}`)
}

/** Of a snapshot that few requests name. */
const OTHER_KIB = 2048

type Outcome = { found: Found } | { late: true } | { error: Error }

function reply(number: number, outcome: Outcome): void {
  searches.delete(number)
  const found = 'found' in outcome ? outcome.found : null
  const moved = typeof found === 'object' && found && 'bytes' in found ? [found.bytes.buffer as ArrayBuffer] : []
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
  if (next !== null) {
    const outcome = advance(searches.get(next)!)
    if (outcome) reply(next, outcome)
  }
  turning = searches.size > 0
  // New questions arrive between two turns.
  if (turning) setImmediate(turn)
}

/** Returns null if the search has not ended. */
function advance(search: RunningSearch): Outcome | null {
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

function receive(request: QueryRequest): void {
  if (request.kind === 'ask') {
    const { number, path, question, budgetMs } = request
    const began = performance.now()
    try {
      const steps = queryAt(path).ask(question)
      searches.set(number, { path, steps, began, deadline: began + budgetMs, spentMs: 0 })
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
      serve(request.path)
    } catch {
      // The next query reports the failure.
    }
  } else close(request.path)
}

loadSqlite()
reportLoaded()
port.on('message', (request: QueryRequest) => {
  receive(request)
  if (turning || searches.size === 0) return
  turning = true
  setImmediate(turn)
})
