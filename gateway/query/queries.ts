/** Text queries in a separate thread, with deadlines and a limited queue. */

import { closeSync, openSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { overloaded } from '../../corpus/answers/errors.ts'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import { moduleUrl } from '../../corpus/runtime/module-url.ts'
import { endThread, startThread } from '../../corpus/runtime/threads.ts'
import type { Hit, MatchRange, SearchedText, SearchResult, SearchType } from '../../corpus/snapshot/index.ts'
import { HANGING_THREADS, PROCESS_BYTES, THREAD_YOUNG_MB } from '../process/bounds.ts'
import type { Matches } from './matches.ts'
import type { Found, QueryReply, QueryRequest, Question } from './protocol.ts'
import { tickQueue } from './tick-queue.ts'

/**
 * Each query reads the `query.db` at `path`. It fails with ApiError `overloaded` after the deadline, or if the queue
 * is full. Results are shared: never modify them.
 */
export interface Queries {
  matches(path: string, set: SearchedText, q: string): Promise<Matches>
  /** Returns the ordinals of the first matches in a range, sooner than all matches. */
  firstMatches(path: string, set: SearchedText, q: string, range: MatchRange): Promise<Uint32Array>
  countMatches(path: string, set: SearchedText, q: string): Promise<number>
  /** Includes total numbers. */
  search(path: string, types: readonly SearchType[], q: string, limit: number): Promise<SearchResult>
  suggest(path: string, types: readonly SearchType[], q: string, limit: number): Promise<Hit[]>
  /** The file stays open until `forget`, even if it is deleted. */
  open(path: string): void
  /** Keeps the pages of an open file in the cache, in place of those of another. */
  serve(path: string): void
  forget(path: string): void
  readonly figures: QueryFigures
  close(): Promise<void>
}

export interface QueryFigures {
  waiting: number
  /** Since the start. */
  timeouts: number
  /** Because the queue was full, since the start. */
  refusals: number
}

export interface QueryOptions {
  deadlineMs?: number
  /** Running or waiting. */
  maxWaiting?: number
  /** In bytes. Clients repeat the query for each page. */
  maxRememberedBytes?: number
  /** A search ends itself soon after its deadline. A thread without a reply by then hangs and is terminated. */
  graceMs?: number
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

/** Two snapshots can share one `query.db`. */
interface Held {
  holders: number
  descriptor: number | null
}

const RETRY_AFTER_SECONDS = 1
/** Overhead of a cache entry, and size of a hit. */
const ENTRY_BYTES = 200
const HIT_BYTES = 600

export function openQueries(options: QueryOptions = {}): Queries {
  const { deadlineMs = 2000, maxWaiting = 64, maxRememberedBytes = PROCESS_BYTES.queries } = options
  const { graceMs = 1000, thread = moduleUrl('./thread.ts', import.meta.url) } = options
  const remembered = generationalCache<string, Found>(maxRememberedBytes, (found, key) => {
    return sizeOf(found) + key.length * 2 + ENTRY_BYTES
  })
  const jobs = new Map<number, Job>()
  let numbered = 0
  const held = new Map<string, Held>()
  let served: string | null = null
  let timeouts = 0
  let refusals = 0
  let hanging = 0
  /** Searches that share turns end together; their results are spread over turns. */
  const handOver = tickQueue()
  /** Null after a crash until the next query, to prevent endless crashes. */
  let worker: Worker | null = start()

  function start(): Worker {
    const options = { resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_MB } }
    const started = startThread<QueryReply>(thread, options, (reply) => {
      const job = jobs.get(reply.number)
      if (started !== worker || !job) return
      settle(reply.number, job)
      // After a timeout this has no effect.
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
    if (served !== null) tell(started, { kind: 'serve', path: served })
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

  /** The thread hangs, for example on a disk. A new one continues the other queries. */
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

  const stopped = () =>
    overloaded(`text search is unavailable: ${hanging} query threads are stuck`, RETRY_AFTER_SECONDS)

  async function ask(path: string, question: Question): Promise<Found> {
    const key = JSON.stringify([path, question])
    const known = remembered.get(key)
    if (known !== undefined) return known
    if (worker === null && hanging >= HANGING_THREADS) throw stopped()
    if (jobs.size >= maxWaiting) {
      refusals++
      throw overloaded('too many queries are queued', RETRY_AFTER_SECONDS)
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
    firstMatches: (path, set, q, range) => ask(path, { kind: 'first', set, q, range }) as Promise<Uint32Array>,
    countMatches: (path, set, q) => ask(path, { kind: 'count', set, q }) as Promise<number>,
    search: (path, types, q, limit) => ask(path, { kind: 'search', types, q, limit }) as Promise<SearchResult>,
    suggest: (path, types, q, limit) => ask(path, { kind: 'suggest', types, q, limit }) as Promise<Hit[]>,
    open(path) {
      const known = held.get(path)
      if (known) return void known.holders++
      const descriptor = openIfThere(path)
      held.set(path, { holders: 1, descriptor })
      tell(worker, { kind: 'open', path, descriptor })
    },
    serve(path) {
      served = path
      tell(worker, { kind: 'serve', path })
    },
    forget(path) {
      const known = held.get(path)
      if (!known || --known.holders > 0) return
      held.delete(path)
      if (served === path) served = null
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

/** Returns null on failure; the thread then reports it. */
function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

function sizeOf(found: Found): number {
  if (typeof found === 'number') return 0
  if ('byteLength' in found) return found.byteLength
  if ('bytes' in found) return found.bytes.byteLength
  const hits = Array.isArray(found) ? found.length : Object.values(found.hits).reduce((sum, of) => sum + of.length, 0)
  return hits * HIT_BYTES
}
