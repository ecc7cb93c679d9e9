import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Random } from '../../../../corpus/sample/random.ts'
import { MAX_ROW_BYTES } from '../../../../corpus/snapshot/bounds.ts'
import { textCache } from '../../../../corpus/snapshot/query/text-cache.ts'
import { BORDER, blockBytes, finder, foldTexts } from '../../../../corpus/snapshot/query/texts.ts'

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
  for (const key of ['a', 'a']) get(key)
  assert.equal(made.splice(0), ['1a', '1a'])
  cache.select(1)
  assert.not.ok(cache.isFull())
  for (const key of ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd', 'a']) get(key)
  assert.equal(made.splice(0), ['1a', '1b', '1c', '1d', '1d'])
  assert.ok(cache.isFull())
  for (const key of ['a', 'a']) get(key, 12)
  cache.drop(12)
  get('a')
  assert.equal(made.splice(0), ['12a', '12a'])
  cache.select(12)
  assert.not.ok(cache.isFull())
  for (const key of ['a', 'a']) get(key, 12)
  get('a')
  assert.equal(made.splice(0), ['12a', '1a'])
  cache.drop(12)
  for (const key of ['a', 'a']) get(key, 12)
  assert.equal(made, ['12a', '12a'])
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
    cache.select(0)
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

test('a search string longer than 32 KiB is rejected', () => {
  const cache = textCache(1024)
  const block = cache.get(0, 'a', 1, () => rowOf('a'))
  block.entries[0] = 0
  assert.is(block.find(new Uint8Array(32 * 1024).fill(97), 1), 0)
  assert.throws(() => block.find(new Uint8Array(32 * 1024 + 1), 1), RangeError)
})

test('the largest row is searched to its end, even if it does not fit in the cache', () => {
  const row = Buffer.alloc(MAX_ROW_BYTES, 'x')
  const end = 'the last 17 bytes'
  row.write(end, row.length - end.length - 1)
  for (const border of [0, 2, row.length - 1]) row[border] = BORDER
  const block = textCache(0).get(0, 'a', 1, () => row)
  for (const [needle, found] of [
    [end, 1],
    [`${end}x`, 0],
  ] as const) {
    block.entries[0] = 0
    assert.is(block.find(Buffer.from(needle), 1), found)
  }
})

test.run()
