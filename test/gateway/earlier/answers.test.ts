/** Answers from earlier snapshots: deadlines, the queue, a thread that fails, and the quota. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openReader } from '../../../corpus/reader/reader.ts'
import { readCurrent } from '../../../corpus/snapshot/index.ts'
import type { Policy } from '../../../gateway/access/policy.ts'
import { type EarlierOptions, openEarlierAnswers } from '../../../gateway/earlier/answers.ts'
import { rateLimited } from '../../../gateway/http/errors.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { failed, refusal } from '../../support/refusal.ts'
import { sampleNights } from '../../support/samples.ts'

const folder = temporaryFolder('earlier-answers')
const { first, third, fourth } = await sampleNights()
const [oldest, current] = [first, fourth].map((dist) => readCurrent(dist).manifest)
const target = `/snapshot?snapshot=${oldest!.snapshot}`
const free = () => {}

/** A thread with this code instead of the real one. */
function threadThat(name: string, code: string): URL {
  const path = join(folder.path, `${name}.mjs`)
  writeFileSync(path, `import { parentPort } from 'node:worker_threads'\n${code}\nparentPort.postMessage('loaded')\n`)
  return pathToFileURL(path)
}

const open = (options: Partial<EarlierOptions> = {}) =>
  openEarlierAnswers({ dist: fourth, current: () => current!, policy: () => null, ...options })
const textOf = async (asked: ReturnType<ReturnType<typeof open>['answer']>) => (await asked).identity().toString()

test('many requests at once for more snapshots than may be open are all answered, as in their nights', async () => {
  const answers = open({ most: 1 })
  const ids = [first, third, first, fourth, third].map((dist) => readCurrent(dist).manifest.snapshot)
  const asked = Array.from({ length: 40 }, (_, i) => {
    const id = ids[i % ids.length]!
    return textOf(answers.answer(`/cves?q=a&sort=-cvss&limit=${1 + (i % 9)}&snapshot=${id}`, 0, free))
  })
  const bodies = await Promise.all(asked)
  const reader = await openReader(fourth)
  for (const [i, body] of bodies.entries()) {
    const one = await reader.request(`/cves?q=a&sort=-cvss&limit=${1 + (i % 9)}&snapshot=${ids[i % ids.length]}`)
    assert.is(body, one.body)
  }
  await reader.close()
  await answers.close()
})

test('a new current snapshot is known at the next request', async () => {
  const earlier = readCurrent(third).manifest
  let served = earlier
  const answers = open({ current: () => served })
  const last = `/snapshot?snapshot=${current!.snapshot}`
  assert.match(await refusal(answers.answer(last, 0, free)), /^not_found: no snapshot has an id/)
  served = current!
  assert.match(await textOf(answers.answer(last, 0, free)), current!.snapshot)
  await answers.close()
})

test('the policy of now counts, also after a change', async () => {
  const reader = await openReader(first)
  const { cve_id: id } = (await reader.list({ limit: 1 })).data[0]!
  await reader.close()
  let policy: Policy | null = null
  const answers = open({ policy: () => policy })
  const ask = (tier: number) => answers.answer(`/cves/${id}?snapshot=${oldest!.snapshot}`, tier, free)
  assert.match(await textOf(ask(0)), id)
  policy = [{ tier: 2, ids: [id as never], state: null, assigners: null }]
  assert.match(await refusal(ask(1)), /^tier_restricted: /)
  assert.match(await textOf(ask(2)), id)
  policy = [{ tier: 3, ids: [id as never], state: null, assigners: null }]
  assert.match(await refusal(ask(2)), /^tier_restricted: /)
  await answers.close()
})

test('several purls take quota for each, and none is left when it is used up', async () => {
  const answers = open()
  const purls = Array.from({ length: 5 }, (_, i) => `purl=pkg:npm/a${i}@1`).join('&')
  const asked = `/affected?${purls}&snapshot=${oldest!.snapshot}`
  let taken = 0
  await answers.answer(asked, 0, () => void taken++)
  assert.is(taken, 4)
  const limited = answers.answer(asked, 0, async () => {
    if (++taken > 6) throw rateLimited('no quota is left', 7)
  })
  const error = (await failed(limited)) as Error & { code: string; retryAfterSeconds: number }
  assert.equal(
    [error.code, error.message, error.retryAfterSeconds],
    ['rate_limited', 'no quota is left; retry in 7 seconds', 7],
  )
  await answers.close()
})

test('API 6.15: past its deadline a request is overloaded, and more than may wait are refused at once', async () => {
  const silent = threadThat('silent', `parentPort.on('message', () => {})`)
  const answers = open({ thread: silent, deadlineMs: 50, maxWaiting: 2 })
  const asked = [1, 2, 3].map(() => refusal(answers.answer(target, 0, free)))
  assert.match((await asked[2])!, /^overloaded: too many requests for earlier snapshots are queued/)
  assert.match((await asked[0])!, /^overloaded: .* took longer than 50 ms/)
  // The thread still works on both.
  assert.match(await refusal(answers.answer(target, 0, free)), /queued/)
  await answers.close()
})

for (const [name, code] of [
  ['crashes', `parentPort.on('message', ({ kind }) => { if (kind === 'ask') throw new Error('crashed') })`],
  ['hangs', `parentPort.on('message', ({ kind }) => { if (kind === 'ask') for (;;); })`],
] as const) {
  test(`after a thread that ${name}, the next request gets a new one`, async () => {
    const mark = join(folder.path, name)
    const real = new URL('../../../gateway/earlier/thread.ts', import.meta.url).href
    const thread = threadThat(
      name,
      `import { existsSync, writeFileSync } from 'node:fs'
      if (existsSync(${JSON.stringify(mark)})) await import(${JSON.stringify(real)})
      else { writeFileSync(${JSON.stringify(mark)}, ''); ${code} }`,
    )
    const answers = open({ thread, deadlineMs: 5000, graceMs: 0 })
    const error = await failed(answers.answer(target, 0, free))
    assert.match(error!.message, name === 'hangs' ? 'took longer than 5000 ms' : 'crashed')
    // The thread that hangs is given up after its time of grace.
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.match(await textOf(answers.answer(target, 0, free)), oldest!.snapshot)
    await answers.close()
  })
}

test.after(() => folder.remove())

test.run()
