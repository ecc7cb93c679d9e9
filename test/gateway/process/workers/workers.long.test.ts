/** Several processes that answer as one. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LOCAL, makeToken } from '../../../../gateway/auth/token.ts'
import type { OpenLog } from '../../../../gateway/process/log.ts'
import { startWorkers } from '../../../../gateway/process/workers/primary.ts'
import { ingestAndBuild, temporaryFolder } from '../../../support/dist.ts'
import { listening } from '../../../support/listening.ts'
import { ownSample } from '../../../support/samples.ts'
import { NotServing, type Serving, serving } from '../../../support/serving.ts'
import { AUDIENCE, adminClaims, ISSUER, jwks, sign, signingKey } from '../../../support/tokens.ts'
import { until } from '../../../support/until.ts'

const folder = temporaryFolder('workers')
const sample = await ownSample('small', folder.path)

interface Received {
  status: number
  headers: Record<string, string>
  body: string
}

/** A connection of its own: the primary hands connections out in turn, so two of them lie with two workers. */
function connection({ url, token }: Pick<Serving, 'url' | 'token'>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const get = (path: string, given = token, more: Record<string, string> = {}) =>
    new Promise<Received>((resolve, reject) => {
      const headers = { authorization: `Bearer ${given}`, ...more }
      const sent = request(`${url}/api/v1${path}`, { agent, headers }, (response) => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () => {
          resolve({ status: response.statusCode!, headers: response.headers as Record<string, string>, body })
        })
      })
      sent.on('error', reject)
      sent.end()
    })
  return { get, close: () => agent.destroy() }
}

