/** A key set whose server keeps a connection busy for ever: requests are answered with 503, and not held up. */
import { createServer, type RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetch } from 'undici'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keysByDiscovery, keyUrl } from '../../../gateway/auth/key-url.ts'
import { listening } from '../../support/listening.ts'
import { refusal } from '../../support/refusal.ts'
import { listLog } from '../../support/server.ts'

/** As long as a client waits, and 30 s in a test that fails. */
const endless =
  (write: (response: Parameters<RequestListener>[1]) => void): RequestListener =>
  async (_request, response) => {
    for (let i = 0; i < 300 && !response.destroyed; i++) {
      write(response)
      await sleep(100)
    }
    response.destroy()
  }

test('rule 11: neither interim answers nor a body that trickles put the deadline off', async () => {
  const listeners = [
    endless((response) => response.writeEarlyHints({ link: '</style.css>; rel=preload' })),
    endless((response) => response.write(' ')),
  ]
  const servers = await Promise.all(listeners.map((listener) => listening(createServer(listener))))
  const { log, lines } = listLog()
  const options = { fetch, now: Date.now, log }
  const rings = servers.flatMap(({ origin }) => [keyUrl(`${origin}/jwks`, options), keysByDiscovery(origin, options)])
  const refused = await Promise.all(rings.map((ring) => refusal(ring.obtain())))
  for (const text of refused) assert.match(text, /the keys that verify tokens are unavailable/)
  for (const { err } of lines) assert.is((err as Error).name, 'TimeoutError')
  assert.is(lines.length, 4)
  await Promise.all(servers.map((server) => server.close()))
})

test.run()
