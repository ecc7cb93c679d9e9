/** Runs npm and npx as a user does: in a copy of the checkout, each in its own process group. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { copyCheckout } from '../mutation/checkout.ts'
import { until } from './until.ts'

export interface NpmRun {
  /** The process that the user started. */
  process: ChildProcess
  /** Output of the process and its children so far. */
  out(): string
  /** Resolves when the output matches; rejects if they end before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal to the started process only, or to its group, as a terminal does. */
  signal(signal: NodeJS.Signals, to?: 'process' | 'group'): void
  /** Resolves with the exit code when the process and every child that shares its output have ended. */
  ended(): Promise<number | null>
}

export interface Npm {
  path: string
  run(program: 'npm' | 'npx', words: readonly string[]): NpmRun
  /** Ends processes that are still running. */
  endAll(): void
}

/** Returns npm in a copy of the checkout below `folder`. */
export function npmIn(folder: string): Npm {
  const { path } = copyCheckout(folder)
  const started = new Set<ChildProcess>()
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|VULNSHELF_)/i.test(name))
  const npm = { npm_config_cache: join(folder, 'npm-cache'), npm_config_offline: 'true' }
  const env = { ...Object.fromEntries(kept), ...npm }

  const run: Npm['run'] = (program, words) => {
    const child = spawn(program, words, { cwd: path, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    started.add(child)
    let out = ''
    let isClosed = false
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text))
    child.on('close', () => {
      isClosed = true
    })
    return {
      process: child,
      out: () => out,
      async printed(pattern) {
        const look = () => pattern.test(out) || isClosed
        await until(look, () => out)
        const found = pattern.exec(out)
        if (!found) throw new Error(`it ended: ${out}`)
        return found
      },
      signal(signal, to = 'process') {
        process.kill(to === 'group' ? -child.pid! : child.pid!, signal)
      },
      async ended() {
        await until(
          () => isClosed,
          () => `it goes on: ${out}`,
        )
        return child.exitCode
      },
    }
  }
  return { path, run, endAll: () => started.forEach(killGroup) }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}
