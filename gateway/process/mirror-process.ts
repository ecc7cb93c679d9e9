/**
 * `serve --follow`: a child process mirrors the repository at intervals. The gateway detects a new pointer in its
 * folder as after a build. It keeps serving when the mirror fails.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { moduleUrl } from '../../corpus/runtime/module-url.ts'
import { readPointerBytes } from '../../corpus/snapshot/index.ts'
import { GatewayError } from '../http/errors.ts'
import { FOLLOWED_BY_GATEWAY, shownSource } from '../mirror/follow.ts'
import type { Log } from './log.ts'
import { lowerCpuPriority } from './low-priority.ts'

export interface MirrorProcessOptions {
  /** Source of the mirror, in the format of `mirror <source>`. */
  source: string
  dist: string
  intervalSeconds: number
  /** Key set; one of its keys must have signed the pointer. Null accepts unsigned pointers. */
  keys: string | null
  keep: number
  derive: boolean
}

export interface MirrorProcess {
  /** Rejects with a GatewayError if the options are invalid, because the mirror would never start. */
  failed: Promise<never>
  close(): Promise<void>
}

/** Exit code of `mirror` for invalid options. */
const WRONG_USAGE = 2

/** Delay before the restart of a mirror that ended unexpectedly, for example out of memory. */
const RESTART_MS = 30_000

/** Follows a repository until `close()` or until `stopped` aborts. */
export function startMirrorProcess(following: MirrorProcessOptions, log: Log, stopped: AbortSignal): MirrorProcess {
  const stop = new AbortController()
  const followed = keepFollowing(following, log, AbortSignal.any([stopped, stop.signal]))
  const failed = followed.then(() => new Promise<never>(() => {}))
  // Prevents an unhandled rejection after `close()`.
  failed.catch(() => {})
  return {
    failed,
    async close() {
      stop.abort()
      await followed.catch(() => {})
    },
  }
}

/** Returns whether the folder has no snapshot to serve. */
export const isEmpty = (dist: string): boolean => readPointerBytes(dist) === null

/**
 * Mirrors once, when there is no valid snapshot yet.
 * @throws GatewayError `no_snapshot` if the mirror fails, `bad_option` for invalid options
 */
export async function mirrorOnce(following: MirrorProcessOptions, log: Log, signal: AbortSignal): Promise<void> {
  // The last line becomes the error message, so it is not logged too.
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
  /** Last line on standard error. */
  lastLine: string
}

const ERROR = 'vulnshelf-gateway: '
const isError = (line: string) => line.startsWith(ERROR)

/** Runs a mirror until it ends or `signal` aborts. Logs its output, except lines for which `kept` is true. */
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
  // A process that could not be started has no pid.
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

/** Time for a mirror to end before SIGKILL. Files that have arrived stay. */
const END_MS = 10_000

/** `mirror` options that this mirror must not read from the environment. Others apply. */
const NOT_FOR_IT = ['VULNSHELF_INTERVAL', 'VULNSHELF_MIRROR_INTERVAL', 'VULNSHELF_JSON', 'VULNSHELF_BUNDLE']

function spawnMirror(words: readonly string[], source: string): ChildProcess | Error {
  const program = fileURLToPath(moduleUrl('./cli.ts', import.meta.url))
  const env: NodeJS.ProcessEnv = { ...process.env, [FOLLOWED_BY_GATEWAY]: source }
  for (const name of NOT_FOR_IT) delete env[name]
  try {
    // The closed IPC channel notifies the mirror that this process ended.
    return spawn(process.execPath, [...process.execArgv, program, ...words], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
  } catch (error) {
    return error as Error
  }
}

/** Returns a report, which is one line of JSON, as log fields. */
function reportIn(line: string): object {
  try {
    return { mirror: JSON.parse(line) as unknown }
  } catch {
    return { line }
  }
}
