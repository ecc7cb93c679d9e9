/** Clients that send many requests, or open many connections, and read nothing: memory stays bounded, others are served. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, fetch } from 'undici'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { WAITING_REQUESTS } from '../../../gateway/process/bounds.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { sharedSample } from '../../support/samples.ts'
import { type Serving, serving } from '../../support/serving.ts'
import { until } from '../../support/until.ts'

const folder = temporaryFolder('flood')
const { dist } = await sharedSample('usual')

const CONNECTIONS = 2000
const MIB = 1024 * 1024
const MOST_BYTES = 700 * MIB
/** Without a limit, garbage that V8 has not collected yet would count too. */
const MOST_HEAP_MB = 400

/** The largest file with a fixed name that needs no token. */
const FILE = 'GET /LICENSES.txt HTTP/1.1\r\nHost: x\r\n\r\n'
/** Short headers take the most memory for their characters. */
const headers = (count: number) => Array.from({ length: count }, (_, i) => `${i.toString(36)}:\r\n`).join('')

const FLOODS: [name: string, text: string][] = [
  ['65 KB of requests on each connection', FILE.repeat(65_000 / FILE.length)],
  ['as many requests as may wait', FILE.repeat(1 + WAITING_REQUESTS)],
  [
    'as many headers as may wait',
    `GET /LICENSES.txt HTTP/1.1\r\nHost: x\r\n${headers(250)}\r\n`.repeat(1 + WAITING_REQUESTS),
  ],
  ['thousands of headers', `GET /LICENSES.txt HTTP/1.1\r\nHost: x\r\n${headers(2500)}\r\n`.repeat(8)],
]

/** Opens a connection that sends `text` and reads nothing. */
function send(port: number, text: string): Socket {
  const socket = connect({ host: '127.0.0.1', port }, () => socket.write(text))
  return socket.on('error', () => {}).pause()
}

/** A gateway under a flood may accept a connection late. */
const dispatcher = new Agent({ connect: { timeout: 60_000 } })

/** The status of an answer on a new connection; a message where there is none. */
async function served({ url, token }: Serving): Promise<number | string> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const signal = AbortSignal.timeout(60_000)
  try {
    const { status, body } = await fetch(`${url}/api/v1/cves`, { headers, signal, dispatcher })
    await body?.cancel()
    return status
  } catch (error) {
    return String((error as Error).cause ?? error)
  }
}

for (const workers of ['1', '2']) {
  for (const [name, text] of workers === '1' ? FLOODS : FLOODS.slice(-1)) {
    test(`${name}, --workers ${workers}`, async () => {
      const gateway = await serving(folder.path, dist, ['--workers', workers], [`--max-old-space-size=${MOST_HEAP_MB}`])
      const port = Number(new URL(gateway.url).port)
      // In a checkout, the first request bundles the explorer.
      await (await fetch(`${gateway.url}/LICENSES.txt`)).text()
      const sockets = Array.from({ length: CONNECTIONS }, () => send(port, text))
      await Promise.all(sockets.map((socket) => once(socket, 'connect')))
      let most = 0
      for (let i = 0; i < 5; i++) {
        assert.is(await served(gateway), 200)
        // Workers are added up.
        most = Math.max(most, (await gateway.samples()).get('process_resident_memory_bytes')!)
        await sleep(200)
      }
      for (const socket of sockets) socket.destroy()
      const { code, log, stderr } = await gateway.stop()
      assert.is(code, 0, `${JSON.stringify(log.slice(-3))} ${stderr}`)
      console.error(name, workers, Math.round(most / MIB))
      assert.ok(most < MOST_BYTES * Number(workers), `${Math.round(most / MIB)} MB`)
    })
  }

  test(`connections beyond --max-connections are closed and told, --workers ${workers}`, async () => {
    const gateway = await serving(folder.path, dist, ['--workers', workers, '--max-connections', '20'])
    const port = Number(new URL(gateway.url).port)
    const sockets = Array.from({ length: 200 }, () => send(port, '').resume())
    const open = () => sockets.filter(({ closed }) => !closed)
    await until(
      () => open().length <= 20,
      () => `${open().length} are open`,
    )
    const { open: bound } = await gateway.logged(
      ({ msg }) => msg === 'connection rejected, too many are open (--max-connections)',
    )
    assert.is(bound, 20 / Number(workers))
    assert.is(open().length, 20)
    assert.is((await gateway.samples()).get('vulnshelf_connections_refused_total'), 180)
    for (const socket of sockets) socket.destroy()
    await until(
      async () => (await served(gateway)) === 200,
      () => 'no room was made',
    )
    assert.is((await gateway.stop()).code, 0)
  })
}

test.after(folder.remove)
test.run()
