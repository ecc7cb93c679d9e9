/** The machine of the measurement: figures mean nothing without it. */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'

export interface Machine {
  cores: number
  cpu: string
  memoryBytes: number
  system: string
  node: string
  commit: string
  /** Average number of running or waiting processes in the minute before the run. */
  loadBefore: number
}

export function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryBytes: totalmem(),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    commit: commitOf(),
    loadBefore: loadavg()[0]!,
  }
}

/** Returns the commit of this checkout, with a `+` if files differ from it; `unknown` without git. */
export function commitOf(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  try {
    const isChanged = git('status', '--porcelain', '--', ':/builder', ':/corpus', ':/gateway') !== ''
    return `${git('rev-parse', '--short=10', 'HEAD')}${isChanged ? '+' : ''}`
  } catch {
    // A checkout without git, or a machine without git, can be measured too.
    return 'unknown'
  }
}
