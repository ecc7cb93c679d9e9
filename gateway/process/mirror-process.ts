/**
 * `serve --follow`: a process beside the gateway mirrors what it serves, again and again. The gateway sees another pointer
 * in its folder, as it would see one that a build put there; whatever goes wrong in the mirror, it goes on serving.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readPointerBytes } from '../../corpus/snapshot/files/layout.ts'
import { GatewayError } from '../http/errors.ts'
import { FOLLOWED_BY_GATEWAY, shownSource } from '../mirror/follow.ts'
import type { Log } from './log.ts'
import { lowerCpuPriority } from './low-priority.ts'

export interface MirrorProcessOptions {
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

export interface MirrorProcess {
  /** Rejects with a GatewayError where what was asked for cannot be: the mirror would never begin. */
  failed: Promise<never>
  close(): Promise<void>
}

/** By which a mirror says so. */
const WRONG_USAGE = 2

/** A mirror that ended though nobody told it to, out of memory say, is started again after so long. */
const RESTART_MS = 30_000

/** Follows a repository until it is closed, or the signal says to stop. */
export function startMirrorProcess(following: MirrorProcessOptions, log: Log, stopped: AbortSignal): MirrorProcess {
  const stop = new AbortController()
  const followed = keepFollowing(following, log, AbortSignal.any([stopped, stop.signal]))
  const failed = followed.then(() => new Promise<never>(() => {}))
  // Whoever closes it first hears nothing of it.
  failed.catch(() => {})
  return {
    failed,
    async close() {
      stop.abort()
      await followed.catch(() => {})
    },
  }
}

/** Whether there is nothing in a folder that could be served until a mirror has run. */
export const isEmpty = (dist: string): boolean => readPointerBytes(dist) === null

/**
 * Mirrors once: where there is no snapshot yet, or the one that is here is damaged.
 * @throws GatewayError `no_snapshot` where it cannot be had
 */
export async function mirrorOnce(following: MirrorProcessOptions, log: Log, signal: AbortSignal): Promise<void> {
  // Its last line is our error, and need not be told twice.
  const { code, lastLine } = await runMirror(following, ['--json'], log, signal, isError)
  if (code === WRONG_USAGE) throw new GatewayError('bad_option', lastLine)
  if (code !== 0 && !signal.aborted) throw new GatewayError('no_snapshot', `no snapshot to serve: ${lastLine}`)
}

async function keepFollowing(following: MirrorProcessOptions, log: Log, signal: AbortSignal): Promise<void> {
  const words = ['--json', '--interval', `${following.intervalSeconds}s`]
  while (!signal.aborted) {
    const { code, lastLine } = await runMirror(following, words, log, signal)
    if (signal.aborted) return
    if (code === WRONG_USAGE) throw new GatewayError('bad_option', lastLine)
    log.error({ code }, 'mirror process ended unexpectedly, restarting')
    await sleep(RESTART_MS, undefined, { signal }).catch(() => {})
  }
}

function wordsFor({ source, dist, keys, keep, derive }: MirrorProcessOptions): string[] {
  const words = ['mirror', shownSource(source), dist, '--keep', String(keep)]
  return [...words, ...(keys === null ? [] : ['--keys', keys]), ...(derive ? ['--derive'] : [])]
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
  following: MirrorProcessOptions,
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
  if (child.pid !== undefined) lowerCpuPriority(child.pid)
  if (child.stdout) createInterface(child.stdout).on('line', (line) => log.info(reportIn(line), 'mirror report'))
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
const NOT_FOR_IT = ['VULNSHELF_INTERVAL', 'VULNSHELF_MIRROR_INTERVAL', 'VULNSHELF_JSON', 'VULNSHELF_BUNDLE']

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

/** A report, which is a line of JSON. */
function reportIn(line: string): object {
  try {
    return { mirror: JSON.parse(line) as unknown }
  } catch {
    return { line }
  }
}
