import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Random } from '../../../../corpus/sample/random.ts'
import { textCache } from '../../../../corpus/snapshot/query/text-cache.ts'
import { blockBytes, ENTRIES_PER_BLOCK, finder, foldTexts } from '../../../../corpus/snapshot/query/texts.ts'

/** A block with one entry. It takes 16 bytes of cache. */
const rowOf = (key: string) => Buffer.from(blockBytes(foldTexts({ keys: [key], labels: [''] }), 0))

test('the texts of one database stay in the cache, as many as fit', () => {
  const row = rowOf('a')
  const cache = textCache(3 * 16)
  const made: string[] = []
  const get = (of: string, from = 1) => {
    const { bytes, keyAt } = cache.get(from, of, 1, () => {
      made.push(`${from}${of}`)
      return row
    })
    assert.equal(Buffer.from(bytes.subarray(keyAt[0]! - 1, keyAt[1])), row)
  }
  assert.not.ok(cache.isFull())
  for (const key of ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd', 'a']) get(key)
  assert.equal(made.splice(0), ['1a', '1b', '1c', '1d', '1d'])
  assert.ok(cache.isFull())
  for (const key of ['a', 'a']) get(key, 12)
  get('a')
  cache.drop(12)
  get('a')
  assert.equal(made.splice(0), ['12a', '12a'])
  cache.select(12)
  assert.not.ok(cache.isFull())
  for (const key of ['a', 'a']) get(key, 12)
  get('a')
  assert.equal(made.splice(0), ['12a', '1a'])
  cache.drop(12)
  for (const key of ['a', 'a']) get(key)
  assert.equal(made, ['1a'])
})

test('WebAssembly finds the same occurrences as the JavaScript search', () => {
  const random = new Random('find')
  const letters = 'aab\u00e9\u4e2d '
  const textOf = (most: number) =>
    Array.from({ length: random.int(most + 1) }, () => letters[random.int(letters.length)]).join('')
  for (const longest of [0, 3, 20, 400]) {
    const keys = Array.from({ length: 300 }, () => textOf(longest))
    const labels = Array.from({ length: 300 }, () => textOf(longest))
    const texts = foldTexts({ keys, labels })
    const row = blockBytes(texts, 0)
    const cache = textCache(1024 * 1024)
    cache.get(0, 'before', 1, () => rowOf('a'))
    const placed = cache.get(0, 'block', keys.length, () => row)
    const shift = placed.keyAt[0]! - texts.keyAt[0]!
    let matches = 0
    for (let n = 0; n < 300; n++) {
      const from = random.int(row.length)
      const needle = row.slice(from, from + 1 + random.int(Math.min(longest, 40) + 1))
      const asked = Uint32Array.from([...keys.keys()].filter(() => random.int(3) > 0))
      const find = finder(needle)
      const expected = [...asked].flatMap((i) => {
        const at = find(row, texts.keyAt[i]!, texts.keyAt[i + 1]!)
        return at < 0 ? [] : [[i, at + shift]]
      })
      placed.entries.set(asked)
      const count = placed.find(needle, asked.length)
      const found = Array.from({ length: count }, (_, m) => [placed.entries[m], placed.positions[m]])
      assert.equal(found, expected, `${Buffer.from(needle).toString('latin1')}, texts of up to ${longest} characters`)
      matches += count
    }
    assert.ok(matches > 0)
  }
})

test('a search string longer than 64 KiB is rejected', () => {
  const cache = textCache(1024)
  const block = cache.get(0, 'a', 1, () => rowOf('a'))
  block.entries[0] = 0
  assert.is(block.find(new Uint8Array(64 * 1024).fill(97), 1), 0)
  assert.throws(() => block.find(new Uint8Array(64 * 1024 + 1), 1), RangeError)
})

test('the largest block is searched, even if it does not fit in the cache', () => {
  const labels = Array.from({ length: ENTRIES_PER_BLOCK }, (_, i) => `${i} `.padEnd(4096, 'x'))
  const texts = foldTexts({ keys: labels, labels })
  const block = textCache(0).get(0, 'a', labels.length, () => blockBytes(texts, 0))
  for (const [needle, found] of [
    ['x', labels.length],
    ['xy', 0],
  ] as const) {
    block.entries.set(Uint32Array.from(labels.keys()))
    assert.is(block.find(Buffer.from(needle), labels.length), found)
  }
})

test.run()
