import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jsonAnswer } from '../../../corpus/answers/answer.ts'
import { type EncodedAnswer, encoded } from '../../../gateway/http/encoded-answer.ts'
import { responseCache } from '../../../gateway/http/response-cache.ts'

/** Memory of an entry in addition to its body, with a key of one character. */
const BESIDE = 402

/** A cache with two generations of four answers each, and how often each answer was made. */
function setUp(bytes = 2 * 4 * (10 + BESIDE)) {
  const cache = responseCache(bytes)
  const made = new Map<string, number>()
  const first = {}
  const ask = (key: string, length = 10, snapshot: object = first): EncodedAnswer => {
    const known = cache.find(snapshot, key)
    if (known) return known
    made.set(key, (made.get(key) ?? 0) + 1)
    return cache.keep(snapshot, key, {
      servedFrom: 'merge',
      snapshotId: 'snapshot',
      tag: `tag of ${key}`,
      gzip: () => Buffer.alloc(length, key),
      identity: () => Buffer.from(`identity of ${key}`),
    })
  }
  const body = (key: string, length?: number, snapshot?: object) => ask(key, length, snapshot).gzip().toString()
  return { ask, body, times: (key: string) => made.get(key) ?? 0 }
}

test('an answer is made twice, then kept', () => {
  const { body, times } = setUp()
  for (let i = 0; i < 5; i++) assert.is(body('a'), 'aaaaaaaaaa')
  assert.is(times('a'), 2)
})

test('a kept answer is the one that was made, in both codings', () => {
  const cache = responseCache(1e6)
  const made = encoded(jsonAnswer({ text: 'kept' }, 'merge', 'snapshot'))
  for (let time = 0; time < 2; time++) cache.keep(cache, 'a', made).gzip()
  const { servedFrom, snapshotId, tag, identity, gzip } = cache.find(cache, 'a')!
  assert.equal([servedFrom, snapshotId, tag], ['merge', 'snapshot', made.tag])
  assert.is(identity().toString(), '{"text":"kept"}')
  assert.equal(gzip(), made.gzip())
})

test('an answer without a body is not kept', () => {
  const { ask, times } = setUp()
  for (let i = 0; i < 5; i++) assert.is(ask('a').tag, 'tag of a')
  assert.is(times('a'), 5)
})

test('answers that are requested once evict nothing', () => {
  const { body, times } = setUp()
  body('a')
  body('a')
  for (const key of 'bcdefghijklmnopqrstuvwxyz') body(key)
  body('a')
  assert.is(times('a'), 2)
})

test('more answers than fit evict those not requested for longest', () => {
  const { body, times } = setUp()
  for (const key of 'abcdefghi') for (let i = 0; i < 2; i++) body(key)
  body('i')
  body('a')
  assert.equal([times('i'), times('a')], [2, 3])
})

test('another snapshot has other answers', () => {
  const { body, times } = setUp()
  for (let i = 0; i < 3; i++) body('a')
  const second = {}
  for (let i = 0; i < 3; i++) body('a', 10, second)
  assert.is(times('a'), 3)
  body('a')
  assert.is(times('a'), 4)
})

test('an answer of more than half the memory is not kept', () => {
  const { body, times } = setUp()
  for (let i = 0; i < 5; i++) assert.is(body('a', 4 * (10 + BESIDE)), 'a'.repeat(4 * (10 + BESIDE)))
  assert.is(times('a'), 5)
})

test.run()
