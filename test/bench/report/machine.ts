/** Where and with what figures came about: they say nothing without it. */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'

export interface Machine {
  cores: number
  cpu: string
  memoryBytes: number
  system: string
  node: string
  /** Of the checkout that is measured. */
  commit: string
  /** Processes that were running or waiting on average, in the minute before the run. */
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

/** The commit of this checkout, with a `+` where files differ from it; `unknown` for one without git. */
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
    // A checkout without git, or a machine without it, is measured all the same.
    return 'unknown'
  }
}
