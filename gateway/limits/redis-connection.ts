/**
 * A connection to Redis that never delays requests. After a late answer or an error, all pending requests are given up.
 * Redis is not used again until a trial in the background succeeds.
 */
import { isIP } from 'node:net'
import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '../process/log.ts'
import type { Quota } from './limiter.ts'
import { COUNT, type Counted, GIVE_BACK } from './redis-script.ts'
import type { RedisAddress } from './redis-url.ts'

export interface RedisConnection {
  /** Whether Redis counts now; if not, it is not used. */
  readonly shared: boolean
  /** Resolves with null if Redis did not count, as far as is known. Never rejects. */
  count(key: string, quota: Quota, how: 'take' | 'look'): Promise<Counted | null>
  /** Resolves when Redis has counted the refund, or is given up. Never rejects. */
  giveBack(key: string, endsAt: number, limit: number): Promise<void>
  close(): void
}

/** Far longer than Redis takes to answer. When it passes, all pending requests are given up, including later ones. */
const ANSWER_MS = 250
/** Interval of trials while Redis is unavailable. */
const TRIAL_MS = 1000
/** After this time, the client fails a command and sends the commands queued behind it. */
const COMMAND_MS = 1000
const CONNECT_MS = 1000
/** How long a start waits for Redis, which may be loading its data. */
const START_MS = 1500
/** A connection that is silent for this time may be dead without a close. */
const SILENT_MS = 5000

/** A trial writes as a request does: a Redis that cannot write still answers PING. */
const TRIAL = { key: 'vulnshelf:trial', limit: 1e9, windowMs: TRIAL_MS }

/** The scripts as commands of the client. */
interface Scripts {
  countWindow(key: string, limit: number, windowMs: number, how: 'take' | 'look'): Promise<Counted>
  giveBackToWindow(key: string, endsAt: number, limit: number): Promise<null>
}

/** Resolves when it is known whether Redis is available. Trials continue until `close`. */
export async function connectRedis(address: RedisAddress, log: Log): Promise<RedisConnection> {
  const redis = new Redis(optionsFor(address)) as Redis & Scripts
  /** Redacts the password: a server may repeat an unknown command, and that can be AUTH. */
  const withoutSecret = (text: string) => (address.password === '' ? text : text.replaceAll(address.password, '…'))
  const known = Promise.withResolvers<void>()
  /** Callbacks that resolve pending requests with null. */
  const waiting = new Set<() => void>()
  let state: 'unknown' | 'shared' | 'away' = 'unknown'
  let closed = false

  function lose(error: Error): void {
    for (const letGo of waiting) letGo()
    waiting.clear()
    if (state === 'away') return
    state = 'away'
    // The error object contains the failed command.
    const reason = error.message || ('code' in error ? String(error.code) : error.name)
    const fields = { redis: address.shown, reason: withoutSecret(reason) }
    if (!closed) log.warn(fields, 'Redis unavailable, counting limits in memory')
    known.resolve()
  }

  function find(): void {
    if (state === 'shared' || closed) return
    state = 'shared'
    log.info({ redis: address.shown }, 'Redis connected, sharing limits')
    known.resolve()
  }

  function tryAgain(): void {
    if (state === 'shared' || redis.status !== 'ready') return
    void reply(redis.countWindow(TRIAL.key, TRIAL.limit, TRIAL.windowMs, 'take')).then((counted) => {
      if (counted !== null) find()
    })
  }

  /** Resolves with the reply, or null if Redis becomes unavailable. */
  function reply<T>(asked: Promise<T>): Promise<T | null> {
    return new Promise((resolve) => {
      // If this process was busy, an answer that arrived meanwhile is read before the immediate.
      const late = setTimeout(() => setImmediate(giveUp), ANSWER_MS)
      const letGo = () => {
        clearTimeout(late)
        resolve(null)
      }
      const giveUp = () => {
        if (waiting.has(letGo)) lose(new Error(`no answer within ${ANSWER_MS} ms`))
      }
      waiting.add(letGo)
      asked.then(
        (value) => {
          waiting.delete(letGo)
          clearTimeout(late)
          resolve(value)
        },
        // An error after Redis was given up does not describe its current state.
        (error: Error) => {
          if (waiting.has(letGo)) lose(error)
        },
      )
    })
  }

  redis.on('error', lose)
  redis.on('close', () => lose(new Error('the connection is closed')))
  redis.once('ready', tryAgain)
  const trials = setInterval(tryAgain, TRIAL_MS).unref()
  const late = setTimeout(() => lose(new Error(`Redis was not ready within ${START_MS} ms`)), START_MS)
  await known.promise
  clearTimeout(late)

  return {
    get shared() {
      return state === 'shared'
    },
    count: (key, { limit, windowMs }, how) => reply(redis.countWindow(key, limit, windowMs, how)),
    async giveBack(key, endsAt, limit) {
      await reply(redis.giveBackToWindow(key, endsAt, limit))
    },
    close() {
      if (closed) return
      closed = true
      clearInterval(trials)
      redis.disconnect()
      lose(new Error('closed'))
    },
  }
}

function optionsFor({ host, port, db, username, password, tls }: RedisAddress) {
  return {
    host,
    port,
    db,
    username,
    password,
    ...(tls ? { tls: isIP(host) ? {} : { servername: host } } : {}),
    scripts: {
      countWindow: { lua: COUNT, numberOfKeys: 1 },
      giveBackToWindow: { lua: GIVE_BACK, numberOfKeys: 1 },
    },
    // Commands of one event-loop turn go together. Refunds go at once, before the answer: the client's next request may
    // reach another gateway, which must see the returned unit.
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: ['giveBackToWindow'],
    // No command is queued for later: by then, memory has counted it.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_MS,
    connectTimeout: CONNECT_MS,
    disconnectTimeout: ANSWER_MS,
    socketTimeout: SILENT_MS,
    // The server became a replica; the address may resolve to another server now.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  } satisfies RedisOptions
}
