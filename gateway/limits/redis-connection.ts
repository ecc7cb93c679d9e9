/**
 * A connection to Redis that keeps nobody waiting: what is not answered in time, or with an error, is let go, and from then
 * on nothing is asked until a trial in the background has succeeded.
 */
import { isIP } from 'node:net'
import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '../process/log.ts'
import type { Quota } from './limiter.ts'
import { COUNT, type Counted, GIVE_BACK } from './redis-script.ts'
import type { RedisAddress } from './redis-url.ts'

export interface RedisConnection {
  /** Whether Redis counts now; otherwise it is not asked. */
  readonly shared: boolean
  /** Null where Redis has not counted, as far as we know. Never rejects. */
  count(key: string, quota: Quota, how: 'take' | 'look'): Promise<Counted | null>
  giveBack(key: string, endsAt: number, limit: number): void
  close(): void
}

/** Far beyond what Redis takes for an answer. Whatever waits then is let go, also what was asked later. */
const ANSWER_MS = 250
/** How often an absent Redis is tried. */
const TRIAL_MS = 1000
/** When the client gives up a command, and sends those that it held back for it. */
const COMMAND_MS = 1000
const CONNECT_MS = 1000
/** How long a start waits for Redis, which may also be loading its data. */
const START_MS = 1500
/** The other end of a connection that says nothing for so long may be gone without a word. */
const SILENT_MS = 5000

/** As a request would, with writing: a Redis that cannot write answers a PING as well. */
const TRIAL = { key: 'vulnshelf:trial', limit: 1e9, windowMs: TRIAL_MS }

/** The scripts, as commands. */
interface Scripts {
  countWindow(key: string, limit: number, windowMs: number, how: 'take' | 'look'): Promise<Counted>
  giveBackToWindow(key: string, endsAt: number, limit: number): Promise<null>
}

/** Resolves once it is known whether Redis is there; it is looked for until `close`, also where it is not. */
export async function connectRedis(address: RedisAddress, log: Log): Promise<RedisConnection> {
  const redis = new Redis(optionsFor(address)) as Redis & Scripts
  /** A server may repeat a command that it does not know, and that may be the one with the password. */
  const withoutSecret = (text: string) => (address.password === '' ? text : text.replaceAll(address.password, '…'))
  const known = Promise.withResolvers<void>()
  /** Lets go whoever waits for an answer. */
  const waiting = new Set<() => void>()
  let state: 'unknown' | 'shared' | 'away' = 'unknown'
  let closed = false

  function lose(error: Error): void {
    for (const letGo of waiting) letGo()
    waiting.clear()
    if (state === 'away') return
    state = 'away'
    // The error itself holds the command that failed.
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

  /** What Redis replies; null once it is lost. */
  function reply<T>(asked: Promise<T>): Promise<T | null> {
    return new Promise((resolve) => {
      // An answer that came while this process itself was busy is read before the immediate.
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
        // An error that comes after Redis was lost, and perhaps found again, says nothing of it as it is now.
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
  const late = setTimeout(() => lose(new Error(`not ready within ${START_MS} ms`)), START_MS)
  await known.promise
  clearTimeout(late)

  return {
    get shared() {
      return state === 'shared'
    },
    count: (key, { limit, windowMs }, how) => reply(redis.countWindow(key, limit, windowMs, how)),
    giveBack: (key, endsAt, limit) => void reply(redis.giveBackToWindow(key, endsAt, limit)),
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
    // What is asked in one turn of the event loop goes together. What is given back goes before the answer that it is for:
    // who asks another gateway next must not find it taken still.
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: ['giveBackToWindow'],
    // Nothing is kept for later: by then it has been counted elsewhere.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_MS,
    connectTimeout: CONNECT_MS,
    disconnectTimeout: ANSWER_MS,
    socketTimeout: SILENT_MS,
    // It has become a replica: by now the address may lead to another one.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  } satisfies RedisOptions
}
