/** Limits that gateways share through a real Redis, and what becomes of them while it is away. */
import { readFileSync } from 'node:fs'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { GatewayError } from '../../../gateway/http/errors.ts'
import type { LimitState } from '../../../gateway/limits/limiter.ts'
import { openLimits } from '../../../gateway/limits/limits.ts'
import { memoryLimiter } from '../../../gateway/limits/memory.ts'
import { redisLimiter } from '../../../gateway/limits/redis.ts'
import { connectRedis } from '../../../gateway/limits/redis-connection.ts'
import { parseRedisUrl } from '../../../gateway/limits/redis-url.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { testGateway } from '../../support/gateway.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { makeCertificate, testRedis } from '../../support/redis.ts'
import { sharedSample } from '../../support/samples.ts'
import { type LogLine, listLog } from '../../support/server.ts'
import { NotServing, type Serving, serving } from '../../support/serving.ts'
import { brief, limiterCases, type TimedLimiter } from './limiter-cases.ts'

const folder = temporaryFolder('redis')
const { dist } = await sharedSample('small')
const redis = await testRedis(folder.path)
const withRedis = suiteNeeding('limits shared through Redis', 'Redis', 'openssl')

const SUBJECT = 'vulnshelf:subject:'
const SHARED = 'Redis connected, sharing limits'
const AWAY = 'Redis unavailable, counting limits in memory'
const WINDOW_MS = 60_000

const opened: { close(): void | Promise<void> }[] = []

async function until(test: () => boolean): Promise<void> {
  while (!test()) await wait(20)
}

/** The part of a gateway that counts its subjects. */
async function counting(limit: number, url = redis.url) {
  const { log, lines } = listLog()
  const connection = await connectRedis(parseRedisUrl(url), log)
  opened.push(connection)
  const quota = { limit, windowMs: WINDOW_MS }
  const limiter = redisLimiter(connection, { prefix: SUBJECT, quota, memory: memoryLimiter(quota) })
  return { connection, lines, ...limiter }
}

const told = (lines: readonly LogLine[]) => lines.map(({ level, message }) => `${level} ${message}`)
const reasons = (lines: readonly LogLine[]) => lines.filter(({ level }) => level === 'warn').map(({ reason }) => reason)

/** Whoever is asked in memory answers at once. */
function inMemory(limitState: LimitState | Promise<LimitState>): LimitState {
  if (limitState instanceof Promise) throw new Error('Redis was asked')
  return limitState
}

limiterCases(withRedis, async (limit): Promise<TimedLimiter> => {
  const { take, look, giveBack } = await counting(limit)
  let passedMs = 0
  // Windows move back where time ought to pass, and so does what we know of them.
  const later = async (limitState: LimitState | Promise<LimitState>) => {
    if (!(limitState instanceof Promise)) throw new Error('Redis was not asked')
    const { endsAt, ...rest } = await limitState
    return { ...rest, endsAt: endsAt + passedMs }
  }
  return {
    take: (key) => later(take(key)),
    look: (key) => later(look(key)),
    giveBack: (key, taken) => giveBack(key, { ...taken, endsAt: taken.endsAt - passedMs }),
    async pass(ms) {
      passedMs += ms
      for (const key of (await redis.send('KEYS', `${SUBJECT}*`)) as string[]) {
        const ends = await redis.send('HINCRBY', key, 'ends', -ms)
        await redis.send('PEXPIREAT', key, ends as number)
      }
    },
  }
})

withRedis('rule 16: asked all at once over several connections, exactly as many are let through', async () => {
  const both = [await counting(50), await counting(50)]
  const asked = Array.from({ length: 120 }, (_, i) => both[i % 2]!.take('alice'))
  const limitStates = await Promise.all(asked)
  const passed = limitStates.filter(({ refused }) => !refused).map(({ left }) => left)
  assert.equal(
    passed.sort((a, b) => b - a),
    Array.from({ length: 50 }, (_, i) => 49 - i),
  )
  assert.is((await both[0]!.look('alice')).refused, true)
  assert.is((await both[1]!.take('bob')).left, 49)
})

withRedis('rule 16: what Redis refuses takes nothing from the quota', async () => {
  const [one, other] = [await counting(1), await counting(1)]
  const taken = await one.take('alice')
  assert.is((await other.take('alice')).refused, true)
  assert.is((await other.take('alice')).refused, true)
  await one.giveBack('alice', taken)
  assert.is((await other.look('alice')).left, 1)
  assert.equal(brief(await other.take('alice')), [false, 0, 60])
})

