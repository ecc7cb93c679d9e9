/** The processes of the bench: the gateway as an operator starts it, the reference servers, the load generator. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../build/program.ts'
import type { LoadReply, LoadRequest, LoadTask } from './load.ts'
import type { Constant } from './reference.ts'
import type { LoadResult } from './tally.ts'

export interface Measured {
  port: number
  pid: number
  stop(): Promise<void>
}

export interface ReferenceServer extends Measured {
  /** Sets the answer from now on. */
  answer(constant: Constant): Promise<void>
}

/** The environment without the options that the commands would read from it. */
const environment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VULNSHELF_')))

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

export interface GatewayStart {
  /** Name of its access log. */
  name: string
  dist: string
  /** Folder of keys and access log. */
  folder: string
  /** The folder of the gateway: a checkout, or a package. */
  root?: string
  /** A folder for a CPU profile of the gateway's whole life. */
  profile?: string | undefined
  /** Additional options of the command: `--workers 2`. */
  options?: readonly string[]
}

/** Creates an administrator's ES256 token with the command. */
export function makeToken(folder: string, expires = '12h'): string {
  const cli = join(ROOT, 'gateway/process/cli.ts')
  const args = ['--import', 'tsx', cli, 'token', '--expires', expires, '--keys', keysIn(folder)]
  return execFileSync(process.execPath, args, {
    cwd: ROOT,
    env: environment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}

const keysIn = (folder: string) => join(folder, 'keys')

export interface Gateway extends Measured {
  /** The port for other tools, with `--compat`. */
  compatPort: number | null
}

/** Starts `vulnshelf-gateway serve` on a free port, with its log in a file. Requires the keys of `makeToken`. */
export async function startGateway(start: GatewayStart): Promise<Gateway> {
  const { name, dist, folder, root = ROOT, profile, options = [] } = start
  const log = openSync(join(folder, `${name}.log`), 'a')
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  const serve = ['serve', dist, '--port', '0', '--jwks', join(keysIn(folder), 'jwks.json')]
  const child = spawn(
    process.execPath,
    [...profiling, join(root, 'gateway/bin.js'), ...serve, '--rate-limit', '1000000000', ...options],
    { cwd: root, env: environment(), stdio: ['ignore', log, 'pipe'] },
  )
  closeSync(log)
  let said = ''
  const port = await new Promise<number>((resolve, reject) => {
    child.stderr!.on('data', (chunk) => {
      said += chunk
      const found = /listening on \S+:(\d+)/.exec(said)
      if (found) resolve(Number(found[1]))
    })
    child.on('exit', () => reject(new Error(`the gateway did not start: ${said.trim()}`)))
  })
  const compat = /other tools at \S+:(\d+)/.exec(said)
  return { port, pid: child.pid!, compatPort: compat && Number(compat[1]), stop: () => stop(child) }
}

const forked = (file: string, args: string[] = []) =>
  fork(join(import.meta.dirname, file), args, { execArgv: ['--import', 'tsx'], serialization: 'advanced' })

export async function startReference(name: 'polka' | 'node'): Promise<ReferenceServer> {
  const child = forked('reference.ts', [name])
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    pid: child.pid!,
    answer: async (constant) => {
      child.send(constant)
      await once(child, 'message')
    },
    stop: () => stop(child),
  }
}

export interface Load {
  /** Stores requests under a name, each with these header lines in addition to its own. */
  prepare(name: string, requests: readonly LoadRequest[], headers: readonly string[]): void
  /**
   * One run at a time.
   * @throws Error for an answer of a closed loop with an unexpected status
   */
  run(task: Exclude<LoadTask, { kind: 'prepare' }>): Promise<LoadResult>
  stop(): Promise<void>
}

export function startLoad(): Load {
  const child = forked('load.ts')
  const send = (task: LoadTask) => void child.send(task)
  return {
    prepare: (name, requests, headers) => send({ kind: 'prepare', name, requests, headers }),
    run: async (task) => {
      send(task)
      const [reply] = (await once(child, 'message')) as [LoadReply]
      if ('error' in reply) throw new Error(reply.error)
      return reply.result
    },
    stop: () => stop(child),
  }
}
