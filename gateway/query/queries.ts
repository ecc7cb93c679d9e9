/** Text queries, in a thread of their own, each with a deadline, and no more at once than is good. */
import { closeSync, openSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import type { Hit, SearchResult } from '../../corpus/snapshot/query/open.ts'
import type { SearchType, TextSetName } from '../../corpus/snapshot/query/sets.ts'
import { recent } from '../../corpus/snapshot/recent.ts'
import { endThread, startThread } from '../../corpus/snapshot/threads.ts'
import { HANGING_THREADS, PROCESS_BYTES, THREAD_YOUNG_MB } from '../bounds.ts'
import { overloaded } from '../errors.ts'
import type { Matches } from './matches.ts'
import { oneATurn } from './one-a-turn.ts'
import type { Found, QueryReply, QueryRequest, Question } from './protocol.ts'

/**
 * Each asks the `query.db` at `path`, and fails with ApiError `overloaded` past the deadline, or when too many wait. What
 * comes back is shared: do not write to it.
 */
export interface Queries {
  /** The ordinals that `q` matches in `set`. */
  matches(path: string, set: TextSetName, q: string): Promise<Matches>
  /** The best of each type, and how many there are. */
  search(path: string, types: readonly SearchType[], q: string, limit: number): Promise<SearchResult>
  /** The best of all types together. */
  suggest(path: string, types: readonly SearchType[], q: string, limit: number): Promise<Hit[]>
  /** Opens a `query.db` and keeps it open, whatever becomes of its name, until it is forgotten. */
  open(path: string): void
  /** Lets go of a `query.db`. */
  forget(path: string): void
  readonly figures: QueryFigures
  close(): Promise<void>
}

/** How the queue fares, for the metrics. */
export interface QueryFigures {
  waiting: number
  /** Queries past their deadline, since the start. */
  timeouts: number
  /** Queries refused because too many were waiting, since the start. */
  refusals: number
}

export interface QueryOptions {
  deadlineMs?: number
  /** So many may be under way or wait. */
  maxWaiting?: number
  /** Bound of remembered results: a walk through pages asks the same again and again. */
  maxRememberedBytes?: number
  /**
   * A search past its deadline says so itself, soon; a thread that does not, within this time, hangs, and is given up.
   */
  graceMs?: number
  /** The module that runs in the thread. */
  thread?: URL
}

interface Job {
  path: string
  question: Question
  expiresAt: number
  resolve(found: Found): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

/** A `query.db` in use: by how many snapshots (two that differ elsewhere may share one), and as an open file. */
interface Held {
  holders: number
  descriptor: number | null
}

const RETRY_AFTER_SECONDS = 1
/** What an entry of the memory costs beside its ordinals, and what something found costs. */
const ENTRY_BYTES = 200
const HIT_BYTES = 600

export function openQueries(options: QueryOptions = {}): Queries {
  const { deadlineMs = 2000, maxWaiting = 64, maxRememberedBytes = PROCESS_BYTES.queries } = options
  const { graceMs = 1000, thread = new URL('./thread.ts', import.meta.url) } = options
  const remembered = recent<string, Found>(maxRememberedBytes, (found, key) => {
    return sizeOf(found) + key.length * 2 + ENTRY_BYTES
  })
  const jobs = new Map<number, Job>()
  let numbered = 0
  const held = new Map<string, Held>()
  let timeouts = 0
  let refusals = 0
  let hanging = 0
  /** Searches that take turns end together, and a page is made at once of what each found. */
  const handOver = oneATurn()
  /** None after a crash, until something is asked again: what crashes at its start must not do so for ever. */
  let worker: Worker | null = start()

  function start(): Worker {
    const options = { resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_MB } }
    const started = startThread<QueryReply>(thread, options, (reply) => {
      const job = jobs.get(reply.number)
      if (started !== worker || !job) return
      settle(reply.number, job)
      // Whoever asked may have been told already that it takes too long: then this says nothing.
      if ('found' in reply) handOver(() => job.resolve(reply.found))
      else job.reject('error' in reply ? reply.error : tooLate())
    })
    started.on('error', (error: Error) => {
      if (started !== worker) return
      worker = null
      for (const [number, job] of jobs) {
        settle(number, job)
        job.reject(error)
      }
    })
    started.unref()
    for (const [path, { descriptor }] of held) tell(started, { kind: 'open', path, descriptor })
    return started
  }

  function tell(to: Worker | null, request: QueryRequest): void {
    to?.postMessage(request)
  }

  function send(number: number, { path, question, expiresAt }: Job): void {
    worker ??= start()
    tell(worker, { kind: 'ask', number, path, question, budgetMs: expiresAt - performance.now() })
  }

  function settle(number: number, job: Job): void {
    clearTimeout(job.timer)
    jobs.delete(number)
  }

  const tooLate = () => overloaded(`the query took longer than ${deadlineMs} ms`, RETRY_AFTER_SECONDS)

  function expire(number: number, job: Job): void {
    timeouts++
    job.reject(tooLate())
    job.timer = setTimeout(() => giveUp(number, job), graceMs).unref()
  }

  /** The thread hangs, on a disk that does not answer perhaps: it goes, and a new one takes over what is not late yet. */
  function giveUp(number: number, job: Job): void {
    settle(number, job)
    if (worker) end(worker)
    worker = null
    for (const [other, one] of jobs) {
      if (one.expiresAt <= performance.now()) settle(other, one)
      else if (hanging < HANGING_THREADS) send(other, one)
      else {
        settle(other, one)
        one.reject(stopped())
      }
    }
  }

  function end(stuck: Worker): void {
    hanging++
    stuck.once('exit', () => void hanging--)
    void endThread(stuck)
  }

  const stopped = () => overloaded(`text search has stopped: ${hanging} query threads hang`, RETRY_AFTER_SECONDS)

  async function ask(path: string, question: Question): Promise<Found> {
    const key = JSON.stringify([path, question])
    const known = remembered.get(key)
    if (known) return known
    if (worker === null && hanging >= HANGING_THREADS) throw stopped()
    if (jobs.size >= maxWaiting) {
      refusals++
      throw overloaded('too many queries are waiting', RETRY_AFTER_SECONDS)
    }
    const found = await new Promise<Found>((resolve, reject) => {
      const number = numbered++
      const expiresAt = performance.now() + deadlineMs
      const timer = setTimeout(() => expire(number, job), deadlineMs)
      const job: Job = { path, question, expiresAt, resolve, reject, timer }
      jobs.set(number, job)
      send(number, job)
    })
    remembered.set(key, found)
    return found
  }

  return {
    matches: (path, set, q) => ask(path, { kind: 'matches', set, q }) as Promise<Matches>,
    search: (path, types, q, limit) => ask(path, { kind: 'search', types, q, limit }) as Promise<SearchResult>,
    suggest: (path, types, q, limit) => ask(path, { kind: 'suggest', types, q, limit }) as Promise<Hit[]>,
    open(path) {
      const known = held.get(path)
      if (known) return void known.holders++
      const descriptor = openIfThere(path)
      held.set(path, { holders: 1, descriptor })
      tell(worker, { kind: 'open', path, descriptor })
    },
    forget(path) {
      const known = held.get(path)
      if (!known || --known.holders > 0) return
      held.delete(path)
      if (known.descriptor !== null) closeSync(known.descriptor)
      tell(worker, { kind: 'forget', path })
    },
    get figures() {
      return { waiting: jobs.size, timeouts, refusals }
    },
    async close() {
      for (const [number, job] of jobs) {
        settle(number, job)
        job.reject(overloaded('the gateway is closing', RETRY_AFTER_SECONDS))
      }
      if (worker) await endThread(worker)
      for (const { descriptor } of held.values()) if (descriptor !== null) closeSync(descriptor)
      held.clear()
    },
  }
}

/** The file as a descriptor; without one, whoever asks something is told what the thread meets when it opens it. */
function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

function sizeOf(found: Found): number {
  if ('bytes' in found) return found.bytes.byteLength
  const hits = Array.isArray(found) ? found.length : Object.values(found.hits).reduce((sum, of) => sum + of.length, 0)
  return hits * HIT_BYTES
}
