/** Random and broken requests to all interfaces: each gets a documented answer, and the listener stays as it was. */
import { Agent, request } from 'undici'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Random } from '../../../corpus/sample/random.ts'
import { npmRecord, packagesOf, packagistRecord, serveCompat } from '../../support/compat.ts'
import { compatFuzz } from '../../support/compat-fuzz.ts'
import { usedBytes } from '../../support/used-bytes.ts'

const SEED = Number(process.env.VULNSHELF_TEST_SEED ?? 1)
/** A third of them for each interface. */
const REQUESTS = 100_000
const PARALLEL = 16
/** Memory that the second half of the requests may leave: 100 bytes each. */
const GROWTH_BYTES = 5e6
const DOCUMENTED = [200, 400, 413, 415]
/** What a stack trace, a path or a token of the service would look like. */
const LEAKS = /\bat \S+ \(|node_modules|file:\/\/|\.ts:\d+|eyJ[\w-]+\.eyJ/

const PACKAGES = packagesOf([
  npmRecord('GHSA-1', 'left', '1.0.0'),
  npmRecord('GHSA-2', '@scope/right', '2.0.0'),
  packagistRecord('GHSA-3', 'acme/lib', [{ introduced: '0' }, { fixed: '1.0.0' }]),
  packagistRecord('GHSA-4', '__proto__', [{ introduced: '0' }]),
])

const fuzz = compatFuzz(new Random(SEED))

test(`${REQUESTS} random and broken requests get documented answers (seed ${SEED})`, async () => {
  const interfaces = { compat: fuzz.grammars.map(({ name }) => name) }
  const server = await serveCompat({ packages: PACKAGES, auth: 'none', interfaces, limits: { rateLimit: 1e9 } })
  const dispatcher = new Agent({ connections: PARALLEL })
  const counts = new Map<string, number>()
  let sent = 0
  const ask = async () => {
    const { grammar, method, path, headers, body } = fuzz.request()
    const { name, errorKeys, statuses = [], assertAnswer } = grammar
    const answer = await request(server.url + path, { method, body, headers, dispatcher })
    const said = await answer.body.text()
    const status = answer.statusCode
    counts.set(`${name} ${status}`, (counts.get(`${name} ${status}`) ?? 0) + 1)
    assert.ok(DOCUMENTED.includes(status) || statuses.includes(status), `${name} ${status}: ${said}`)
    const parsed = JSON.parse(said) as Record<string, unknown>
    if (status === 200) assertAnswer?.(path, parsed)
    else assert.equal(Object.keys(parsed), errorKeys)
    assert.not.match(said, LEAKS)
  }
  const send = async (most: number) => {
    const worker = async () => {
      while (sent < most) {
        sent++
        await ask()
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    // The log of the listener is in memory here.
    server.log.splice(0, server.log.length, ...server.log.filter(({ level }) => level !== 'info'))
    return usedBytes()
  }
  try {
    const before = await send(REQUESTS / 2)
    const growth = (await send(REQUESTS)) - before
    assert.ok(growth < GROWTH_BYTES, `${growth} bytes`)
    for (const { name, statuses = [] } of fuzz.grammars) {
      for (const status of [...DOCUMENTED, ...statuses]) {
        const count = counts.get(`${name} ${status}`) ?? 0
        assert.ok(count > 25, `${name} ${status}: ${count}`)
      }
    }
    assert.equal(server.log, [])
  } finally {
    await dispatcher.close()
    await server.close()
  }
})

test.run()
