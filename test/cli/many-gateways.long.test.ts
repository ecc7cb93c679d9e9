/**
 * Two gateways follow an S3-compatible store, share their limits through Redis and run behind nginx. During a publish,
 * a client that pages through the balancer gets no gap and no duplicate.
 */
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { makeToken } from '../../gateway/auth/token.ts'
import { askDirectly, walk } from '../support/ask.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { type Nginx, startNginx } from '../support/nginx.ts'
import { type TestRedis, testRedis } from '../support/redis.ts'
import { BUCKET, type ObjectStore, openObjectStore } from '../support/s3.ts'
import { ownSample } from '../support/samples.ts'
import { done, endAll, start, vulnshelf } from './command.ts'

needs('Redis', 'nginx')

const EXAMPLE = join(import.meta.dirname, '../examples/nginx-gateways.conf')
const REPOSITORY = `s3://${BUCKET}/vulnshelf`
const LIMIT = 1_000_000
const PAGE = 7

const folder = temporaryFolder('many-gateways')
const at = (name: string) => join(folder.path, name)

interface RunningGateway {
  url: string
  served(): Promise<string>
  stop(): Promise<void>
}

async function startGateway(name: string, store: ObjectStore, redis: TestRedis, jwks: string): Promise<RunningGateway> {
  const words = [
    ...['serve', at(name), '--port', '0', '--jwks', jwks, '--rate-limit', String(LIMIT)],
    ...['--follow', REPOSITORY, '--keys', at('keys.json'), '--interval', '1s', '--poll-seconds', '1', '--derive'],
    ...['--redis-url', redis.url, '--trusted-proxies', '127.0.0.1'],
  ]
  const child = start('vulnshelf-gateway', words, { env: store.env })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  while (!/^listening on \S+/m.test(said)) {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`)
    await sleep(20)
  }
  const url = /^listening on (\S+)/m.exec(said)![1]!
  return {
    url,
    served: async () => (JSON.parse(await (await fetch(`${url}/readyz`)).text()) as { snapshot: string }).snapshot,
    async stop() {
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The configuration example of the README, with these gateways and this port. */
const balancer = (gateways: readonly RunningGateway[], port: number) =>
  gateways.reduce(
    (text, { url }, i) => text.replace(`gateway-${i + 1}:8080`, url.replace('http://', '')),
    readFileSync(EXAMPLE, 'utf8').replace('listen 80;', `listen 127.0.0.1:${port};`),
  )

/** Returns the ids of all CVEs in the order of `/cves`, read from the files. */
async function idsIn(dist: string): Promise<string[]> {
  const { all, close } = askDirectly(dist)
  try {
    return (await all<{ cve_id: string }>('/cves')).map(({ cve_id }) => cve_id)
  } finally {
    await close()
  }
}

test('one publish: both swap, limits are shared, and walks through the balancer are whole', async () => {
  const { feeds, corpus, dist: origin, nights } = await ownSample('small', folder.path)
  done(await vulnshelf(['key', at('key.json'), '--public', at('keys.json')]))
  done(await vulnshelf(['sign', origin, '--sign-key', at('key.json')]))
  const later = at('later')
  cpSync(origin, later, { recursive: true })
  await ingestAndBuild({ feeds, corpus, dist: later, asOf: nights[1]! })
  done(await vulnshelf(['sign', later, '--sign-key', at('key.json')]))
  const [before, after] = [await idsIn(origin), await idsIn(later)]
  assert.not.equal(before, after)

  const { token, jwksFile } = await makeToken({ dir: at('token-keys') })
  const store = await openObjectStore(at('store'))
  const redis = await testRedis(folder.path)
  const gateways: RunningGateway[] = []
  let nginx: Nginx | null = null
  try {
    await redis.start()
    done(await vulnshelf(['publish', origin, REPOSITORY], { env: store.env }))
    for (const name of ['one', 'two']) gateways.push(await startGateway(name, store, redis, jwksFile))
    nginx = await startNginx(at('nginx'), (port) => balancer(gateways, port))
    const api = `http://127.0.0.1:${nginx.port}/api/v1`
    const ask = async (query: string): Promise<{ text: string; left: number; snapshot: string }> => {
      const response = await fetch(`${api}/cves?${query}`, { headers: { authorization: `Bearer ${token}` } })
      const text = await response.text()
      assert.is(response.status, 200, text)
      const left = Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
      return { text, left, snapshot: response.headers.get('snapshot-id')! }
    }

    const lefts: number[] = []
    for (let i = 0; i < 8; i++) lefts.push((await ask('limit=1')).left)
    assert.equal(
      lefts,
      lefts.map((_, i) => lefts[0]! - i),
    )

    const served = () => Promise.all(gateways.map((gateway) => gateway.served()))
    const [first, second] = [readCurrent(origin).manifest.snapshot, readCurrent(later).manifest.snapshot]
    assert.equal(await served(), [first, first])
    const idsOf = (rows: readonly { cve_id: string }[]) => rows.map(({ cve_id }) => cve_id)
    const pages = async (query: string) => (await ask(query)).text
    let isPublished = false
    // It begins under the first snapshot, and ends when both serve the second.
    const rows = await walk<{ cve_id: string }>(pages, PAGE, async (page) => {
      if (page !== 3) return
      done(await vulnshelf(['publish', later, REPOSITORY], { env: store.env }))
      isPublished = true
      let swapping = 0
      while ((await served()).some((id) => id !== second)) {
        // Others begin while one gateway has it and the other has not.
        const walked = idsOf(await walk(pages, PAGE))
        assert.ok(
          [before, after].some((ids) => JSON.stringify(ids) === JSON.stringify(walked)),
          'a walk while they swap',
        )
        swapping++
      }
      assert.ok(swapping > 0)
    })
    assert.ok(isPublished)
    assert.equal(idsOf(rows), before)
    assert.equal(idsOf(await walk(pages, PAGE)), after)
    assert.is((await ask('limit=1')).snapshot, second)
  } finally {
    await nginx?.stop()
    for (const gateway of gateways) await gateway.stop()
    await redis.stop()
    await store.close()
  }
})

test.after(() => {
  endAll()
  folder.remove()
})
test.run()
