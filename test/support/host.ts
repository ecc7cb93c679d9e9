/** Runs test files in this process, one after the other, as `test/run.ts` requests. Sends back the result of each. */
import { pathToFileURL } from 'node:url'
import { type FileResult, READY } from './host-protocol.ts'
import type { Skipped } from './needs.ts'

/** A suite in uvu's queue: errors (or true), numbers of passed, skipped and all tests. */
type QueuedSuite = () => Promise<[errors: string | true, passed: number, skipped: number, total: number]>

// Set before uvu is loaded: `run()` then only queues a suite.
const queue: [name: null, ...suites: QueuedSuite[]][] = []
Object.assign(globalThis, { UVU_DEFER: 1, UVU_QUEUE: queue, UVU_INDEX: 0 })
const { MissingNeed, takeSkipped } = await import('./needs.ts')
const { listeningServers, sharedServers } = await import('./shared.ts')
const { usedBytes } = await import('./used-bytes.ts')

let output = ''
const capture = (chunk: string | Uint8Array) => {
  output += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
  return true
}
Object.assign(process.stdout, { write: capture })
Object.assign(process.stderr, { write: capture })

const ownServers = () => listeningServers() - sharedServers()

/** Waits up to five seconds until no more servers listen than before: closing takes several event-loop turns. */
async function leavesNoServer(before: number): Promise<boolean> {
  for (let i = 0; i < 100; i++) {
    if (ownServers() <= before) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

async function runFile(name: string): Promise<FileResult> {
  const environment = { ...process.env }
  const before = ownServers()
  queue.splice(0, queue.length, [null])
  output = ''
  const skipped: Skipped[] = []
  let [passed, failed, counted] = [0, 0, 0]
  try {
    await import(pathToFileURL(name).href)
    for (const run of queue[0]!.slice(1) as QueuedSuite[]) {
      const [errors, ran, skips, total] = await run()
      passed += ran
      failed += total - ran
      counted += total + skips
      if (typeof errors === 'string') capture(`\n${errors}\n`)
    }
    if (counted === 0) throw new Error('the file has no tests')
    if (!(await leavesNoServer(before))) throw new Error('the file leaves a server listening')
  } catch (error) {
    if (error instanceof MissingNeed) skipped.push({ title: name, need: error.need })
    else {
      failed++
      capture(`\n${error instanceof Error ? error.stack : error}\n`)
    }
  }
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  process.exitCode = undefined
  skipped.push(...takeSkipped())
  return { passed, failed, skipped, output }
}

/** What files leave in memory slows down the garbage collections of all later files. */
const MOST_BYTES = 300e6

async function isFull(): Promise<boolean> {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external > MOST_BYTES && (await usedBytes()) > MOST_BYTES
}

process.on('message', async (name: string) => {
  const result = await runFile(name)
  const isLast = await isFull()
  process.send!({ ...result, isLast } satisfies FileResult, () => isLast && process.exit())
})
// An unhandled rejection counts against the file that runs.
process.on('unhandledRejection', (error) => {
  const text = error instanceof Error ? error.stack : String(error)
  const result = { passed: 0, failed: 1, skipped: [], output: `${output}\nunhandled rejection: ${text}`, isLast: true }
  process.send!(result satisfies FileResult, () => process.exit(1))
})
process.on('disconnect', () => process.exit())
process.send!(READY)
