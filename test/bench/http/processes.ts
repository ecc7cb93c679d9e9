/** The processes of the bench: the gateway as an operator starts it, the reference server, the load generator. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { plainEnvironment, ROOT } from '../build/program.ts'
import type { LoadReply, LoadRequest, LoadResult, LoadTask } from './load.ts'
import type { Constant } from './reference.ts'

export interface Measured {
  port: number
  pid: number
  stop(): Promise<void>
}

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
  /** Folder of its access log. */
  folder: string
  /** The key set of tokens. */
  jwks: string
  /** The folder of the gateway: a checkout, or a package. */
  root?: string
  /** A folder for a CPU profile of the gateway's whole life. */
  profile?: string | undefined
  /** Additional options of the command: `--workers 2`. */
  options?: readonly string[]
}

export interface Gateway extends Measured {
  /** The port for other tools, with `--compat`. */
  compatPort: number | null
}

/** Starts `vulnshelf-gateway serve` on a free port, with its log in a file. */
export async function startGateway(start: GatewayStart): Promise<Gateway> {
  const { name, dist, folder, jwks, root = ROOT, profile, options = [] } = start
  const log = openSync(join(folder, `${name}.log`), 'a')
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  const serve = ['serve', dist, '--port', '0', '--jwks', jwks, '--rate-limit', '1000000000', ...options]
  const child = spawn(process.execPath, [...profiling, join(root, 'gateway/bin.js'), ...serve], {
    cwd: root,
    env: plainEnvironment(),
    stdio: ['ignore', log, 'pipe'],
  })
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

const forked = (file: string, args: readonly string[] = []) =>
  fork(resolve(import.meta.dirname, file), args, { execArgv: ['--import', 'tsx'], serialization: 'advanced' })

/**
 * Starts a server of the bench as a process, which sends its port.
 * @throws Error if it does not start
 */
export async function startServer(file: string, args: readonly string[] = []) {
  const child = forked(file, args)
  const [started] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [{ port: number } | number]
  if (typeof started !== 'object') throw new Error(`${file} did not start`)
  return { child, port: started.port, pid: child.pid!, stop: () => stop(child) }
}

export interface ReferenceServer extends Measured {
  /** Sets the answer from now on. */
  answer(constant: Constant): Promise<void>
}

export async function startReference(): Promise<ReferenceServer> {
  const { child, ...server } = await startServer('reference.ts')
  return {
    ...server,
    answer: async (constant) => {
      child.send(constant)
      await once(child, 'message')
    },
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
