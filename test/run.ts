/**
 * Runs types, lint and the quick tier of the test files. Each core has one process, which runs many files. Arguments
 * are parts of file names to choose by; `--long` runs what the quick tier leaves out, and `--changed` only the files of it
 * that read a file changed since a commit. Ends with `N passed, N failed, N skipped`.
 */
import '../corpus/command/node-version.js'
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { type FileResult, READY } from './support/host-protocol.ts'
import { CACHE_VARIABLE, changedFiles } from './support/made-once.ts'
import { type Skipped, TIER_VARIABLE } from './support/needs.ts'
import { changedSince, touchedBy } from './support/touched.ts'

/** A file that takes longer is ended and counts as failed: seconds in the quick tier, minutes in the long one. */
const QUICK_TIMEOUT_MS = 120_000
const LONG_TIMEOUT_MS = 600_000
const root = join(import.meta.dirname, '..')

const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
/** `--changed` compares with the last commit, `--changed=main` with another. */
const change = process.argv.find((argument) => /^--changed(?:=|$)/.test(argument))
/** Naming files runs them whatever they need. */
const isQuick = chosen.length === 0 && !process.argv.includes('--long')
const isLong = (file: string) => file.endsWith('.long.test.ts')
/** Whether the quick tier leaves out the file, or a test in it. */
const isInLongTier = (file: string) => isLong(file) || readFileSync(join(root, file)).includes("/needs.ts'")

