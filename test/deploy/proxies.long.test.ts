/** nginx.conf and Caddyfile with real servers: they pass answers on unchanged, and addresses that cannot be forged. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestTls } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import { MAX_TARGET } from '../../gateway/process/bounds.ts'
import { temporaryFolder } from '../support/dist.ts'
import { freePort } from '../support/listening.ts'
import { suiteNeeding } from '../support/needs.ts'
import { startNginx } from '../support/nginx.ts'
import { makeCertificate } from '../support/redis.ts'
import { sharedSample } from '../support/samples.ts'
import { type Serving, serving } from '../support/serving.ts'
import { until } from '../support/until.ts'
import { read } from './files.ts'

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Sends one request with HTTP/2 from an address of this machine. A proxy trusts only 127.0.0.1. */
async function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  from = '127.0.0.2',
): Promise<Answer> {
  const socket = connectTls({
    socket: connect({ port, host: '127.0.0.1', localAddress: from }),
    servername: 'localhost',
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  })
  await once(socket, 'secureConnect')
  assert.is(socket.alpnProtocol, 'h2')
  const session = connectHttp2('https://localhost', { createConnection: () => socket })
  try {
    const stream = session.request({ ':path': path, ...headers })
    const [answer] = (await once(stream, 'response')) as [Record<string, string>]
    return { status: Number(answer[':status']), headers: answer, body: await bytesOf(stream) }
  } finally {
    session.close()
  }
}

/** Sends the same request to the gateway. `fetch` would decompress the body. */
async function askDirectly({ url }: Serving, path: string, headers: Record<string, string>): Promise<Answer> {
  const sent = request(`${url}${path}`, { headers }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode!, headers: response.headers, body: await bytesOf(response) }
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

interface Proxy {
  port: number
  stop(): Promise<void>
}

/** Adds the tests of a proxy, which `start` runs in front of a gateway. */
function testProxy(test: Test, start: (gateway: Serving, folder: string) => Promise<Proxy>): void {
  const folder = temporaryFolder('proxy')
  let gateway: Serving
  let proxy: Proxy
  let authorization: string

  test.before(async () => {
    const { dist } = await sharedSample('small')
    gateway = await serving(folder.path, dist, ['--trusted-proxies', '127.0.0.1', '--failed-tokens', '1'])
    authorization = `Bearer ${gateway.token}`
    proxy = await start(gateway, folder.path)
  })
  test.after(async () => {
    await proxy?.stop()
    await gateway?.stop()
    folder.remove()
  })

  for (const coding of ['gzip', 'identity']) {
    test(`an answer in ${coding} has the bytes and the ETag of the gateway, and is revalidated`, async () => {
      const headers = { authorization, 'accept-encoding': coding }
      const direct = await askDirectly(gateway, '/api/v1/cves?limit=100', headers)
      const { status, headers: got, body } = await ask(proxy.port, '/api/v1/cves?limit=100', headers)
      assert.is(status, 200)
      assert.is(got['content-encoding'], coding === 'gzip' ? 'gzip' : undefined)
      for (const name of ['etag', 'content-encoding', 'content-length', 'cache-control', 'vary', 'snapshot-id']) {
        assert.is(got[name], direct.headers[name], name)
      }
      assert.ok(body.equals(direct.body))
      const again = await ask(proxy.port, '/api/v1/cves?limit=100', { ...headers, 'if-none-match': String(got.etag) })
      assert.is(again.status, 304)
      assert.is(again.headers.etag, got.etag)
      assert.is(again.body.length, 0)
    })
  }

  test('a client that states no coding gets the plain answer, not a decompressed one with the other ETag', async () => {
    const direct = await askDirectly(gateway, '/api/v1/cves', { authorization, 'accept-encoding': 'identity' })
    const { headers, body } = await ask(proxy.port, '/api/v1/cves', { authorization })
    assert.is(headers['content-encoding'], undefined)
    assert.is(headers.etag, direct.headers.etag)
    assert.ok(body.equals(direct.body))
  })

  test('a target and headers as long as the gateway accepts arrive, also with HTTP/1.1', async () => {
    const begin = '/api/v1/cves?q='
    const path = begin + 'a'.repeat(MAX_TARGET - begin.length)
    const headers = { authorization, 'x-padding': 'b'.repeat(6000) }
    const direct = await askDirectly(gateway, path, headers)
    assert.is(direct.status, 400)
    const options = { port: proxy.port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false }
    const sent = requestTls({ ...options, path, headers: { ...headers, host: 'localhost' } }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    for (const { status, body } of [
      { status: response.statusCode, body: await bytesOf(response) },
      await ask(proxy.port, path, headers),
    ]) {
      assert.is(status, direct.status)
      assert.is(JSON.parse(body.toString()).error.code, JSON.parse(direct.body.toString()).error.code)
    }
  })

  test('a client cannot forge the address that its failed tokens count for', async () => {
    const fail = async (from: string, forged: string) =>
      (await ask(proxy.port, '/api/v1/cves', { authorization: 'Bearer no', 'x-forwarded-for': forged }, from)).status
    assert.is(await fail('127.0.0.3', '203.0.113.1'), 401)
    assert.is(await fail('127.0.0.3', '203.0.113.2'), 429)
    assert.is(await fail('127.0.0.4', '203.0.113.1'), 401)
  })
}

/** Replaces a text that must occur. */
function replaced(text: string, find: string, by: string): string {
  assert.ok(text.includes(find), `no '${find}'`)
  return text.replaceAll(find, by)
}

const nginx = suiteNeeding('nginx.conf', 'nginx', 'openssl')
testProxy(nginx, async (gateway, folder) => {
  const { certFile, keyFile } = makeCertificate(folder)
  const plain = await freePort()
  return startNginx(join(folder, 'nginx'), (port) => {
    let text = read('nginx.conf').replace(/^ *listen \[::\].*\n/gm, '')
    text = replaced(text, 'listen 443', `listen 127.0.0.1:${port}`)
    text = replaced(text, 'listen 80;', `listen 127.0.0.1:${plain};`)
    text = replaced(text, '/etc/ssl/vulnshelf/fullchain.pem', certFile)
    text = replaced(text, '/etc/ssl/vulnshelf/privkey.pem', keyFile)
    return replaced(text, '127.0.0.1:8080', gateway.url.replace('http://', ''))
  })
})
nginx.run()

const caddy = suiteNeeding('Caddyfile', 'Caddy', 'openssl')
testProxy(caddy, async (gateway, folder) => {
  const { certFile, keyFile } = makeCertificate(folder)
  const port = await freePort()
  let text = replaced(
    read('Caddyfile'),
    'vulns.example.com {',
    `https://localhost:${port} {\n\ttls ${certFile} ${keyFile}`,
  )
  text = replaced(text, '127.0.0.1:8080', gateway.url.replace('http://', ''))
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${text}`)
  const child: ChildProcess = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (log += chunk))
  await until(
    () => log.includes('serving initial configuration') || child.exitCode !== null,
    () => log,
  )
  assert.is(child.exitCode, null, log)
  return {
    port,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
})
caddy.run()