withRedis('rule 16: nothing is given back into another window, in Redis neither below zero', async () => {
  const { take, look, giveBack } = await counting(3)
  const taken = await take('alice')
  await giveBack('alice', { ...taken, endsAt: taken.endsAt - WINDOW_MS })
  assert.is((await look('alice')).left, 2)
  await giveBack('alice', taken)
  await giveBack('alice', taken)
  assert.is((await look('alice')).left, 3)
  await giveBack('bob', taken)
  assert.is((await look('bob')).left, 3)
})

withRedis('a gateway with a lower limit than another counts with it, and by its own limit', async () => {
  const [high, low] = [await counting(5), await counting(2)]
  for (let i = 0; i < 3; i++) await high.take('alice')
  assert.equal(brief(await low.take('alice')), [true, 0, 60])
  assert.equal(brief(await high.take('alice')), [false, 1, 60])
})

withRedis('keys expire with their windows, and hold digests of names', async () => {
  const { take } = await counting(5)
  await take('alice@example.com')
  const keys = (await redis.send('KEYS', '*')) as string[]
  const digest = 'ff8d9819fc0e12bf0d24892e45987e24'
  assert.equal(
    keys.filter((key) => key.startsWith(SUBJECT)),
    [SUBJECT + digest],
  )
  for (const key of keys) {
    const leftMs = (await redis.send('PTTL', key)) as number
    // -2: gone meanwhile, as the trial's window is after a second.
    assert.ok(leftMs === -2 || (leftMs > 0 && leftMs <= WINDOW_MS), `${key} lives for ${leftMs} ms`)
  }
})

withRedis('a window from before the clock of Redis was set back is over', async () => {
  const { take } = await counting(1)
  await take('alice')
  const [key] = (await redis.send('KEYS', `${SUBJECT}*`)) as string[]
  await redis.send('HINCRBY', key!, 'ends', 3_600_000)
  assert.equal(brief(await take('alice')), [false, 0, 60])
  assert.ok(((await redis.send('PTTL', key!)) as number) <= WINDOW_MS)
})

withRedis('a Redis that is killed costs no request; that it is away, and back, is told once', async () => {
  const { take, connection, lines } = await counting(1_000_000)
  let answers = 0
  let done = false
  const traffic = Array.from({ length: 8 }, async (_, i) => {
    while (!done) {
      assert.is((await take(`subject ${i}`)).refused, false)
      answers++
      await turn()
    }
  })
  await until(() => answers > 200)
  await redis.kill()
  await until(() => !connection.shared)
  assert.equal(brief(inMemory(take('alice'))), [false, 999_999, 60])
  const before = answers
  await until(() => answers > before + 200)
  await redis.start()
  await until(() => connection.shared)
  assert.is((await take('alice')).left, 999_999, 'counted by a Redis that has begun anew')
  done = true
  await Promise.all(traffic)
  assert.equal(told(lines), [`info ${SHARED}`, `warn ${AWAY}`, `info ${SHARED}`])
})

withRedis('of a Redis that hangs all that was asked is let go together, and it is not asked again', async () => {
  const { take, look, giveBack, connection, lines } = await counting(100)
  const taken = await take('alice')
  redis.pause()
  const asked = Array.from({ length: 20 }, () => take('alice'))
  const looked = look('bob')
  // They would wait for as long as it hangs.
  await giveBack('alice', taken)
  const limitStates = await Promise.all(asked)
  assert.equal(
    limitStates.map(({ left }) => left),
    Array.from({ length: 20 }, (_, i) => 99 - i),
  )
  assert.is((await looked).left, 100)
  assert.is(connection.shared, false)
  assert.is(inMemory(take('alice')).left, 79)
  redis.resume()
  await until(() => connection.shared)
  assert.is((await take('carol')).left, 99)
  assert.equal(told(lines), [`info ${SHARED}`, `warn ${AWAY}`, `info ${SHARED}`])
  assert.equal(reasons(lines), ['no answer within 250 ms'])
})

