/** A worker as seen by its primary: its process, requests to it, and their outcomes. */

import type { SendHandle } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import type { EventEmitter } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { fileURLToPath } from 'node:url'
import { receivedError } from '../../../corpus/errors/sent-error.ts'
import { moduleUrl } from '../../../corpus/runtime/module-url.ts'
import { GatewayError } from '../../http/errors.ts'
import { BEAT_MS, MISSED_BEATS } from '../bounds.ts'
import type { LogOptions } from '../log-options.ts'
import type { LimitAsk, ToPrimary, ToWorker } from './protocol.ts'

export interface Member {
  id: number
  pid: number | undefined
  send(message: ToWorker): void
  /**
   * Resolves with the next message of this kind. Rejects if the worker cannot start or ends. A worker that does not
   * answer in time is killed, because the others would wait for it.
   */
  waitFor<K extends ToPrimary['kind']>(
    kind: K,
    test?: (message: Extract<ToPrimary, { kind: K }>) => boolean,
  ): Promise<Extract<ToPrimary, { kind: K }>>
  /** From now on, kills the worker if it misses `MISSED_BEATS` replies. */
  watch(): void
  isGone(): boolean
  /** Connections that were handed to the worker so far, and those that it has not accepted yet. */
  connections(): { handed: number; unaccepted: number }
  /** Resolves after the end, when the whole output was forwarded. */
  ended: Promise<Ended>
  kill(): void
}

export interface Ended {
  code: number | null
  signal: string | null
  /** Killed because it did not answer. */
  hung: boolean
}

export interface MemberOptions {
  log: LogOptions
  /** Receives whole lines of its log. */
  pass(lines: string): void
  onLimits(asks: LimitAsk[], member: Member): void
  /** Time limit in ms. */
  answerMs: number
}

interface PendingMessage {
  offer(message: ToPrimary): boolean
  give(error: Error): void
}

/**
 * The primary distributes connections in turn, because keep-alive connections are few and long. A shared socket gives
 * most of them to the worker that is idle at that moment. With a socket per worker (SO_REUSEPORT), a hash decides.
 */
function prepareCluster({ level, format }: LogOptions): void {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: fileURLToPath(moduleUrl('./worker.ts', import.meta.url)),
    args: [level, format],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
}

export function startMember({ log, pass, onLimits, answerMs }: MemberOptions): Member {
  prepareCluster(log)
  const cache = getCompileCacheDir()
  const worker = cluster.fork(cache && { NODE_COMPILE_CACHE: cache })
  const pending = new Set<PendingMessage>()
  let gone: Error | null = null
  let hung = false
  let missed = 0
  let beat: NodeJS.Timeout | undefined
  const giveUp = (error: Error) => {
    gone ??= error
    for (const waiting of pending) waiting.give(error)
    pending.clear()
  }
  worker.on('message', (message: ToPrimary) => {
    if (message.kind === 'beat') missed = 0
    else if (message.kind === 'limits') onLimits(message.asks, member)
    else if (message.kind === 'failed') giveUp(receivedError(message.error))
    else for (const waiting of pending) if (waiting.offer(message)) pending.delete(waiting)
  })
  const connections = watchConnections(worker)
  const written = passLines(worker, pass)
  const exited = new Promise<Ended>((resolve) => {
    worker.once('exit', (code, signal) => {
      clearInterval(beat)
      giveUp(new GatewayError('worker_ended', `a worker ended (${signal ?? `exit code ${code}`})`))
      resolve({ code, signal, hung })
    })
  })
  worker.on('error', giveUp)
  const kill = () => void worker.process.kill('SIGKILL')
  const endHung = (ms: number) => {
    hung = true
    giveUp(new GatewayError('worker_ended', `a worker did not reply within ${ms} ms`))
    kill()
  }
  const member: Member = {
    id: worker.id,
    pid: worker.process.pid,
    send(message) {
      // A lost message shows as a missing answer, or as the worker's end.
      if (worker.isConnected()) worker.send(message, () => {})
    },
    waitFor: (kind, test = () => true) =>
      new Promise((resolve, reject) => {
        if (gone) return reject(gone)
        const late = setTimeout(endHung, answerMs, answerMs)
        pending.add({
          offer(message) {
            if (message.kind !== kind || !test(message as never)) return false
            clearTimeout(late)
            resolve(message as never)
            return true
          },
          give(error) {
            clearTimeout(late)
            reject(error)
          },
        })
      }),
    watch() {
      beat = setInterval(() => {
        if (missed === MISSED_BEATS) return endHung(MISSED_BEATS * BEAT_MS)
        missed++
        member.send({ kind: 'beat' })
      }, BEAT_MS).unref()
    },
    isGone: () => gone !== null,
    connections,
    ended: exited.then(async (ended) => {
      await written
      return ended
    }),
    kill,
  }
  return member
}

interface ClusterMessage {
  act?: string
  seq?: number
  ack?: number
}

/**
 * Counts the connections that are handed to a worker. Closes those that it did not accept before it ended. Node would
 * wait forever: the client would get no answer, and the descriptor would stay open.
 */
function watchConnections(worker: Worker): Member['connections'] {
  const { process } = worker
  const unaccepted = new Map<number, { close(): void }>()
  let handed = 0
  const { send } = process
  process.send = ((message: ClusterMessage, handle?: { close(): void }, ...more: never[]) => {
    if (message.act === 'newconn' && handle) {
      handed++
      unaccepted.set(message.seq!, handle)
    }
    return send.call(process, message, handle as SendHandle | undefined, ...more)
  }) as typeof send
  const internal: EventEmitter = process
  internal.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) unaccepted.delete(ack)
  })
  worker.once('exit', () => {
    for (const handle of unaccepted.values()) handle.close()
  })
  return () => ({ handed, unaccepted: unaccepted.size })
}

/** Forwards whole lines, because lines of several processes in one pipe could mix. */
function passLines({ process: { stdout } }: Worker, pass: (lines: string) => void): Promise<void> {
  if (!stdout) return Promise.resolve()
  let rest = ''
  stdout.setEncoding('utf8')
  stdout.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) pass(rest + text.slice(0, end))
    rest = end > 0 ? text.slice(end) : rest + text
  })
  // Drops a killed worker's partial line.
  return new Promise((resolve) => void stdout.once('close', resolve))
}
