/**
 * The load generator, a separate process: keep-alive connections, each with one request at a time. A *closed* loop
 * sends the next request after each answer; an *open* loop sends at a fixed rate.
 */
import { closedLoop } from './closed-loop.ts'
import { openLoop } from './open-loop.ts'
import type { LoadResult } from './tally.ts'

/** A request of the API. */
export interface LoadRequest {
  target: string
  /** Additional header lines. */
  headers?: readonly string[]
  /** Makes it a POST. */
  body?: string
}

export interface LoadRun {
  /** Name of the prepared requests; they are sent in turn, repeatedly. */
  of: string
  port: number
  connections: number
  seconds: number
  expect: readonly number[]
}

/** The tasks that the bench sends to it. */
export type LoadTask =
  | { kind: 'prepare'; name: string; requests: readonly LoadRequest[]; headers: readonly string[] }
  | ({ kind: 'closed'; polling: boolean } & LoadRun)
  | ({ kind: 'open'; perSecond: number } & LoadRun)

export type LoadReply = { result: LoadResult } | { error: string }

/** Returns the next request: servers that take turns get different ones. */
export type RequestSource = () => Buffer

const prepared = new Map<string, RequestSource>()

function prepare({ name, requests, headers }: Extract<LoadTask, { kind: 'prepare' }>): void {
  const lines = (own: readonly string[]) => own.map((line) => `${line}\r\n`).join('')
  const head = lines(headers)
  const bytes = requests.map(({ target, headers: own = [], body }) => {
    if (body === undefined) return Buffer.from(`GET ${target} HTTP/1.1\r\n${head}${lines(own)}\r\n`, 'latin1')
    const content = Buffer.from(body)
    const length = `Content-Length: ${content.length}\r\n`
    return Buffer.concat([
      Buffer.from(`POST ${target} HTTP/1.1\r\n${head}${lines(own)}${length}\r\n`, 'latin1'),
      content,
    ])
  })
  let next = 0
  prepared.set(name, () => {
    const request = bytes[next]!
    next = (next + 1) % bytes.length
    return request
  })
}

function run(task: Exclude<LoadTask, { kind: 'prepare' }>): Promise<LoadResult> {
  const source = prepared.get(task.of)
  if (!source) throw new Error(`no requests are prepared as ${task.of}`)
  return task.kind === 'closed' ? closedLoop(task, source) : openLoop(task, source)
}

process.on('message', async (task: LoadTask) => {
  if (task.kind === 'prepare') return prepare(task)
  try {
    process.send!({ result: await run(task) } satisfies LoadReply)
  } catch (error) {
    process.send!({ error: error instanceof Error ? error.message : String(error) } satisfies LoadReply)
  }
})