const allFiles = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.split(sep).join('/')}`)
  .filter((file) => file.endsWith('.test.ts'))
  .sort()
const ofTier = allFiles.filter((file) => {
  if (chosen.length > 0) return chosen.some((part) => file.includes(part))
  return isQuick ? !isLong(file) : isInLongTier(file)
})
const files = change ? touchedBy(changedSince(change.split('=')[1] ?? 'HEAD'), ofTier) : ofTier
if (ofTier.length === 0) throw new Error(`no test file matches ${chosen.join(' ')}`)

/** What one test file makes and others use as well (support/made-once.ts). */
const cache = mkdtempSync(join(tmpdir(), 'vulnshelf-tests-'))
const environment = {
  ...process.env,
  FORCE_COLOR: '0',
  [CACHE_VARIABLE]: cache,
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/vulnshelf-tests'),
  ...(isQuick ? { [TIER_VARIABLE]: 'quick' } : {}),
}

const sums = { passed: 0, failed: 0 }
const seconds = new Map<string, number>()
const skipped: Skipped[] = []

function report(name: string, { passed, failed, output }: Omit<FileResult, 'skipped'>, seconds: number): void {
  sums.passed += passed
  sums.failed += failed
  console.log(`${failed ? 'FAIL' : 'ok  '} ${name} (${passed}/${passed + failed}, ${seconds.toFixed(1)} s)`)
  if (failed) console.log(output)
  // Figures that a test gives, as in TAP.
  // uvu prints a bullet without a line break after each test.
  else for (const [, line] of output.matchAll(/^(?:[•✘] )*(# .*)/gm)) console.log(line)
}

/** Runs a program that checks the whole checkout, and counts as one test. */
async function check(name: string, script: string, ...args: string[]): Promise<void> {
  const began = performance.now()
  const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], { cwd: root, env: environment })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  const failed = code === 0 ? 0 : 1
  report(name, { passed: 1 - failed, failed, output }, (performance.now() - began) / 1000)
}

interface Host {
  process: ChildProcess
  /** What it writes when it dies; what tests print comes with their results. */
  lastWords: string
}

async function startHost(): Promise<Host> {
  const child = fork(join(import.meta.dirname, 'support/host.ts'), {
    cwd: root,
    env: environment,
    execArgv: [],
    silent: true,
  })
  const host = { process: child, lastWords: '' }
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (host.lastWords += chunk))
  // A host that cannot load its modules closes without a message.
  const [message] = await Promise.race([once(child, 'message'), once(child, 'close')])
  if (message !== READY) throw new Error(`the process of the tests did not start:\n${host.lastWords}`)
  return host
}

/** Sends a file to a host; one that dies or hangs has failed, and takes its host with it. */
function runIn(host: Host, file: string): Promise<FileResult> {
  return new Promise((resolve) => {
    const { process: child } = host
    const limit = isLong(file) ? LONG_TIMEOUT_MS : QUICK_TIMEOUT_MS
    const timer = setTimeout(() => child.kill('SIGKILL'), limit)
    child.removeAllListeners('message').removeAllListeners('close')
    let last: FileResult | null = null
    child.once('message', (result: FileResult) => {
      if (result.isLast) last = result
      else {
        clearTimeout(timer)
        resolve(result)
      }
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (last) return resolve(last)
      const output = `the process of the tests ended: ${signal ?? `exit code ${code}`}\n${host.lastWords}`
      resolve({ passed: 0, failed: 1, skipped: [], output })
    })
    child.send(file)
  })
}

/** Seconds of each file when it ran last. The longest files start first, so that no core waits for one at the end. */
const timings = join(root, 'node_modules/.cache/vulnshelf-test-seconds.json')
const lastSeconds: Record<string, number> = existsSync(timings) ? JSON.parse(readFileSync(timings, 'utf8')) : {}
/** For a file that has not run here: some start many processes, or make the real feeds. */
const SLOW = /test\/(?:real|cli)\/|explorer|verify|mirror|commands|run\.long|real-feeds|oracles|publish\/|build\.long/
/** Those that would be the last ones to end. */
const SLOWEST =
  /explorer\/(?:pages|content|list)|package\.long|too-large|patterns|workers\.long|docs\/commands|real\/check|memory\.long|cpe-verdicts|snapshot\/build|cli\/(?:start|serve-check|commands|damage|check)|bench\/run/
const expected = (file: string) =>
  lastSeconds[file] ?? (isLong(file) ? (SLOWEST.test(file) ? 120 : SLOW.test(file) ? 30 : 10) : 1)

/** Files that share a started service run in one process, one after the other. */
const contract = files.filter((file) => file.startsWith('test/contract/'))
/** Fills the TCP buffers of the machine, so that the system resets connections of other tests. Runs after all of them. */
const FLOOD = 'test/gateway/http/flood.long.test.ts'
const others = files
  .filter((file) => !contract.includes(file) && file !== FLOOD)
  .toSorted((a, b) => expected(b) - expected(a))
const batches = [...(contract.length ? [contract] : []), ...others.map((file) => [file])]

async function work(): Promise<void> {
  let host: Host | undefined
  for (let batch = batches.shift(); batch; batch = batches.shift()) {
    for (const file of batch) {
      if (!host || host.process.exitCode !== null || host.process.signalCode !== null) host = await startHost()
      const began = performance.now()
      const result = await runIn(host, file)
      seconds.set(file, (performance.now() - began) / 1000)
      report(file, result, seconds.get(file)!)
      skipped.push(...result.skipped)
    }
  }
  // The process removes its folders.
  if (host?.process.connected) host.process.disconnect()
}

const began = performance.now()
try {
  if (isQuick) {
    await Promise.all([check('types', 'typescript/bin/tsc'), check('lint', '@biomejs/biome/bin/biome', 'check', '.')])
    await check('types of the explorer', 'typescript/bin/tsc', '-p', 'corpus/explorer/app')
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  if (files.includes(FLOOD)) batches.push([FLOOD])
  await work()
  const changed = changedFiles(cache)
  if (changed.length > 0) {
    const output = `a test changed files that others use too:\n${changed.slice(0, 20).join('\n')}`
    report('shared samples', { passed: 0, failed: 1, output }, 0)
  }
} finally {
  rmSync(cache, { recursive: true, force: true })
}

for (const [need, all] of Map.groupBy(skipped, (one) => one.need)) {
  console.log(`\nskipped without ${need}:`)
  for (const { title } of all) console.log(`  ${title}`)
}
mkdirSync(dirname(timings), { recursive: true })
writeFileSync(timings, JSON.stringify({ ...lastSeconds, ...Object.fromEntries(seconds) }))
console.log('\nslowest files:')
for (const [file, took] of [...seconds].sort(([, a], [, b]) => b - a).slice(0, 10)) {
  console.log(`  ${took.toFixed(1).padStart(6)} s ${file}`)
}
if (isQuick) {
  const left = allFiles.length - files.length
  console.log(`\n${left} files of the long tier did not run: npm run test:long`)
}
console.log(`\n${((performance.now() - began) / 1000).toFixed(0)} s`)
console.log(`${sums.passed} passed, ${sums.failed} failed, ${skipped.length} skipped`)
process.exitCode = sums.failed ? 1 : 0
