/** One test file, run in a process of its own, and which of its tests failed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { claimsIn } from '../contract/support/contract.ts'
import { ROOT } from './checkout.ts'

const TIMEOUT_MS = 300_000

export interface Outcome {
  passed: boolean
  /** Names of the tests that failed; none where the file did not get so far, or hung. */
  failing: string[]
  /** The last lines of what it printed. */
  end: string
}

/** Runs `file` in the checkout at `cwd`; `started` gets the process, so that it can be ended with ours. */
export function runTestFile(cwd: string, file: string, started: (child: ChildProcess) => void): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    // A sample that was kept from another run would hide what changed code makes of it.
    const { VULNSHELF_TEST_CACHE: _, ...environment } = process.env
    const env = { ...environment, FORCE_COLOR: '0' }
    const child = spawn(process.execPath, ['--import', 'tsx', file], { cwd, env })
    started(child)
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      const total = Number(/Total:\s+(\d+)/.exec(output)?.[1] ?? 0)
      const end = output.trim().split('\n').slice(-3).join(' / ') || `no output, exit code ${code}`
      resolve({ passed: code === 0 && total > 0, failing: failingTests(output), end })
    })
  })
}

/** uvu writes `   FAIL  suite  "name of the test"`. */
export function failingTests(output: string): string[] {
  return Array.from(output.matchAll(/^ +FAIL [^"\n]*"(.*)"$/gm), ([, name]) => name!)
}

const TEST_FILES = globSync('test/**/*.test.ts', { cwd: ROOT }).map((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return { file, text, claims: claimsIn(file, text) }
})

const QUOTES = ["'", '"']

/** Returns the files with a test whose name begins with `rule`. */
export const filesWith = (rule: string): string[] =>
  TEST_FILES.filter(
    ({ text, claims }) =>
      QUOTES.some((quote) => text.includes(`${quote}${rule}`)) || claims.some(({ name }) => name.startsWith(rule)),
  ).map(({ file }) => file)
