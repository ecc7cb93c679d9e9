/** A real server on a free port with the gateway's app. Tests can access its dependencies and log. */
import { connect } from 'node:net'
import { completed } from '../../corpus/runtime/steps.ts'
import { type KeyRing, parseKeySet } from '../../gateway/auth/key-set.ts'
import type { Subject } from '../../gateway/auth/subject.ts'
import { type AppDeps, type AppOptions, createApp } from '../../gateway/http/app.ts'
import { encoded } from '../../gateway/http/encoded-answer.ts'
import { healthRoutes } from '../../gateway/http/health.ts'
import { createLimits } from '../../gateway/limits/limits.ts'
import type { Log } from '../../gateway/process/log.ts'
import { type RunningServer, type ServeOptions, startServer } from '../../gateway/process/serve.ts'
import { ERRORS, expectError, heldFetch } from './contract.ts'
import { AUDIENCE, adminClaims, authenticatorOf, ISSUER, jwks, type SigningKey, sign, signingKey } from './tokens.ts'

export interface LogLine {
  level: 'info' | 'warn' | 'error'
  message: string
  [field: string]: unknown
}

export interface TestServer<C> extends RunningServer {
  key: SigningKey
  token: string
  log: LogLine[]
  /** Requests from the app; sends the administrator's token unless the headers override it. */
  get(path: string, init?: RequestInit): Promise<Response>
  deps: AppDeps<C>
}

export interface TestServerOptions<C> {
  routes: AppDeps<C>['routes']
  /** Returns what handlers get. */
  context(subject: Subject): C
  app?: AppOptions
  deps?: Partial<AppDeps<C>>
  serve?: Partial<ServeOptions>
}

export function listLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: LogLine['level']) => (fields: object, message: string) => lines.push({ ...fields, level, message })
  const access = (entry: object) => lines.push({ ...entry, level: 'info', message: 'request' })
  return { lines, log: { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error'), access } }
}

/** Returns a key ring that never changes. */
export function fixedKeys(...keys: SigningKey[]): KeyRing {
  const set = parseKeySet(jwks(...keys))
  return { current: () => set, obtain: async () => set, renew: async () => set }
}

export async function serveApp<C>(options: TestServerOptions<C>): Promise<TestServer<C>> {
  const key = await signingKey('key-1')
  const { log, lines } = listLog()
  const deps: AppDeps<C> = {
    routes: options.routes,
    answer(_route, question, subject) {
      const work = question.answer(options.context(subject))
      const step = work.next()
      return step.done ? encoded(step.value) : completed(work, step).then(encoded)
    },
    openRoutes: healthRoutes(() => 'snapshot-1'),
    authenticate: authenticatorOf({ issuer: ISSUER, audience: AUDIENCE, keys: fixedKeys(key), now: Date.now }),
    limits: createLimits(),
    log,
    ...options.deps,
  }
  const server = await startServer(createApp(options.app ?? {}, deps), {
    port: 0,
    drainMs: 2000,
    idleMs: 0,
    ...options.serve,
  })
  const token = await sign(key, adminClaims(Date.now()))
  const ask = heldFetch(ERRORS)
  const get = (path: string, init: RequestInit = {}) =>
    ask(server.url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })
  return { ...server, key, token, log: lines, get, deps }
}

/** Sends bytes unchanged. Returns everything received until the server closes the connection. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port })
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
    socket.write(text, 'latin1')
  })
}

/** Parses status line, headers (names in lower case) and body of a raw response. Checks errors against their schema. */
export function parseRaw(raw: string): { status: number; headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n')
  const [first = '', ...lines] = raw.slice(0, end).split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  const [status, body] = [Number(first.split(' ')[1]), raw.slice(end + 4)]
  if (status >= 400 && body !== '') expectError('a raw request', status, body)
  return { status, headers: Object.fromEntries(headers), body }
}
