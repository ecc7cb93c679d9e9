/**
 * Checks that tests detect faults. Each mutation changes a copy of the checkout; a test named after the rule must then
 * fail. `npx tsx test/mutation/run.ts [part of rule] [--jobs 2]`. Ends with `N killed, N survived`.
 */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Checkout, copyCheckout } from './checkout.ts'
import type { Mutation } from './mutation.ts'
import { MUTATIONS } from './mutations.ts'
import { filesWith, runTestFile } from './test-file.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string', default: '2' } },
})
const jobs = Number(values.jobs)
if (!Number.isSafeInteger(jobs) || jobs < 1) throw new Error(`--jobs must be a number from 1, not ${values.jobs}`)
const chosen = MUTATIONS.filter(({ rule }) => positionals.every((part) => rule.includes(part))).map((mutation) => ({
  ...mutation,
  tests: filesWith(mutation.rule),
}))
if (chosen.length === 0) throw new Error(`no rule has ${positionals.join(' and ')} in its name`)

const folder = mkdtempSync(join(tmpdir(), 'vulnshelf-mutation-'))
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

function run(checkout: Checkout, file: string) {
  return runTestFile(checkout.path, file, (child) => {
    running.add(child)
    child.on('close', () => running.delete(child))
  })
}

/** Works through `items`, one at a time in each copy of the checkout. */
async function inEach<Item>(items: readonly Item[], work: (checkout: Checkout, item: Item) => Promise<void>) {
  const left = items.values()
  await Promise.all(
    checkouts.map(async (checkout) => {
      for (const item of left) await work(checkout, item)
    }),
  )
}

interface Verdict {
  killed: boolean
  /** The test that noticed, or why none did. */
  why: string
}

async function judge(
  checkout: Checkout,
  { rule, file, find, replace }: Mutation,
  tests: readonly string[],
): Promise<Verdict> {
  const takeBack = checkout.change(file, find, replace)
  try {
    let by: string | undefined
    const others: string[] = []
    for (const test of tests) {
      const { passed, failing, end } = await run(checkout, test)
      if (passed) return { killed: false, why: `${test} passes` }
      if (failing.length === 0) return { killed: false, why: `${test} failed without a test: ${end}` }
      const noticed = failing.find((name) => name.startsWith(rule))
      if (noticed !== undefined) by ??= `${test}: ${noticed}`
      others.push(...failing)
    }
    return by === undefined
      ? { killed: false, why: `other tests fail: ${others.join(' | ')}` }
      : { killed: true, why: by }
  } finally {
    takeBack()
  }
}

const checkouts = Array.from({ length: Math.min(jobs, chosen.length) }, (_, i) => {
  const own = join(folder, String(i))
  mkdirSync(own)
  return copyCheckout(own)
})

// A test that fails anyway notices nothing.
const broken = new Set<string>()
await inEach([...new Set(chosen.flatMap(({ tests }) => tests))], async (checkout, file) => {
  const { passed, end } = await run(checkout, file)
  if (passed) return
  broken.add(file)
  console.log(`BROKEN    ${file} fails without any mutation: ${end}`)
})

const tally = { killed: 0, survived: 0 }
await inEach(chosen, async (checkout, mutation) => {
  const { rule, breaks, tests } = mutation
  const test = tests.find((file) => broken.has(file))
  const { killed, why } =
    test === undefined
      ? await judge(checkout, mutation, tests).catch((error) => ({ killed: false, why: String(error) }))
      : { killed: false, why: `${test} fails anyway` }
  tally[killed ? 'killed' : 'survived']++
  console.log(killed ? `killed    ${rule}  [${breaks}]  by ${why}` : `SURVIVED  ${rule}  [${breaks}]  ${why}`)
})
console.log(`${tally.killed} killed, ${tally.survived} survived`)
process.exitCode = tally.survived > 0 || broken.size > 0 ? 1 : 0
