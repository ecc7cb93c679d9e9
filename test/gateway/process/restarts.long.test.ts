/**
 * No request is lost when a gateway stops under load and another one starts on its port. A request is lost if a client
 * has written it to a connection, and gets no whole answer. A refused connection is no lost request: nothing was sent.
 * `VULNSHELF_TEST_RESTARTS` sets the number of restarts.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/dist.ts'
import { freePort } from '../../support/listening.ts'
import { sharedSample } from '../../support/samples.ts'
import { type Serving, serving } from '../../support/serving.ts'
import { until } from '../../support/until.ts'

const RESTARTS = Number(process.env.VULNSHELF_TEST_RESTARTS ?? 5)
const CLIENTS = 24
const folder = temporaryFolder('restarts')
const { dist } = await sharedSample('small')

interface Load {
  /** Requests that were written to a connection. */
  sent: number
  answered: number
  /** What happened to each other one. */
  lost: string[]
}

interface Client {
  port: number
  token: string
  load: Load
  isDone: () => boolean
}

/** Pause after a refused connection, in ms. */
const REFUSED_MS = 5

/**
 * Sends one request after another on a connection, as wrk does, and connects again after `Connection: close`. `pauseMs`
 * is the longest time between an answer and the next request.
 */
async function keepAlive({ port, token, load, isDone }: Client, pauseMs: number): Promise<void> {
  const request = `GET /api/v1/cves?limit=20 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  while (!isDone()) {
    await new Promise<void>((closed) => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1')
      let received = ''
      let isWaiting = false
      let fault = 'closed'
      const send = () => {
        if (socket.destroyed || socket.readableEnded) return
        if (isDone()) return void socket.destroy()
        isWaiting = true
        load.sent++
        socket.write(request)
      }
      socket.on('connect', send)
      socket.on('data', (text: string) => {
        received += text
        const head = received.indexOf('\r\n\r\n') + 4
        const length = Number(/content-length: (\d+)/i.exec(received.slice(0, head))?.[1])
        if (head < 4 || received.length < head + length) return
        const isLast = /^connection: close\r$/im.test(received.slice(0, head))
        if (received.startsWith('HTTP/1.1 200 ')) load.answered++
        else load.lost.push(received.slice(0, head))
        received = ''
        isWaiting = false
        if (isLast) socket.destroy()
        else if (pauseMs === 0) send()
        else setTimeout(send, Math.random() * pauseMs)
      })
      socket.on('error', ({ message }) => {
        fault = message
      })
      socket.once('close', () => {
        if (isWaiting) {
          load.lost.push(`${fault} after ${received.length} bytes`)
        }
        closed()
      })
    })
    if (!isDone()) await sleep(REFUSED_MS)
  }
}

/** Sends requests through a pool of undici, which keeps connections. */
async function pooled({ port, token, load, isDone }: Client, connections: number): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections })
  const headers = { authorization: `Bearer ${token}` }
  const ask = async () => {
    while (!isDone()) {
      load.sent++
      try {
        const { statusCode, body } = await pool.request({ path: '/api/v1/snapshot', method: 'GET', headers })
        await body.text()
        if (statusCode === 200) load.answered++
        else load.lost.push(String(statusCode))
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        if (code === 'ECONNREFUSED') load.sent--
        else load.lost.push(`${code} ${message}`)
        await sleep(REFUSED_MS)
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  await pool.destroy()
}

for (const workers of [1, 2]) {
  test(`no request is lost in ${RESTARTS} restarts under load, --workers ${workers}`, async () => {
    const port = await freePort()
    const words = ['--port', String(port), '--workers', String(workers), '--rate-limit', '1000000000']
    const start = () => serving(folder.path, dist, [...words, '--no-access-log'])
    const load: Load = { sent: 0, answered: 0, lost: [] }
    let done = false
    let gateway: Serving = await start()
    const client: Client = { port, token: gateway.token, load, isDone: () => done }
    const clients = [
      ...Array.from({ length: CLIENTS }, () => keepAlive(client, 0)),
      ...Array.from({ length: CLIENTS }, () => keepAlive(client, 300)),
      pooled(client, CLIENTS),
    ]
    for (let restart = 0; restart < RESTARTS; restart++) {
      // All clients have a connection again.
      const before = load.answered
      await until(
        () => load.answered >= before + 20 * CLIENTS,
        () => `${load.answered - before} answers`,
      )
      const { code, stderr } = await gateway.stop()
      assert.is(code, 0, stderr)
      gateway = await start()
    }
    done = true
    await Promise.all(clients)
    assert.is((await gateway.stop()).code, 0)
    console.log(`# ${RESTARTS} restarts, ${workers} workers: ${load.sent} requests, ${load.lost.length} lost`)
    assert.equal(load.lost, [])
    assert.is(load.answered, load.sent)
  })
}

test.after(() => folder.remove())
test.run()
