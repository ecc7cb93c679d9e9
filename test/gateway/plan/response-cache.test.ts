import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../gateway/http/answer.ts'
import { responseCache } from '../../../gateway/plan/response-cache.ts'

/** What an answer counts beside its body, with a key of one character. */
const BESIDE = 402

/** A memory of eight answers, and how often each answer was made. */
function setUp(bytes = 8 * (10 + BESIDE)) {
  const memory = responseCache(bytes)
  const made = new Map<string, number>()
  const ask = (key: string, length = 10): Answer =>
    memory.of(key, () => {
      made.set(key, (made.get(key) ?? 0) + 1)
      return {
        servedFrom: 'merge',
        snapshotId: 'snapshot',
        tag: `tag of ${key}`,
        gzip: () => Buffer.alloc(length, key),
        identity: () => Buffer.from(`identity of ${key}`),
      }
    })
  const body = (key: string, length = 10) => ask(key, length).gzip().toString()
  return { ask, body, times: (key: string) => made.get(key) ?? 0 }
}

test('what is asked for twice is made twice, then remembered', () => {
  const { body, times } = setUp()
  for (let i = 0; i < 5; i++) assert.is(body('a'), 'aaaaaaaaaa')
  assert.is(times('a'), 2)
})

test('a remembered answer is the one that was made, in both codings', () => {
  const { ask, body } = setUp()
  body('a')
  body('a')
  const { servedFrom, snapshotId, tag, identity, gzip } = ask('a')
  assert.equal([servedFrom, snapshotId, tag], ['merge', 'snapshot', 'tag of a'])
  assert.is(identity().toString(), 'identity of a')
  assert.is(gzip().toString(), 'aaaaaaaaaa')
})

test('an answer without a body is not cached', () => {
  const { ask, times } = setUp()
  for (let i = 0; i < 5; i++) assert.is(ask('a').tag, 'tag of a')
  assert.is(times('a'), 5)
})

test('the newest take the place of the oldest, whatever their lengths', () => {
  const { body, times } = setUp()
  const keys = [...'abcdefghijklmnopqrstuvwxyz']
  const length = (key: string) => 1 + (key.charCodeAt(0) % 10)
  for (let round = 0; round < 20; round++) {
    for (const key of keys.slice(round, round + 7)) {
      for (let i = 0; i < 3; i++) assert.is(body(key, length(key)), key.repeat(length(key)))
    }
  }
  // Each is in seven rounds, three times in each: made twice at first, and again only where it had to give way.
  for (const key of keys.slice(6, 20)) assert.ok(times(key) < 12, `${key}: ${times(key)}`)
  const before = times('z')
  body('z', length('z'))
  assert.is(times('z'), before)
})

test('an answer that gives way before its body is wanted is made again', () => {
  const { ask, body, times } = setUp()
  body('a')
  body('a')
  const held = ask('a')
  for (const key of 'bcdefghij') for (let i = 0; i < 2; i++) body(key)
  assert.is(times('a'), 2)
  assert.is(held.gzip().toString(), 'aaaaaaaaaa')
  assert.is(times('a'), 3)
})

test('a body that was handed out does not change when its place is taken', () => {
  const { body, ask } = setUp()
  body('a')
  body('a')
  const handed = ask('a').gzip()
  for (const key of 'bcdefghij') for (let i = 0; i < 2; i++) body(key)
  assert.is(handed.toString(), 'aaaaaaaaaa')
})

test('what would take much of the memory is not kept', () => {
  const { body, times } = setUp()
  for (let i = 0; i < 5; i++) assert.is(body('a', 11), 'a'.repeat(11))
  assert.is(times('a'), 5)
})

test.run()