async function pidsOf(gateway: Serving): Promise<number[]> {
  await gateway.logged(({ msg }) => msg === 'all workers ready')
  return gateway.log().flatMap(({ msg, pid, worker }) => (msg === 'worker listening' && worker ? [pid as number] : []))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const leftOf = ({ headers }: Received) => Number(/r=(\d+)/.exec(headers.ratelimit!)![1])
const withTwo = (...words: string[]) => serving(folder.path, sample.dist, ['--workers', '2', ...words])

/** One gateway for the tests of limits. Each has a subject of its own. */
const LIMIT = 40
const key = await signingKey('limits')
const jwksFile = join(folder.path, 'limits.json')
writeFileSync(jwksFile, jwks(key))
const limited = await withTwo(
  ...['--rate-limit', String(LIMIT), '--rate-window-seconds', '3600', '--failed-tokens', '6'],
  ...['--jwks', jwksFile, '--issuer', ISSUER, '--audience', AUDIENCE],
)
const subjectNamed = async (sub: string) => ({
  url: limited.url,
  token: await sign(key, adminClaims(Date.now(), { sub })),
})

test('rule 16: the requests of a subject count over all workers, to the last one', async () => {
  const subject = await subjectNamed('in turn')
  const both = [connection(subject), connection(subject)]
  const left: number[] = []
  for (let i = 0; i < LIMIT; i++) {
    const answer = await both[i % 2]!.get('/snapshot')
    assert.is(answer.status, 200)
    left.push(leftOf(answer))
  }
  assert.equal(
    left,
    Array.from({ length: LIMIT }, (_, i) => LIMIT - 1 - i),
    'each counts where the other left off',
  )
  for (const one of both) assert.is((await one.get('/snapshot')).status, 429)
  for (const one of both) one.close()
})

test('rule 16: asked all at once, exactly as many are let through', async () => {
  const subject = await subjectNamed('at once')
  const many = Array.from({ length: 10 }, () => connection(subject))
  const answers = await Promise.all(many.flatMap((one) => Array.from({ length: 10 }, () => one.get('/snapshot'))))
  assert.is(answers.filter(({ status }) => status === 200).length, LIMIT)
  assert.is(answers.filter(({ status }) => status === 429).length, 100 - LIMIT)
  for (const one of many) one.close()
})

test('rule 16: a 304 costs no quota, whichever worker gives it, as often as the limit; without quota it is a 429', async () => {
  const subject = await subjectNamed('unchanged')
  const both = [connection(subject), connection(subject)]
  const { etag } = (await both[0]!.get('/snapshot')).headers
  const unchanged = (i: number) => both[i % 2]!.get('/snapshot', subject.token, { 'if-none-match': etag! })
  const left: number[] = []
  for (let i = 0; i < LIMIT + 2; i++) {
    const answer = await unchanged(i)
    assert.is(answer.status, 304)
    left.push(leftOf(answer))
  }
  const free = Array.from({ length: LIMIT }, () => LIMIT - 1)
  assert.equal(left, [...free, LIMIT - 2, LIMIT - 3])
  for (let rest = LIMIT - 4; rest >= 0; rest--) assert.is(leftOf(await both[0]!.get('/snapshot')), rest)
  assert.is((await unchanged(1)).status, 429)
  for (const one of both) one.close()
})

test('rule 16: failed tokens of an address count over all workers, and good ones pass', async () => {
  const subject = await subjectNamed('valid')
  const both = [connection(subject), connection(subject)]
  const statuses: number[] = []
  for (let i = 0; i < 8; i++) statuses.push((await both[i % 2]!.get('/snapshot', 'rubbish')).status)
  assert.equal(statuses, [401, 401, 401, 401, 401, 401, 429, 429])
  for (const one of both) assert.is((await one.get('/snapshot')).status, 200)
  for (const one of both) one.close()
})

test('the listener for other tools has one port for all workers, and one limit per address', async () => {
  const words = [
    '--compat',
    'npm',
    '--compat-port',
    '0',
    '--compat-auth',
    'none',
    '--rate-limit',
    '20',
    '--workers',
    '2',
  ]
  const gateway = await serving(folder.path, sample.dist, words)
  const post = async () => {
    // A connection of its own, so that both workers answer.
    const headers = { connection: 'close' }
    const path = '/-/npm/v1/security/audits'
    return (await fetch(gateway.compatUrl + path, { method: 'POST', headers })).status
  }
  const statuses: number[] = []
  for (let i = 0; i < 25; i++) statuses.push(await post())
  assert.equal(
    [410, 429].map((status) => statuses.filter((one) => one === status).length),
    [20, 5],
  )
  const { code, log } = await gateway.stop()
  assert.is(code, 0)
  assert.is(log.filter(({ path }) => path === '/-/npm/v1/security/audits').length, 25)
})

test('one log has the requests of all, in whole lines; the metrics are those of all together', async () => {
  const gateway = await withTwo()
  const both = [connection(gateway), connection(gateway)]
  for (let i = 0; i < 400; i++) await both[i % 2]!.get(`/cves?limit=${1 + (i % 100)}`)
  const samples = await gateway.samples()
  assert.is(samples.get('vulnshelf_workers'), 2)
  const name = 'vulnshelf_requests_total{route="/cves",status="200",served_from="'
  assert.is((samples.get(`${name}shard"}`) ?? 0) + (samples.get(`${name}merge"}`) ?? 0), 400)
  assert.is(samples.get('vulnshelf_request_duration_seconds_count{route="/cves"}'), 400)
  for (const one of both) one.close()
  const { code, log } = await gateway.stop()
  assert.is(code, 0)
  assert.is(log.filter(({ msg }) => msg === 'request').length, 400)
})

test('a worker that is killed is replaced; the others answer meanwhile, and what it counted stays counted', async () => {
  const gateway = await withTwo()
  const one = connection(gateway)
  for (let i = 0; i < 10; i++) assert.is((await one.get('/snapshot')).status, 200)
  one.close()
  const total = 'vulnshelf_requests_total{route="/snapshot",status="200",served_from="shard"}'
  const count = (await gateway.samples()).get(total)
  const { pid } = await gateway.logged(({ msg, pid }) => msg === 'worker listening' && typeof pid === 'number')
  process.kill(pid as number, 'SIGKILL')
  await gateway.logged(({ msg, signal }) => msg === 'worker ended, restarting' && signal === 'SIGKILL')
  const other = connection(gateway)
  assert.is((await other.get('/snapshot')).status, 200)
  await gateway.logged(({ msg }) => msg === 'worker restarted')
  const samples = await gateway.samples()
  assert.is(samples.get('vulnshelf_workers'), 2)
  assert.is(samples.get('vulnshelf_worker_restarts_total'), 1)
  assert.is(samples.get(total), count! + 1)
  other.close()
  assert.is((await gateway.stop()).code, 0)
})

/** Returns what became of a request on a connection of its own; null while it waits. */
function askOnce(url: string): { readonly outcome: 'answered' | 'closed' | null } {
  const asked: { outcome: 'answered' | 'closed' | null } = { outcome: null }
  let isAnswered = false
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('data', () => {
    isAnswered = true
  })
  // A connection that is reset is closed too.
  socket.on('error', () => {})
  socket.on('close', () => {
    asked.outcome = isAnswered ? 'answered' : 'closed'
  })
  socket.write('GET /healthz HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n')
  return asked
}

/** A descriptor may be closed before it is read. */
function isSocket(descriptor: string): boolean {
  try {
    return readlinkSync(descriptor).startsWith('socket:')
  } catch {
    return false
  }
}

test('a connection that was sent to a worker that dies is closed, and the primary keeps no descriptor of it', async () => {
  const gateway = await withTwo()
  const pids = await pidsOf(gateway)
  const open = `/proc/${gateway.process.pid}/fd`
  const sockets = () => readdirSync(open).filter((fd) => isSocket(join(open, fd))).length
  const before = sockets()
  for (let round = 0; round < 3; round++) {
    const worker = pids.at(-1)!
    process.kill(worker, 'SIGSTOP')
    const asked = Array.from({ length: 12 }, () => askOnce(gateway.url))
    const waiting = () => asked.filter(({ outcome }) => outcome === null).length
    await until(
      () => waiting() === 1,
      () => `${waiting()} of 12 requests wait for the worker that does not run`,
    )
    process.kill(worker, 'SIGKILL')
    await until(
      () => waiting() === 0,
      () => `${waiting()} of 12 connections stay open`,
    )
    const { pid } = await gateway.logged(({ msg, pid }) => msg === 'worker restarted' && !pids.includes(pid as number))
    pids.push(pid as number)
  }
  await until(
    () => sockets() <= before,
    () => `the primary has ${sockets()} sockets, and had ${before}`,
  )
  assert.is((await gateway.stop()).code, 0)
})

test('a start that fails says why in one line, and leaves no process', async () => {
  const { port, close } = await listening(createServer())
  const failures: [words: string[], code: number, line: RegExp][] = [
    [
      ['--port', String(port)],
      1,
      new RegExp(`port ${port} on 127\\.0\\.0\\.1 is already in use; choose another with --port.*$`),
    ],
    [['--access-policy', '/nowhere.json'], 1, /^vulnshelf-gateway: [^\n]*nowhere\.json[^\n]*$/],
  ]
  for (const [words, code, line] of failures) {
    try {
      await (await withTwo(...words)).stop()
      assert.unreachable()
    } catch (error) {
      if (!(error instanceof NotServing)) throw error
      assert.match(error.message.split('\n').at(-1)!, line)
      assert.is(error.code, code)
    }
  }
  await close()
})

test('rule 7: walks through both workers go on while a new snapshot is taken up, and none fails', async () => {
  const gateway = await withTwo('--poll-seconds', '1', '--rate-limit', '1000000')
  const both = [connection(gateway), connection(gateway)]
  const first = JSON.parse((await both[0]!.get('/snapshot')).body).id as string
  const swapped = gateway.logged(({ msg }) => msg === 'serving new snapshot')
  let done = false
  void swapped.then(() => {
    done = true
  })
  const walk = async () => {
    const ids: string[] = []
    let cursor = ''
    const snapshots = new Set<string>()
    for (let i = 0; ; i++) {
      const answer = await both[i % 2]!.get(`/cves?limit=20${cursor}`)
      assert.is(answer.status, 200, answer.body)
      snapshots.add(answer.headers['snapshot-id']!)
      const { data, pagination } = JSON.parse(answer.body)
      ids.push(...data.map((row: { cve_id: string }) => row.cve_id))
      if (pagination.next_cursor === null) return { ids, snapshots }
      cursor = `&cursor=${pagination.next_cursor}`
    }
  }
  const building = ingestAndBuild({ ...sample, asOf: sample.nights[1]! })
  const walks = []
  while (!done) walks.push(await walk())
  await building
  walks.push(await walk())
  const known = new Map<string, string[]>()
  for (const { ids, snapshots } of walks) {
    const [snapshot] = snapshots
    assert.is(snapshots.size, 1, 'a walk stays in its snapshot')
    assert.is(new Set(ids).size, ids.length, 'no row twice')
    if (known.has(snapshot!)) assert.equal(ids, known.get(snapshot!))
    known.set(snapshot!, ids)
  }
  assert.ok(known.has(first))
  assert.is(known.size, 2)
  for (const one of both) one.close()
  await gateway.stop()
})

test('requests in flight are answered after SIGTERM, and all processes end with 0', async () => {
  const gateway = await withTwo()
  const pids = await pidsOf(gateway)
  const many = Array.from({ length: 16 }, () => connection(gateway))
  for (const one of many) await one.get('/snapshot')
  // The requests arrive before the signal, and are read after it.
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  const asked = many.map((one, i) => one.get(`/cves?limit=${i + 1}`))
  const stopped = gateway.stop()
  await gateway.logged(({ msg }) => msg === 'stopping')
  for (const pid of pids) process.kill(pid, 'SIGCONT')
  for (const answer of await Promise.all(asked)) {
    assert.is(answer.status, 200)
    assert.ok(JSON.parse(answer.body).data)
  }
  for (const one of many) one.close()
  assert.is((await stopped).code, 0)
  for (const pid of pids) assert.not.ok(isAlive(pid))
})

/** Processes with these options keep their event loop busy from SIGUSR2 on. */
function busyOnSignal(): string[] {
  const file = join(folder.path, 'busy.mjs')
  writeFileSync(file, "process.on('SIGUSR2', () => { for (;;); })\n")
  return ['--import', pathToFileURL(file).href]
}

test('workers end by themselves when their primary is killed, also one whose event loop is busy', async () => {
  const gateway = await serving(folder.path, sample.dist, ['--workers', '2'], busyOnSignal())
  const pids = await pidsOf(gateway)
  process.kill(pids[0]!, 'SIGUSR2')
  gateway.process.kill('SIGKILL')
  await until(
    () => !pids.some(isAlive),
    () => `${pids.filter(isAlive)} live`,
  )
})

test('a worker whose event loop is busy is killed and replaced, and the others answer meanwhile', async () => {
  const gateway = await serving(folder.path, sample.dist, ['--workers', '2'], busyOnSignal())
  const [busy] = await pidsOf(gateway)
  process.kill(busy!, 'SIGUSR2')
  const { pid, hung, signal } = await gateway.logged(({ msg }) => msg === 'worker ended, restarting')
  assert.equal([pid, hung, signal], [busy, true, 'SIGKILL'])
  await gateway.logged(({ msg }) => msg === 'worker restarted')
  for (let i = 0; i < 4; i++) {
    const one = connection(gateway)
    assert.is((await one.get('/snapshot')).status, 200)
    one.close()
  }
  assert.is((await gateway.stop()).code, 0)
})

test('when no worker can be had any more, that is said in one line, and the exit code is 1', async () => {
  const own = temporaryFolder('workers-gone')
  const { dist } = await ownSample('small', own.path)
  const gateway = await serving(own.path, dist, ['--workers', '2'])
  let said = ''
  gateway.process.stderr!.on('data', (text: string) => {
    said += text
  })
  const pids = await pidsOf(gateway)
  renameSync(join(dist, 'manifests'), join(dist, 'elsewhere'))
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  const [code] = await once(gateway.process, 'close')
  assert.is(code, 1)
  assert.match(said, /^vulnshelf-gateway: \d workers ended in a row; the log has the reasons\n$/)
  const last = gateway.log().findLast(({ msg }) => msg === 'worker failed to start')
  assert.match(JSON.stringify(last?.err), /manifest/)
  own.remove()
})

test('a worker that hangs is ended and replaced, and a swap goes on without it', async () => {
  const own = temporaryFolder('workers-hang')
  const sample = await ownSample('small', own.path)
  const { token, jwksFile } = await makeToken({ dir: join(own.path, 'keys') })
  const { issuer, audience } = LOCAL
  const told: Record<string, unknown>[] = []
  const tell = (fields: object, msg: string) => void told.push({ ...fields, msg })
  const log: OpenLog = {
    options: { level: 'info', format: 'json' },
    debug() {},
    info: tell,
    warn: tell,
    error: tell,
    access() {},
    pass() {},
    flush: async () => {},
  }
  const options = { dist: sample.dist, port: 0, jwks: jwksFile, issuer, audience, pollMs: 0 }
  // Workers must start within this time on a busy machine. A worker that misses its beats is ended after 10 seconds.
  const running = await startWorkers(2, options, log, { answerMs: 9000 })
  const before = connection({ url: running.url, token })
  const first = (await before.get('/snapshot')).headers['snapshot-id']
  before.close()
  const listening = () => told.filter(({ msg }) => msg === 'worker listening')
  process.kill(listening()[0]!.pid as number, 'SIGSTOP')
  await ingestAndBuild({ ...sample, asOf: sample.nights[1]! })
  await running.refresh()
  await until(
    () => listening().length === 3,
    () => JSON.stringify(told),
  )
  const ended = told.filter(({ msg }) => msg === 'worker ended, restarting')
  assert.equal(
    ended.map(({ pid, hung }) => [pid, hung]),
    [[listening()[0]!.pid, true]],
  )
  for (let i = 0; i < 4; i++) {
    const after = connection({ url: running.url, token })
    assert.is.not((await after.get('/snapshot')).headers['snapshot-id'], first)
    after.close()
  }
  await running.close()
  own.remove()
})

test('a snapshot that one worker cannot take up is served by none; one that ends meanwhile does not stop it', async () => {
  const own = temporaryFolder('workers-swap')
  const sample = await ownSample('small', own.path)
  const gateway = await serving(own.path, sample.dist, ['--workers', '2', '--poll-seconds', '3600'])
  const pids = await pidsOf(gateway)
  const serves = async () => {
    const both = [connection(gateway), connection(gateway)]
    const ids = await Promise.all(both.map(async (one) => (await one.get('/snapshot')).headers['snapshot-id']!))
    for (const one of both) one.close()
    return ids
  }
  const first = await serves()
  assert.is(first[0], first[1])
  // It may open no more files: that is its own trouble, the snapshot is sound.
  const files = readdirSync(`/proc/${pids[1]}/fd`).length
  execFileSync('prlimit', ['--pid', String(pids[1]), `--nofile=${files + 4}:`])
  await ingestAndBuild({ ...sample, asOf: sample.nights[1]! })
  gateway.process.kill('SIGHUP')
  await gateway.logged(({ msg }) => msg === 'new snapshot rejected, still serving the previous one')
  assert.equal(await serves(), first)
  assert.is((await gateway.samples()).get('vulnshelf_snapshot_refusals_total'), 1)

  execFileSync('prlimit', ['--pid', String(pids[1]), '--nofile=1024:'])
  process.kill(pids[1]!, 'SIGSTOP')
  const pointer = join(sample.dist, 'latest.json')
  utimesSync(pointer, new Date(), new Date())
  gateway.process.kill('SIGHUP')
  const loads = () => gateway.log().filter(({ msg }) => msg === 'worker loaded new snapshot')
  // The other one, twice.
  await gateway.logged(() => loads().length === 2)
  process.kill(pids[1]!, 'SIGKILL')
  await gateway.logged(({ msg }) => msg === 'serving new snapshot')
  await gateway.logged(({ msg }) => msg === 'worker restarted')
  const second = await serves()
  assert.is(second[0], second[1])
  assert.is.not(second[0], first[0])
  assert.is((await gateway.stop()).code, 0)
  own.remove()
})

test.after(async () => {
  await limited.stop()
  folder.remove()
})
test.run()
