/** A source that does not answer: opening fails after a minute without a byte. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openReader } from '../../../corpus/reader/reader.ts'
import type { Answer, NetworkEffects } from '../../../corpus/transfer/network.ts'
import { quietEffects } from '../../support/dist.ts'

/** Timers that a test moves. Those of `node:test` ignore `refresh`. */
class Timer {
  readonly #ms: number
  left: number
  readonly run: () => void

  constructor(run: () => void, ms: number) {
    this.run = run
    this.#ms = ms
    this.left = ms
  }

  refresh(): this {
    this.left = this.#ms
    return this
  }
}
const timers = new Set<unknown>()
const { setTimeout, clearTimeout } = globalThis

function tick(ms: number): void {
  for (const timer of timers as Set<Timer>) {
    timer.left -= ms
    if (timer.left > 0) continue
    timers.delete(timer)
    timer.run()
  }
}

const ADDRESS = 'http://silent.example.com/dist/'

function effectsWith(request: () => Promise<Answer>): NetworkEffects {
  const grow = () => Promise.reject(new Error('nothing is written'))
  return { ...quietEffects(), request, grow, sleep: async () => {}, random: () => 0 }
}

/** Lets everything run that waits for no timer. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate)
}

/** Returns the error of a reader that opens, once it has one. */
function opening(request: () => Promise<Answer>): () => Error | null {
  let failure: Error | null = null
  openReader(ADDRESS, { effects: effectsWith(request) }).catch((error: Error) => {
    failure = error
  })
  return () => failure
}

test('a server without an answer ends the opening after 60 seconds', async () => {
  const failure = opening(() => new Promise(() => {}))
  await turns()
  tick(59_999)
  await turns()
  assert.is(failure(), null)
  tick(1)
  await turns()
  assert.is(failure()?.message, `${ADDRESS}: no answer within 60 s`)
})

test('each byte starts the time again', async () => {
  let send = () => {}
  async function* body() {
    for (;;) {
      await new Promise<void>((resolve) => {
        send = resolve
      })
      yield Buffer.from(' ')
    }
  }
  const failure = opening(async () => ({ status: 200, headers: {}, body: body(), discard: async () => {} }))
  for (let i = 0; i < 4; i++) {
    await turns()
    tick(50_000)
    send()
    await turns()
    assert.is(failure(), null)
  }
  tick(60_000)
  await turns()
  assert.is(failure()?.message, `${ADDRESS}: no answer within 60 s`)
})

test.before(() => {
  const start = (run: () => void, ms: number) => {
    const timer = new Timer(run, ms)
    timers.add(timer)
    return timer
  }
  Object.assign(globalThis, { setTimeout: start, clearTimeout: (timer: unknown) => timers.delete(timer) })
})
test.after(() => void Object.assign(globalThis, { setTimeout, clearTimeout }))
test.run()
