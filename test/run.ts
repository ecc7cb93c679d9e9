/**
 * Everything a reviewer would run: types, lint, then every test file, each in a process of its own so that none can
 * disturb another. Arguments are parts of file names to choose by. Ends with `N passed, N failed`.
 */
import '../corpus/command/node-version.js'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'

const TIMEOUT_MS = 600_000
const root = join(import.meta.dirname, '..')

/** What one test file makes and others want as well (support/dist.ts). */
const cache = mkdtempSync(join(tmpdir(), 'vulnshelf-tests-'))

interface Outcome {
  passed: number
  failed: number
}

/** Runs a command and gives what it printed; a file that hangs is killed and counts as failed. */
function run(command: string, args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, FORCE_COLOR: '0', VULNSHELF_TEST_CACHE: cache },
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output })
    })
  })
}

async function check(name: string, args: string[]): Promise<Outcome> {
  const { code, output } = await run(process.execPath, args)
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`)
  if (code !== 0) console.log(output)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

async function testFile(file: string): Promise<Outcome> {
  const began = performance.now()
  const { code, output } = await run(process.execPath, ['--import', 'tsx', file])
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  // uvu closes with `Total: 3`, `Passed: 3`, `Skipped: 0`; without them the file has tested nothing.
  const total = Number(/Total:\s+(\d+)/.exec(output)?.[1] ?? 0)
  const passed = Number(/Passed:\s+(\d+)/.exec(output)?.[1] ?? 0)
  const failed = code === 0 && total > 0 ? 0 : Math.max(1, total - passed)
  console.log(`${failed ? 'FAIL' : 'ok  '} ${relative(root, file)} (${passed}/${total}, ${seconds} s)`)
  if (failed) console.log(output || `no output; exit code ${code}`)
  // What a test lists is shown: which test holds which sentence of the contract.
  else for (const line of output.match(/^.* → .*$/gm) ?? []) console.log(`     ${line}`)
  return { passed, failed }
}

const chosen = process.argv.slice(2)
const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && (chosen.length === 0 || chosen.some((part) => name.includes(part))))
  .sort()
  .map((name) => join(import.meta.dirname, name))
if (files.length === 0) throw new Error(`no test file matches ${chosen.join(' ')}`)

const bin = (name: string) => join(root, 'node_modules', name)
const outcomes: Outcome[] = []
if (chosen.length === 0) {
  outcomes.push(await check('types', [bin('typescript/bin/tsc')]))
  outcomes.push(await check('lint', [bin('@biomejs/biome/bin/biome'), 'check', '.']))
}
const queue = [...files]
const worker = async () => {
  for (let file = queue.shift(); file; file = queue.shift()) outcomes.push(await testFile(file))
}
await Promise.all(Array.from({ length: availableParallelism() }, worker))

rmSync(cache, { recursive: true, force: true })
const passed = outcomes.reduce((sum, one) => sum + one.passed, 0)
const failed = outcomes.reduce((sum, one) => sum + one.failed, 0)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
