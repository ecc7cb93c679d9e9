/**
 * `serve --follow`: a process beside the gateway mirrors what it serves, again and again. The gateway sees another pointer
 * in its folder, as it would see one that a build put there; whatever goes wrong in the mirror, it goes on serving.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readPointerBytes } from '../corpus/snapshot/layout.ts'
import { withoutPassword } from '../corpus/transfer/request.ts'
import { GatewayError } from './errors.ts'
import type { Log } from './log.ts'
import { lowerPriority } from './low-priority.ts'
import { FOLLOWED_BY_GATEWAY } from './mirror/follow.ts'

export interface Following {
  /** Where the mirror copies from, as `mirror` takes it. */
  source: string
  dist: string
  intervalSeconds: number
  /** Key set of which one key must have signed; null believes whoever answers. */
  keys: string | null
  /** Snapshots that stay. */
  keep: number
  derive: boolean
}

export interface Follower {
  close(): Promise<void>
}

/** A mirror that ended though nobody told it to, out of memory say, is started again after so long. */
const RESTART_MS = 30_000

/**
 * Follows a repository until it is closed, or the signal says to stop. Where there is no snapshot yet, this resolves when
 * the first one is here.
 * @throws GatewayError `no_snapshot` where it cannot be had
 */
export async function startFollower(following: Following, log: Log, stopped: AbortSignal): Promise<Follower> {
  const stop = new AbortController()
  if (readPointerBytes(following.dist) === null) await mirrorOnce(following, log, stopped)
  const followed = keepFollowing(following, log, AbortSignal.any([stopped, stop.signal]))
  return {
    async close() {
      stop.abort()
      await followed
    },
  }
}

async function mirrorOnce(following: Following, log: Log, signal: AbortSignal): Promise<void> {
  // Its last line is our error, and need not be told twice.
  const { code, lastLine } = await runMirror(following, [], log, signal, isError)
  if (code !== 0 && !signal.aborted) throw new GatewayError('no_snapshot', `there is nothing to be served: ${lastLine}`)
}

async function keepFollowing(following: Following, log: Log, signal: AbortSignal): Promise<void> {
  const words = ['--json', '--interval', `${following.intervalSeconds}s`]
  while (!signal.aborted) {
    const { code } = await runMirror(following, words, log, signal)
    if (signal.aborted) return
    log.error({ code }, 'the mirror ended by itself; it is started again')
    await sleep(RESTART_MS, undefined, { signal }).catch(() => {})
  }
}

function wordsFor({ source, dist, keys, keep, derive }: Following): string[] {
  const words = ['mirror', shown(source), dist, '--keep', String(keep)]
  return [...words, ...(keys === null ? [] : ['--keys', keys]), ...(derive ? ['--derive'] : [])]
}

/** A source as everybody may see it. */
function shown(source: string): string {
  const url = URL.parse(source)
  return url?.username || url?.password ? withoutPassword(url).base.href : source
}

interface Ended {
  code: number | null
  /** What it said last. */
  lastLine: string
}

const ERROR = 'vulnshelf-gateway: '
const isError = (line: string) => line.startsWith(ERROR)

/** Runs a mirror until it ends, or is told to; what it says goes into the log, but for lines that are `kept` back. */
function runMirror(
  following: Following,
  words: readonly string[],
  log: Log,
  signal: AbortSignal,
  kept: (line: string) => boolean = () => false,
): Promise<Ended> {
  const child = spawnMirror([...wordsFor(following), ...words], following.source)
  if (child instanceof Error) return Promise.resolve({ code: null, lastLine: child.message })
  let lastLine = ''
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => resolve({ code: null, lastLine: error.message }))
    child.once('close', (code) => resolve({ code, lastLine }))
  })
  // One that could not be started has none.
  if (child.pid !== undefined) lowerPriority(child.pid)
  if (child.stdout) createInterface(child.stdout).on('line', (line) => log.info(reportIn(line), 'the mirror says'))
  if (child.stderr) {
    createInterface(child.stderr).on('line', (line) => {
      lastLine = isError(line) ? line.slice(ERROR.length) : line
      if (!kept(line)) log.warn({}, lastLine)
    })
  }
  let late: NodeJS.Timeout | undefined
  const end = () => {
    child.kill('SIGTERM')
    late = setTimeout(() => child.kill('SIGKILL'), END_MS).unref()
  }
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  return ended.finally(() => {
    signal.removeEventListener('abort', end)
    clearTimeout(late)
  })
}

/** Of a mirror that does not end, what has arrived stays all the same. */
const END_MS = 10_000

/** Options of `mirror` that must not reach this one from the environment; the others tune it. */
const NOT_FOR_IT = ['VULNSHELF_INTERVAL', 'VULNSHELF_JSON', 'VULNSHELF_BUNDLE']

function spawnMirror(words: readonly string[], source: string): ChildProcess | Error {
  const program = fileURLToPath(new URL('./cli.ts', import.meta.url))
  const env: NodeJS.ProcessEnv = { ...process.env, [FOLLOWED_BY_GATEWAY]: source }
  for (const name of NOT_FOR_IT) delete env[name]
  try {
    // By the channel it hears that this process has ended, however it did.
    return spawn(process.execPath, [...process.execArgv, program, ...words], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
  } catch (error) {
    return error as Error
  }
}

/** A report as JSON; a line for people as it is. */
function reportIn(line: string): object {
  try {
    return { mirror: JSON.parse(line) as unknown }
  } catch {
    return { mirror: line }
  }
}
