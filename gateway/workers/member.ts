/** One worker as its primary sees it: a process, what is asked of it, and what came of that. */
import type { SendHandle } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import type { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import { GatewayError } from '../errors.ts'
import { preparedStart } from '../process-start.ts'
import { asError, type LimitAsk, type ToPrimary, type ToWorker } from './protocol.ts'

export interface Member {
  id: number
  pid: number | undefined
  send(message: ToWorker): void
  /**
   * Resolves when it says so; rejects when it cannot start, or ends. One that is not heard of in time hangs, and everybody
   * would wait for it: it is killed.
   */
  said<K extends ToPrimary['kind']>(
    kind: K,
    test?: (message: Extract<ToPrimary, { kind: K }>) => boolean,
  ): Promise<Extract<ToPrimary, { kind: K }>>
  /** Whether it has ended, or is about to. */
  isGone(): boolean
  /** Resolves when it has ended and all that it wrote was passed on. */
  ended: Promise<Ended>
  kill(): void
}

export interface Ended {
  code: number | null
  signal: string | null
  /** It was killed because it did not answer. */
  hung: boolean
}

export interface MemberOptions {
  /** Gets its log, whole lines. */
  pass(lines: string): void
  /** Gets what it asks of the limits. */
  onLimits(asks: LimitAsk[], member: Member): void
  /** How long it may take to answer. */
  answerMs: number
}

interface Hearing {
  hear(message: ToPrimary): boolean
  give(error: Error): void
}

/** The environment of workers; null before the first. */
let environment: NodeJS.ProcessEnv | null = null

/**
 * Connections are handed out by the primary, one after the other: keep-alive connections are few and last. A socket that
 * all accept from gives most of them to whoever is idle at the moment, and with a socket for each worker (SO_REUSEPORT) a
 * hash decides.
 */
function prepareCluster(): NodeJS.ProcessEnv {
  const { execArgv, env } = preparedStart()
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./worker.ts', import.meta.url)),
    args: [],
    execArgv,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  return env
}

/** Starts a worker. */
export function startMember({ pass, onLimits, answerMs }: MemberOptions): Member {
  environment ??= prepareCluster()
  const worker = cluster.fork(environment)
  const hearings = new Set<Hearing>()
  let gone: Error | null = null
  let hung = false
  const giveUp = (error: Error) => {
    gone ??= error
    for (const hearing of hearings) hearing.give(error)
    hearings.clear()
  }
  worker.on('message', (message: ToPrimary) => {
    if (message.kind === 'limits') onLimits(message.asks, member)
    else if (message.kind === 'failed') giveUp(asError(message.error))
    else for (const hearing of hearings) if (hearing.hear(message)) hearings.delete(hearing)
  })
  closeUnaccepted(worker)
  const written = passLines(worker, pass)
  const exited = new Promise<Ended>((resolve) => {
    worker.once('exit', (code, signal) => {
      giveUp(new GatewayError('worker_ended', `a worker ended (${signal ?? `exit code ${code}`})`))
      resolve({ code, signal, hung })
    })
  })
  worker.on('error', giveUp)
  const kill = () => void worker.process.kill('SIGKILL')
  const isLate = () => {
    hung = true
    giveUp(new GatewayError('worker_ended', `a worker did not answer within ${answerMs} ms`))
    kill()
  }
  const member: Member = {
    id: worker.id,
    pid: worker.process.pid,
    send(message) {
      // Whether it arrived is told by what it says, or by its end.
      if (worker.isConnected()) worker.send(message, () => {})
    },
    said: (kind, test = () => true) =>
      new Promise((resolve, reject) => {
        if (gone) return reject(gone)
        const late = setTimeout(isLate, answerMs)
        hearings.add({
          hear(message) {
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
    isGone: () => gone !== null,
    ended: exited.then(async (ended) => {
      await written
      return ended
    }),
    kill,
  }
  return member
}

/** What the primary's cluster module sends with a connection, and what a worker answers. */
interface ClusterMessage {
  act?: string
  seq?: number
  ack?: number
}

/**
 * Closes the connections that a worker was sent and did not accept before it ended. Node waits for its answer for ever:
 * the client would never be answered, and the primary would keep the descriptor.
 */
function closeUnaccepted(worker: Worker): void {
  const { process } = worker
  const unaccepted = new Map<number, { close(): void }>()
  const { send } = process
  process.send = ((message: ClusterMessage, handle?: { close(): void }, ...more: never[]) => {
    if (message.act === 'newconn' && handle) unaccepted.set(message.seq!, handle)
    return send.call(process, message, handle as SendHandle | undefined, ...more)
  }) as typeof send
  const internal: EventEmitter = process
  internal.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) unaccepted.delete(ack)
  })
  worker.once('exit', () => {
    for (const handle of unaccepted.values()) handle.close()
  })
}

/** Passes on what a worker writes, line by line: of several that write into one pipe the lines would run together. */
function passLines({ process: { stdout } }: Worker, pass: (lines: string) => void): Promise<void> {
  if (!stdout) return Promise.resolve()
  let rest = ''
  stdout.setEncoding('utf8')
  stdout.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) pass(rest + text.slice(0, end))
    rest = end > 0 ? text.slice(end) : rest + text
  })
  // Half a line of one that was killed is no line.
  return new Promise((resolve) => void stdout.once('close', resolve))
}