withRedis('rule 16: a Redis that takes no writes counts for nothing, until it takes them again', async () => {
  const { take, connection, lines } = await counting(10)
  const set = (name: string, value: string) => redis.send('CONFIG', 'SET', name, value)
  const faults: [breaks: () => Promise<unknown>, mends: () => Promise<unknown>, reason: RegExp][] = [
    [() => set('maxmemory', '1'), () => set('maxmemory', '0'), /OOM/],
    [() => set('min-replicas-to-write', '1'), () => set('min-replicas-to-write', '0'), /NOREPLICAS/],
    [() => redis.send('REPLICAOF', '127.0.0.1', '1'), () => redis.send('REPLICAOF', 'NO', 'ONE'), /READONLY/],
  ]
  for (const [i, [breaks, mends, reason]] of faults.entries()) {
    await breaks()
    assert.equal(brief(await take(`subject ${i}`)), [false, 9, 60])
    assert.equal(brief(inMemory(take(`subject ${i}`))), [false, 8, 60])
    assert.match(String(reasons(lines).at(-1)), reason)
    await mends()
    await until(() => connection.shared)
    assert.equal(brief(await take(`subject ${i}`)), [false, 9, 60])
  }
  assert.equal(
    told(lines),
    [SHARED, AWAY, SHARED, AWAY, SHARED, AWAY, SHARED].map((line) => `${line === AWAY ? 'warn' : 'info'} ${line}`),
  )
})

withRedis('a Redis that is not there at the start is looked for', async () => {
  await redis.kill()
  const { take, connection, lines } = await counting(3)
  assert.equal(brief(inMemory(take('alice'))), [false, 2, 60])
  assert.equal(told(lines), [`warn ${AWAY}`])
  assert.match(String(reasons(lines)), /ECONNREFUSED/)
  await redis.start()
  await until(() => connection.shared)
  assert.equal(told(lines), [`warn ${AWAY}`, `info ${SHARED}`])
})

withRedis('a password is used and not told, a wrong or missing one is', async () => {
  await redis.send('CONFIG', 'SET', 'requirepass', 'hunter2')
  const at = (who: string) => `redis://${who}@127.0.0.1:${redis.port}`
  const missing = await counting(3)
  const wrong = await counting(3, at(':hunter1'))
  const right = await counting(3, at(':hunter2'))
  const named = await counting(3, at('default:%68unter2'))
  assert.equal(
    [missing, wrong, right, named].map(({ connection }) => connection.shared),
    [false, false, true, true],
  )
  assert.match(String(reasons(missing.lines)), /^NOAUTH/)
  assert.match(String(reasons(wrong.lines)), /^WRONGPASS/)
  for (const { lines } of [missing, wrong, right, named]) assert.not.match(JSON.stringify(lines), /hunter/)
})

withRedis('rediss:// speaks TLS, and only with a server whose certificate is good', async () => {
  const certificate = makeCertificate(folder.path)
  const secret = await testRedis(folder.path, certificate)
  await secret.start()
  const doubted = await counting(3, secret.url)
  assert.match(String(reasons(doubted.lines)), /self-signed certificate/)
  const known = getCACertificates()
  setDefaultCACertificates([...known, readFileSync(certificate.certFile, 'utf8')])
  const { take, lines } = await counting(3, secret.url)
  setDefaultCACertificates(known)
  assert.equal(told(lines), [`info ${SHARED}`])
  assert.is((await take('alice')).left, 2)
  await closeAll()
  await secret.stop()
})

const leftOf = ({ headers }: Response) => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1])

withRedis('rule 16: two gateways with one Redis share the quota of a subject, and failed tokens', async () => {
  const options = { redisUrl: redis.url, rateLimit: 5, failedTokens: 2, metricsPort: 0 }
  const one = await testGateway(folder.path, dist, options)
  opened.push(one)
  const other = await testGateway(folder.path, dist, options)
  opened.push(other)
  const etag = (await one.get('/snapshot')).headers.get('etag')!
  for (const gateway of [other, one, other]) {
    const unchanged = await gateway.get('/snapshot', { 'if-none-match': etag })
    assert.equal([unchanged.status, leftOf(unchanged)], [304, 4])
    // Redis has read whatever came before.
    await redis.send('PING')
  }
  const left: number[] = []
  for (const gateway of [other, one, other, one]) left.push(leftOf(await gateway.get('/snapshot')))
  assert.equal(left, [3, 2, 1, 0])
  const bad = { authorization: 'Bearer a.b.c' }
  const statuses: number[] = []
  for (const gateway of [one, other]) statuses.push((await gateway.get('/snapshot')).status)
  for (const gateway of [one, other, one, other]) statuses.push((await gateway.get('/snapshot', bad)).status)
  assert.equal(statuses, [429, 429, 401, 401, 429, 429])

  const metric = async ({ metricsUrl }: typeof one) =>
    /^vulnshelf_limits_shared (\d)$/m.exec(await (await fetch(metricsUrl!)).text())?.[1]
  assert.equal([await metric(one), await metric(other)], ['1', '1'])
  await redis.kill()
  for (const { log } of [one, other]) await until(() => told(log).includes(`warn ${AWAY}`))
  assert.equal([leftOf(await one.get('/snapshot')), leftOf(await other.get('/snapshot'))], [4, 4])
  assert.equal([await metric(one), await metric(other)], ['0', '0'])
})

