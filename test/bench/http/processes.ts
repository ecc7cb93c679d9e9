/** The processes of the bench: the gateway as an operator starts it, the servers to compare with, the load generator. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadReply, LoadResult, LoadTask } from './load.ts'
import type { Constant } from './reference.ts'

export const ROOT = join(import.meta.dirname, '../../..')

/** A server under load. */
export interface Measured {
  name: string
  port: number
  stop(): Promise<void>
}

export interface ReferenceServer extends Measured {
  /** Answers this from now on. */
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
  name: string
  dist: string
  /** Where keys and the access log go. */
  folder: string
  /** The checkout whose gateway it is. */
  root?: string
  /** A folder for a CPU profile of the gateway's whole life. */
  profile?: string | undefined
}

/** An administrator's ES256 token, by the command that makes one. */
export function makeToken(folder: string): string {
  const cli = join(ROOT, 'gateway/cli.ts')
  const args = ['--import', 'tsx', cli, 'token', '--expires', '1h', '--keys', keysIn(folder)]
  return execFileSync(process.execPath, args, {
    cwd: ROOT,
    env: environment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}

const keysIn = (folder: string) => join(folder, 'keys')

/** `vulnshelf-gateway serve` on a free port, its access log in a file. `makeToken` must have made the keys. */
export async function startGateway({ name, dist, folder, root = ROOT, profile }: GatewayStart): Promise<Measured> {
  const log = openSync(join(folder, `${name}.log`), 'a')
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  const serve = ['serve', dist, '--port', '0', '--jwks', join(keysIn(folder), 'jwks.json')]
  const child = spawn(process.execPath, [...profiling, '--import', 'tsx', join(root, 'gateway/cli.ts'), ...serve], {
    cwd: root,
    // By its name in the environment: an older checkout to compare with may not know the option.
    env: { ...environment(), VULNSHELF_RATE_LIMIT: '1000000000' },
    stdio: ['ignore', log, 'pipe'],
  })
  let said = ''
  const port = await new Promise<number>((resolve, reject) => {
    child.stderr!.on('data', (chunk) => {
      said += chunk
      const found = /listening on \S+:(\d+)/.exec(said)
      if (found) resolve(Number(found[1]))
    })
    child.on('exit', () => reject(new Error(`the gateway did not start: ${said.trim()}`)))
  })
  return { name, port, stop: () => stop(child) }
}

const forked = (file: string, args: string[] = []) =>
  fork(join(import.meta.dirname, file), args, { execArgv: ['--import', 'tsx'], serialization: 'advanced' })

export async function startReference(name: 'polka' | 'node'): Promise<ReferenceServer> {
  const child = forked('reference.ts', [name])
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    name,
    port,
    answer: async (constant) => {
      child.send(constant)
      await once(child, 'message')
    },
    stop: () => stop(child),
  }
}

export interface Load {
  /** What to request: targets and header lines, the same for every server. */
  prepare(targets: string[], headers: string[]): void
  /** @throws Error when anything but a 200 comes back */
  run(port: number, connections: number, seconds: number): Promise<LoadResult>
  stop(): Promise<void>
}

export function startLoad(): Load {
  const child = forked('load.ts')
  const send = (task: LoadTask) => void child.send(task)
  return {
    prepare: (targets, headers) => send({ kind: 'targets', targets, headers }),
    run: async (port, connections, seconds) => {
      send({ kind: 'run', port, connections, seconds })
      const [reply] = (await once(child, 'message')) as [LoadReply]
      if ('error' in reply) throw new Error(reply.error)
      return reply.result
    },
    stop: () => stop(child),
  }
}
