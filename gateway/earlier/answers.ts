/** Answers from snapshots that are not open, in a thread of their own, with deadlines and a limited queue. */
import type { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { type ApiError, asApiError, overloaded } from '../../corpus/answers/errors.ts'
import { receivedError } from '../../corpus/errors/sent-error.ts'
import { moduleUrl } from '../../corpus/runtime/module-url.ts'
import { endThread, startThread } from '../../corpus/runtime/threads.ts'
import type { Manifest } from '../../corpus/snapshot/index.ts'
import type { Policy } from '../access/policy.ts'
import type { EncodedAnswer } from '../http/encoded-answer.ts'
import { EARLIER_HEAP_MB, EARLIER_OPEN, THREAD_YOUNG_MB } from '../process/bounds.ts'
import type { EarlierReply, EarlierRequest, EarlierThreadData, SentAnswer } from './protocol.ts'
import { receivedApiError, sentApiError } from './sent-api-error.ts'

export interface EarlierAnswers {
  /**
   * Answers a target without its prefix. Rejects with ApiError, `overloaded` after the deadline or if the queue is full.
   * @param tier of the caller
   */
  answer(target: string, tier: number, charge: () => void | Promise<void>): Promise<EncodedAnswer>
  close(): Promise<void>
}

export interface EarlierOptions {
  dist: string
  /** Snapshots that are read at once. */
  most?: number
  /** The manifest of the snapshot that is served. */
  current(): Manifest
  /** The policy that applies now; null if every account sees all CVEs. */
  policy(): Policy | null
  deadlineMs?: number
  /** Running or waiting. */
  maxWaiting?: number
  /** A thread without an answer so long after a deadline hangs and is terminated. */
  graceMs?: number
  thread?: URL
}

interface Job {
  charge(): void | Promise<void>
  resolve(answer: EncodedAnswer): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

const RETRY_AFTER_SECONDS = 5

export function openEarlierAnswers({
  dist,
  most = EARLIER_OPEN,
  current,
  policy,
  deadlineMs = 30_000,
  maxWaiting = 64,
  graceMs = 10_000,
  thread = moduleUrl('./thread.ts', import.meta.url),
}: EarlierOptions): EarlierAnswers {
  const jobs = new Map<number, Job>()
  let numbered = 0
  /** Null until the first request, and after a crash until the next one. */
  let worker: Worker | null = null
  let served: Manifest | null = null
  let applied: Policy | null = null

  const tell = (request: EarlierRequest) => worker?.postMessage(request)

  function start(): Worker {
    const data: EarlierThreadData = { dist, most }
    const resourceLimits = { maxYoungGenerationSizeMb: THREAD_YOUNG_MB, maxOldGenerationSizeMb: EARLIER_HEAP_MB }
    const started = startThread<EarlierReply>(thread, { workerData: data, resourceLimits }, (reply) => {
      if (started === worker) receive(reply)
    })
    started.on('error', (error: Error) => {
      if (started === worker) giveUp(error)
    })
    started.unref()
    served = null
    applied = null
    return started
  }

  /** The next request starts another thread. */
  function giveUp(error: Error): void {
    worker = null
    for (const [number, job] of jobs) {
      settle(number)
      job.reject(error)
    }
  }

  function settle(number: number): Job | undefined {
    const job = jobs.get(number)
    clearTimeout(job?.timer)
    jobs.delete(number)
    return job
  }

  function receive(reply: EarlierReply): void {
    const { kind, number } = reply
    if (kind === 'charge') void charge(number)
    else if (kind === 'answer') settle(number)?.resolve(encodedAnswer(reply.answer))
    else settle(number)?.reject(kind === 'refusal' ? receivedApiError(reply.error) : receivedError(reply.error))
  }

  async function charge(number: number): Promise<void> {
    let error: ApiError | null = null
    try {
      await jobs.get(number)?.charge()
    } catch (thrown) {
      error = asApiError(thrown)
    }
    tell({ kind: 'charged', number, error: error && sentApiError(error) })
  }

  const tooLate = () =>
    overloaded(`the answer from an earlier snapshot took longer than ${deadlineMs} ms`, RETRY_AFTER_SECONDS)

  /** Its place in the queue stays taken until the thread answers. */
  function expire(number: number, job: Job): void {
    job.reject(tooLate())
    job.timer = setTimeout(() => {
      settle(number)
      if (worker) void endThread(worker)
      giveUp(tooLate())
    }, graceMs).unref()
  }

  return {
    async answer(target, tier, charge) {
      if (jobs.size >= maxWaiting) {
        throw overloaded('too many requests for earlier snapshots are queued', RETRY_AFTER_SECONDS)
      }
      worker ??= start()
      if (served !== current()) {
        served = current()
        tell({ kind: 'serve', current: served })
      }
      if (applied !== policy()) {
        applied = policy()
        tell({ kind: 'access', policy: applied })
      }
      return new Promise<EncodedAnswer>((resolve, reject) => {
        const number = numbered++
        const timer = setTimeout(() => expire(number, job), deadlineMs)
        const job: Job = { charge, resolve, reject, timer }
        jobs.set(number, job)
        tell({ kind: 'ask', number, target, tier })
      })
    },
    async close() {
      const last = worker
      giveUp(overloaded('the gateway is closing', RETRY_AFTER_SECONDS))
      if (last) await endThread(last)
    },
  }
}

function encodedAnswer({ gzip, ...rest }: SentAnswer): EncodedAnswer {
  const bytes = Buffer.from(gzip.buffer, gzip.byteOffset, gzip.length)
  return { ...rest, gzip: () => bytes, identity: () => gunzipSync(bytes) }
}
