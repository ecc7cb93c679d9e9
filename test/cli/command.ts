/** Runs the commands as an operator does: child processes with their own environment, observed from outside. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import * as assert from 'uvu/assert'

const root = join(import.meta.dirname, '../..')
/** Paths relative to the checkout, so that any working folder works. */
const PROGRAMS = { vulnshelf: 'builder/bin.js', 'vulnshelf-gateway': 'gateway/bin.js' } as const
export type Program = keyof typeof PROGRAMS

export interface Outcome {
  program: Program
  code: number | null
  out: string
  err: string[]
}

export interface RunOptions {
  env?: Record<string, string>
  /** Working folder. Default: the checkout. */
  cwd?: string
  /** If the test runs as root, runs the command as a user without write permission. */
  asNobody?: boolean
}

/** A command that takes longer hangs. */
const TIMEOUT_MS = 60_000
const NOBODY = 65_534

/** Returns the environment of a command. The test's own settings must not reach it. Threads would cost more than they save. */
function environment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('VULNSHELF_'))
  return { ...Object.fromEntries(kept), VULNSHELF_JOBS: '0', ...env }
}

const running = new Set<ChildProcess>()

/** Kills processes that a failed test left running. Call it in `after`. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

export function start(program: Program, args: readonly string[], options: RunOptions = {}): ChildProcess {
  const isRoot = process.getuid?.() === 0
  const child = spawn(process.execPath, [join(root, PROGRAMS[program]), ...args], {
    cwd: options.cwd ?? root,
    env: environment(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.asNobody && isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  })
  running.add(child)
  child.on('close', () => running.delete(child))
  return child
}

export function run(program: Program, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = start(program, args, options)
    let out = ''
    let err = ''
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (err += text))
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ program, code, out, err: err.split('\n').filter(Boolean) })
    })
  })
}

export const vulnshelf = (args: readonly string[], options?: RunOptions) => run('vulnshelf', args, options)
export const gateway = (args: readonly string[], options?: RunOptions) => run('vulnshelf-gateway', args, options)

/** Asserts that a command succeeded. Returns its output. */
export function done({ code, out, err }: Outcome): string {
  assert.is(code, 0, err.join('\n'))
  return out
}

const PROGRESS = /^(?:reading [\w -]+|merging|[\w ]+: [\d,]+ of [\d,]+|\w+: [\d.]+ MB of [\d.]+ MB)$/

/**
 * Asserts that a command failed with this exit code and one error line, preceded by progress lines only. Returns the
 * error line without the program's name.
 */
export function failed({ program, code, out, err }: Outcome, expected: 1 | 2 = 1): string {
  const last = err.at(-1) ?? ''
  assert.is(code, expected, `exit code ${code}: ${err.join('\n')}`)
  assert.ok(last.startsWith(`${program}: `), `the last line is no error: '${err.join('\n')}'`)
  const others = err.slice(0, -1).filter((line) => !PROGRESS.test(line))
  assert.equal(others, [], 'one line, and no more')
  assert.is(out, '', 'nothing is reported where nothing was done')
  return last.slice(program.length + 2)
}

/** Returns names and digests of all files below a folder, or of one file. Equal results mean that nothing changed. */
export function stateOf(path: string): Record<string, string> {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [path]
  return Object.fromEntries(
    files.sort().map((file) => [relative(path, file), createHash('sha256').update(readFileSync(file)).digest('hex')]),
  )
}
