/**
 * Random and broken requests to both listeners of a gateway whose snapshot has the largest records that a publisher can
 * write: the longest turn of its event loop, and its memory.
 */
import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { ROUTES } from '../../../corpus/answers/routes.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { CPE, FIRST_OF_MANY, growingFeeds, LARGE, PACKAGES } from '../../growth/growing-feeds.ts'
import { compatFuzz } from '../../support/compat-fuzz.ts'
import { ingestAndBuild } from '../../support/dist.ts'
import { putFeeds } from '../../support/feeds.ts'
import { type FuzzRequest, type FuzzWorld, grammarRequest, mutated } from '../../support/http-fuzz.ts'
import { type Serving, serving } from '../../support/serving.ts'
import { type BenchGroup, isWanted, lineOf } from '../report/line.ts'

/** Number of items in each list of the hostile record, and of advisories of each hostile package. */
const SIZE = 4_000
const REQUESTS_PER_ROUND = 100_000
/** Share of the requests that go to the interfaces of other tools. */
const COMPAT = 0.4
const CONNECTIONS = 16
const SILENCE_MS = 20
const MOST_LAG_MS = 250
const MANY = '1000000000'

export const fuzzLines: BenchGroup = async function* (context) {
  const name = 'fuzz/lag'
  if (!isWanted(context, name)) return
  const [feeds, corpus, dist] = ['feeds', 'corpus.db', 'dist'].map((part) => join(context.folder, part)) as [
    string,
    string,
    string,
  ]
  mkdirSync(context.folder, { recursive: true })
  putFeeds(feeds, growingFeeds(SIZE))
  context.say(`${name}: builds a snapshot with ${SIZE.toLocaleString('en')} of everything in a record`)
  await ingestAndBuild({ feeds, corpus, dist })
  const limits = ['--rate-limit', MANY, '--failed-tokens', MANY, '--no-access-log']
  const service = await serving(context.folder, dist, [
    ...limits,
    '--compat',
    'npm,composer,osv',
    '--compat-port',
    '0',
    '--compat-auth',
    'none',
  ])
  const requests = REQUESTS_PER_ROUND * context.rounds
  try {
    // The caches fill.
    await sendAll(service, requests / 10, 1)
    const before = await service.samples()
    const lagMs = await sendAll(service, requests, 2)
    const after = await service.samples()
    const memory = (samples: Map<string, number>) => samples.get('process_resident_memory_bytes')! / 1e6
    yield lineOf({
      name,
      title: `longest turn of the event loop during ${requests.toLocaleString('en')} random requests, hostile records`,
      cves: SIZE + 1,
      unit: 'ms',
      figure: lagMs,
      budget: { of: 'figure', most: MOST_LAG_MS },
      details: { requests, 'MB before': memory(before), 'MB after': memory(after) },
    })
  } finally {
    await service.stop()
  }
}

/** Returns the longest delay of the event loop, in ms. */
async function sendAll(service: Serving, requests: number, seed: number): Promise<number> {
  let longest = 0
  let isDone = false
  const watched = (async () => {
    while (!isDone) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      // Reading it resets the maximum.
      longest = Math.max(longest, (await service.samples()).get('nodejs_eventloop_lag_max_seconds')! * 1000)
    }
  })()
  await Promise.all([toApi(service, requests * (1 - COMPAT), seed), toCompat(service, requests * COMPAT, seed)])
  isDone = true
  await watched
  return longest
}

async function toApi({ url, token }: Serving, requests: number, seed: number): Promise<void> {
  const operations = ROUTES.map(({ path, params }) => ({
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    parameters: Object.entries(params.query).map(([name, { schema }]) => ({ name, in: 'query', schema })),
  })) as FuzzWorld['operations']
  const purls = PACKAGES.map((name) => encodeURIComponent(`pkg:npm/${name}@1.0.0`))
  const ids = [
    LARGE,
    FIRST_OF_MANY,
    encodeURIComponent(CPE),
    ...purls,
    ...PACKAGES,
    'npm',
    'CWE-79',
    'acme',
    'widget',
    'GHSA-ring-000000-x',
  ]
  const world: FuzzWorld = { operations, ids, token, etags: ['"x"'], cursors: ['x'] }
  let asked = 0
  let connection = 0
  const client = async () => {
    while (asked < requests) {
      const random = new Random('fuzz', seed, ++connection)
      const sent: FuzzRequest[] = []
      do {
        const made = grammarRequest(random, world)
        sent.push(random.chance(0.04) ? mutated(random, made) : made)
      } while (sent.at(-1)!.isFramed && sent.length < 20)
      asked += sent.length
      await exchange(Number(new URL(url).port), sent)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
}

/** Sends requests on one connection, and closes it when no more answers come. */
function exchange(port: number, requests: readonly FuzzRequest[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    const silence = setTimeout(() => socket.end(), SILENCE_MS)
    socket.on('data', () => silence.refresh())
    // Some requests are so broken that the connection is reset.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(silence)
      resolve()
    })
    socket.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
  })
}

async function toCompat({ compatUrl }: Serving, requests: number, seed: number): Promise<void> {
  const fuzz = compatFuzz(new Random('compat', seed), PACKAGES)
  const dispatcher = new Agent({ connections: CONNECTIONS })
  let sent = 0
  const client = async () => {
    while (sent < requests) {
      sent++
      const { method, path, headers, body } = fuzz.request()
      const answer = await request(compatUrl + path, { method, body, headers, dispatcher })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  await dispatcher.close()
}
