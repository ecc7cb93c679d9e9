/** A real Redis on a free port, without persistence, that tests can make fail. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './listening.ts'

export interface TestRedis {
  url: string
  port: number
  /** Sends a command from a separate connection. */
  send(name: string, ...words: (string | number)[]): Promise<unknown>
  start(): Promise<void>
  /** Kills it like `kill -9`. */
  kill(): Promise<void>
  /** Keeps its connections and stops answering. */
  pause(): void
  resume(): void
  /** Ends it and its connections. */
  stop(): Promise<void>
}

/** Returns a Redis that is not started yet. With `tls`, the files of a certificate, it accepts no plain connections. */
export async function testRedis(folder: string, tls: Certificate | null = null): Promise<TestRedis> {
  const port = await freePort()
  const listen = tls
    ? ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no', ...filesOf(tls)]
    : ['--port', String(port)]
  const words = [...listen, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  let server: ChildProcess | null = null
  const end = () => void server?.kill('SIGKILL')
  process.on('exit', end)
  // Waits until a restarted server answers, because the tests check the gateways and not this client.
  const client = new Redis({ port, lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => 50 })
  client.on('error', () => {})
  const kill = async () => {
    if (server === null) return
    const ended = once(server, 'close')
    server.kill('SIGKILL')
    await ended
    server = null
  }
  return {
    url: tls ? `rediss://localhost:${port}` : `redis://127.0.0.1:${port}`,
    port,
    send: (name, ...rest) => client.call(name, ...rest),
    async start() {
      server = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'] })
      await isReady(server)
    },
    kill,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    async stop() {
      client.disconnect()
      await kill()
      process.off('exit', end)
    },
  }
}

function isReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.stdout!.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('Ready to accept connections')) resolve()
    })
    server.once('close', (code) => reject(new Error(`redis-server ended with ${code}: ${said}`)))
  })
}

export interface Certificate {
  certFile: string
  keyFile: string
}

const filesOf = ({ certFile, keyFile }: Certificate) => [
  ...['--tls-cert-file', certFile, '--tls-key-file', keyFile],
  ...['--tls-ca-cert-file', certFile],
]

/** Creates a self-signed certificate for `localhost`. */
export function makeCertificate(folder: string): Certificate {
  const [certFile, keyFile] = [join(folder, 'redis.crt'), join(folder, 'redis.key')]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, '-days', '2', '-out', certFile], { stdio: 'ignore' })
  return { certFile, keyFile }
}
