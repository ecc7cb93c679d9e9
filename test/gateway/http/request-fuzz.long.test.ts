/** Random and broken requests on raw connections: each is answered as documented, and the service stays as it was. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { megabytes } from '../../../corpus/command/format.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { type FuzzRequest, type FuzzWorld, grammarRequest, mutated, type Operation } from '../../support/http-fuzz.ts'
import { sharedSample } from '../../support/samples.ts'
import { serving } from '../../support/serving.ts'

const SEED = Number(process.env.VULNSHELF_TEST_SEED ?? 1)
const REQUESTS = Number(process.env.VULNSHELF_TEST_REQUESTS ?? 100_000)
/** Less than the time after which the runner ends the file. */
const TIMEOUT_MS = 480_000
/** What caches and the garbage of node may still add. */
const GROWTH_BYTES = 150e6
const CONNECTIONS = 16
/** Well below what the gateway lets wait on a connection. */
const CONNECTION_BYTES = 32_768
/** A connection that stays open for longer hangs: the service ends an unfinished request after 30 s. */
const HANGS_MS = 45_000
const SILENCE_MS = 20
/** The statuses of API.md, 302 of `/docs`, and 100 and 417 for `Expect` (RFC 9110 10.1.1). 500 is no answer to any request. */
const DOCUMENTED = new Set([
  100, 200, 204, 302, 304, 400, 401, 403, 404, 405, 406, 408, 410, 413, 414, 417, 429, 431, 503,
])
/** What a stack trace, a path or a token of the service would look like. The page of the explorer names `file://`. */
const LEAKS = /\bat \S+ \(|node_modules|file:\/\/\/|\.ts:\d+|eyJ[\w-]+\.eyJ/

const folder = temporaryFolder('fuzz')
const { dist } = await sharedSample('plain')
const many = '1000000000'
const service = await serving(folder.path, dist, ['--no-access-log', '--rate-limit', many, '--failed-tokens', many])
const port = Number(new URL(service.url).port)

async function json<T>(path: string): Promise<T> {
  const answer = await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${service.token}` } })
  assert.is(answer.status, 200, path)
  return (await answer.json()) as T
}

async function fuzzWorld(): Promise<FuzzWorld> {
  const { paths } = await json<{ paths: Record<string, { get: Omit<Operation, 'path'> }> }>('/openapi.json')
  const operations = Object.entries(paths).map(([path, { get }]) => ({ path, parameters: get.parameters ?? [] }))
  const { data, pagination } = await json<{ data: { cve_id: string }[]; pagination: { next_cursor: string } }>('/cves')
  const lists = ['/cwes', '/capecs', '/cnas', '/vendors']
  const found = await Promise.all(lists.map((path) => json<{ data: Record<string, unknown>[] }>(path)))
  const ids = found.flatMap((list) => list.data.map((one) => String(one.slug ?? one.cwe_id ?? one.capec_id ?? one.id)))
  const answer = await fetch(`${service.url}/api/v1/cves`, { headers: { authorization: `Bearer ${service.token}` } })
  await answer.arrayBuffer()
  return {
    operations,
    ids: [...data.map((cve) => cve.cve_id), ...ids],
    token: service.token,
    etags: [answer.headers.get('etag')!],
    cursors: [pagination.next_cursor, `${pagination.next_cursor}x`, pagination.next_cursor.slice(1)],
  }
}

interface Exchange {
  received: Buffer
  /** Bodies of the answers to the requests that end where they say. */
  bodies: Buffer[]
  /** Whether the connection was reset: by the system when its buffers are full, or by a service that leaves bytes unread. */
  isReset: boolean
}

/** Sends the requests on one connection, and closes it after their answers and a little silence. */
function exchange(requests: readonly FuzzRequest[]): Promise<Exchange> {
  const methods = requests.filter(({ isFramed }) => isFramed).map(({ method }) => method)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port })
    let received: Buffer = Buffer.alloc(0)
    let bodies: Buffer[] = []
    let isReset = false
    const timer = setTimeout(() => socket.destroy(new Error('the connection stays open')), HANGS_MS)
    const silence = setTimeout(() => bodies.length === methods.length && socket.end(), SILENCE_MS)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      try {
        bodies = answersTo(methods, received)
      } catch (error) {
        socket.destroy(error as Error)
      }
      silence.refresh()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isReset = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      if (!isReset) reject(error)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      clearTimeout(silence)
      const mayBeCut = (isReset && methods.length < requests.length) || isHttp2Preface(requests.at(-1)!)
      if (bodies.length === methods.length || mayBeCut) resolve({ received, bodies, isReset })
      else
        reject(
          new Error(
            `${methods.length - bodies.length} of ${methods.length} requests have no answer${isReset ? ' (reset)' : ''}`,
          ),
        )
    })
    socket.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
  })
}

/** Node closes the connection at once when it reads the method of HTTP/2's preface without a version of HTTP. */
const isHttp2Preface = ({ bytes }: FuzzRequest) => bytes.toString('latin1', 0, 4) === 'PRI '

/** Returns the bodies of the answers to these methods that are complete so far. */
function answersTo(methods: readonly string[], received: Buffer): Buffer[] {
  const bodies: Buffer[] = []
  let at = 0
  for (const method of methods) {
    const end = received.indexOf('\r\n\r\n', at)
    if (end === -1) break
    const head = received.toString('latin1', at, end)
    const status = Number(/^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/.exec(head)?.[1])
    assert.ok(DOCUMENTED.has(status), `undocumented answer: ${head}`)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    const isEmpty = method === 'HEAD' || status === 304 || status === 204
    assert.ok(isEmpty || length !== undefined, `no length: ${head}`)
    at = end + 4 + (isEmpty ? 0 : Number(length))
    if (at > received.length) break
    bodies.push(received.subarray(end + 4, at))
  }
  return bodies
}

/** The status line of each answer, wherever a broken request made it begin. */
const statusLines = (received: Buffer) =>
  [...received.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) [\w -]*\r\n/g)].map(([, status]) => Number(status))

/**
 * Returns how many connections of this machine the system has reset because its buffers were full: `TCPAbortOnMemory` of
 * Linux, 0 on other systems. Whatever runs beside this test can fill them.
 */
function resetsForMemory(): number {
  if (process.platform !== 'linux') return 0
  const [names, values] = readFileSync('/proc/net/netstat', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
  return Number(values![names!.indexOf('TCPAbortOnMemory')] ?? 0)
}

const residentBytes = async () => (await service.samples()).get('process_resident_memory_bytes')!

test(`${REQUESTS} requests of seed ${SEED} are answered as documented, and memory stays flat`, async () => {
  const world = await fuzzWorld()
  const counts = new Map<number, number>()
  const deadline = performance.now() + TIMEOUT_MS
  let asked = 0
  let connection = 0
  let resets = 0
  const earlierResets = resetsForMemory()

  async function client(last: number): Promise<void> {
    while (asked < last && performance.now() < deadline) {
      const random = new Random(SEED, ++connection)
      const requests: FuzzRequest[] = []
      let bytes = 0
      do {
        const request = grammarRequest(random, world)
        requests.push(random.chance(0.04) ? mutated(random, request) : request)
        bytes += requests.at(-1)!.bytes.length
      } while (requests.at(-1)!.isFramed && requests.length < 40 && bytes < CONNECTION_BYTES)
      asked += requests.length
      const note = `connection ${connection} of seed ${SEED}`
      const { received, bodies, isReset } = await exchange(requests).catch((error) => {
        throw new Error(`${note}: ${error.message}`)
      })
      if (isReset) resets++
      for (const body of bodies) assert.not.match(body.subarray(0, 2000).toString(), LEAKS, note)
      for (const status of statusLines(received)) {
        assert.ok(DOCUMENTED.has(status), `${note}: ${status}`)
        counts.set(status, (counts.get(status) ?? 0) + 1)
      }
    }
  }

  const ask = (last: number) => Promise.all(Array.from({ length: CONNECTIONS }, () => client(last)))
  // Caches fill first.
  await ask(REQUESTS / 5)
  const before = await residentBytes()
  await ask(REQUESTS)
  const after = await residentBytes()
  const table = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  console.log(`# ${asked} requests on ${connection} connections (${resets} reset), seed ${SEED}; ${table.join(', ')}`)
  console.log(`# memory: ${megabytes(before)} after a fifth of them, ${megabytes(after)} after all`)
  const forMemory = resetsForMemory() - earlierResets
  assert.ok(resets <= forMemory, `${resets} of ${connection} connections were reset, ${forMemory} for lack of buffers`)
  assert.ok(after < before + GROWTH_BYTES, `memory grew from ${megabytes(before)} to ${megabytes(after)}`)
  assert.ok(asked >= REQUESTS, `only ${asked} requests in time`)
})

test.after(async () => {
  await service.stop()
  folder.remove()
})
test.run()