withRedis('with workers the primary counts for them, through one connection; REDIS_URL says where', async () => {
  const limit = ['--rate-limit', '12', '--rate-window-seconds', '3600']
  process.env.REDIS_URL = redis.url
  const several = await serving(folder.path, dist, ['--workers', '2', ...limit])
  opened.push({ close: async () => void (await several.stop()) })
  delete process.env.REDIS_URL
  const alone = await serving(folder.path, dist, ['--redis-url', redis.url, ...limit])
  opened.push({ close: async () => void (await alone.stop()) })
  const ask = ({ url, token }: Serving) => {
    // A connection of its own: the primary hands them out in turn.
    const headers = { authorization: `Bearer ${token}`, connection: 'close' }
    return fetch(`${url}/api/v1/snapshot`, { headers })
  }
  const left: number[] = []
  for (let i = 0; i < 12; i++) left.push(leftOf(await ask(i % 3 === 0 ? alone : several)))
  assert.equal(
    left,
    Array.from({ length: 12 }, (_, i) => 11 - i),
  )
  assert.equal([(await ask(several)).status, (await ask(several)).status, (await ask(alone)).status], [429, 429, 429])
  for (const gateway of [several, alone]) {
    assert.is((await gateway.samples()).get('vulnshelf_limits_shared'), 1)
    await gateway.logged(({ msg }) => msg === SHARED)
  }
  const clients = String(await redis.send('CLIENT', 'LIST'))
    .trim()
    .split('\n')
  assert.is(clients.length, 3, 'the two gateways, and this test')
  assert.equal([(await several.stop()).code, (await alone.stop()).code], [0, 0])
})

withRedis.before.each(async () => {
  await redis.start()
})
withRedis.after.each(async () => {
  await closeAll()
  await redis.kill()
})
withRedis.after(redis.stop)
withRedis.run()

const addresses = suite('where a Redis is')

addresses('without Redis, limits are counted in memory', async () => {
  const limits = await openLimits({}, listLog().log)
  assert.is(limits.shared, null)
  assert.is(inMemory(limits.subjects.take('alice')).left, 599)
})

addresses('an address of a Redis says where it is and who we are', () => {
  const base = { host: 'cache.example', port: 6379, db: 0, username: '', password: '', tls: false }
  for (const [text, differs] of [
    ['redis://cache.example', {}],
    ['redis://cache.example/', {}],
    ['rediss://cache.example:6380/12', { tls: true, port: 6380, db: 12 }],
    ['redis://:p%40ss@cache.example', { password: 'p@ss' }],
    ['redis://me:p%2Fss@cache.example', { username: 'me', password: 'p/ss' }],
    ['redis://[2001:db8::1]:7000', { host: '2001:db8::1', port: 7000 }],
  ] as const) {
    const { shown, ...address } = parseRedisUrl(text)
    assert.equal(address, { ...base, ...differs }, text)
    assert.match(shown, /^(?:cache\.example|\[2001:db8::1\]):\d+$/)
  }
})

const NO_ADDRESSES = [
  ...['', 'cache.example:6379', '/run/redis.sock', 'redis:', 'redis:///0', 'http://me:hunter2@cache.example'],
  ...[
    'redis://me:hunter2@cache.example:66000',
    'redis://me:hunter2@cache.example/zero',
    'redis://:%hunter2@cache.example',
  ],
  ...['redis://me:hunter2@cache.example?tls=true', 'redis://me:hunter2@cache.example#0'],
]

addresses('what is no address of a Redis is wrong usage, and is not repeated', async () => {
  for (const redisUrl of NO_ADDRESSES) {
    try {
      await openLimits({ redisUrl }, listLog().log)
      assert.unreachable(redisUrl)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      assert.is(error.code, 'bad_option')
      assert.not.match(error.message, /hunter2/)
      assert.match(error.message, /REDIS_URL/)
    }
  }
})

addresses('a start with such an address ends with exit code 2', async () => {
  try {
    await (await serving(folder.path, dist, ['--redis-url', 'http://me:hunter2@cache.example'])).stop()
    assert.unreachable()
  } catch (error) {
    if (!(error instanceof NotServing)) throw error
    assert.is(error.code, 2)
    assert.match(error.message, /^vulnshelf-gateway: invalid --redis-url \(REDIS_URL\); use [^\n]+$/)
    assert.not.match(error.message, /hunter2/)
  }
})

async function closeAll(): Promise<void> {
  for (const one of opened.splice(0)) await one.close()
}

addresses.after(folder.remove)
addresses.run()
