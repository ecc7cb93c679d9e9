/** Runs a program as a process and measures it. Packs the programs of a checkout. */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')

export interface Run {
  /** Wall-clock time, including the start of Node. */
  seconds: number
  /** User and system time of all its threads. */
  cpuSeconds: number
  /** Peak memory, including mapped files (`ru_maxrss`). */
  peakBytes: number
  output: string
}

export interface ProgramOptions {
  /** A folder for temporary files. */
  folder: string
  /** The folder of the program: a checkout, or a package. */
  root?: string
  /** A folder for its CPU profile. */
  profile?: string | undefined
}

/** Characters of a failed program's output in the error. */
const TOLD_CHARACTERS = 2000

/**
 * Runs a file of `root`.
 * @throws Error with the end of its output if it fails
 */
export async function runProgram(file: string, args: readonly string[], options: ProgramOptions): Promise<Run> {
  const { folder, root = ROOT, profile } = options
  const usageFile = join(folder, 'usage.json')
  rmSync(usageFile, { force: true })
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  const measuring = ['--import', join(import.meta.dirname, 'usage.js')]
  const began = performance.now()
  const child = spawn(process.execPath, [...profiling, ...measuring, file, ...args], {
    cwd: root,
    env: { ...plainEnvironment(), BENCH_USAGE: usageFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-TOLD_CHARACTERS)
  })
  const end = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal))
  })
  const seconds = (performance.now() - began) / 1000
  if (end !== 0) throw new Error(`${[file, ...args].join(' ')} ended with ${end}: ${said.trim()}`)
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(usageFile, 'utf8')) as NodeJS.ResourceUsage
  return { seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakBytes: maxRSS * 1024, output }
}

/** Returns the environment without the options that the commands would read from it. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VULNSHELF_')))
}

/** What packing reads. */
const SOURCES = ['.ci', 'LICENSE', 'README.md', 'builder', 'corpus', 'gateway', 'package.json', 'tsconfig.json']

/**
 * Packs a checkout into a new `folder` as npm installs it: compiled. Returns the folder of its package, which uses the
 * `node_modules` of the checkout.
 */
export function installed(checkout: string, folder: string): string {
  const modules = join(checkout, 'node_modules')
  // npm compiles within the folder that it packs.
  const copy = join(folder, 'checkout')
  mkdirSync(copy, { recursive: true })
  for (const name of SOURCES) cpSync(join(checkout, name), join(copy, name), { recursive: true })
  for (const above of [copy, folder]) symlinkSync(modules, join(above, 'node_modules'))
  const npm = ['pack', '--json', '--pack-destination', folder]
  const packed = execFileSync('npm', npm, { cwd: copy, encoding: 'utf8', stdio: 'pipe' })
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  execFileSync('tar', ['-xzf', filename], { cwd: folder })
  return join(folder, 'package')
}
