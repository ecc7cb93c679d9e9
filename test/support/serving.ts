/** `vulnshelf-gateway serve` as an operator runs it: a separate process, observed through its output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { LOCAL, makeToken } from '../../gateway/auth/token.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface Serving {
  url: string
  metricsUrl: string
  /** Empty without `--compat`. */
  compatUrl: string
  token: string
  process: ChildProcess
  log(): Record<string, unknown>[]
  /** Resolves when the log has a matching line. */
  logged(test: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>
  /** Returns the samples of its metrics by name and labels. */
  samples(): Promise<Map<string, number>>
  /** Sends SIGTERM. Resolves with the exit code, every log line, and what it wrote to stderr. */
  stop(): Promise<{ code: number | null; log: Record<string, unknown>[]; stderr: string }>
}

/** The error of a process that ended before it served. */
export class NotServing extends Error {
  readonly code: number | null
  constructor(code: number | null, stderr: string) {
    super(stderr.trim())
    this.code = code
  }
}

/** `nodeOptions` are options of Node. */
export async function serving(
  folder: string,
  dist: string,
  words: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<Serving> {
  const { token, jwksFile } = await makeToken({ dir: join(folder, 'keys') })
  const given = ['--jwks', jwksFile, '--issuer', LOCAL.issuer, '--audience', LOCAL.audience, '--metrics-port', '0']
  const program = [...nodeOptions, join(ROOT, 'gateway/bin.js'), 'serve', dist, '--port', '0', ...given, ...words]
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  const waiting = new Set<() => void>()
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    for (const look of waiting) look()
  })
  const urls = await new Promise<[metrics: string, compat: string, url: string]>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
      const found = /metrics at (\S+)\n(?:other tools at (\S+)\n)?listening on (\S+)\n/.exec(err)
      if (found) resolve([found[1]!, found[2] ?? '', found[3]!])
    })
    void closed.then((code) => reject(new NotServing(code, err)))
  })
  const log = () =>
    out
      .slice(0, out.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return {
    metricsUrl: urls[0],
    compatUrl: urls[1],
    url: urls[2],
    token,
    process: child,
    log,
    logged: (test) =>
      new Promise((resolve) => {
        const look = () => {
          const line = log().find(test)
          if (!line) return
          waiting.delete(look)
          resolve(line)
        }
        waiting.add(look)
        look()
      }),
    async samples() {
      const text = await (await fetch(urls[0])).text()
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
    },
    async stop() {
      child.kill('SIGTERM')
      return { code: await closed, log: log(), stderr: err }
    },
  }
}
