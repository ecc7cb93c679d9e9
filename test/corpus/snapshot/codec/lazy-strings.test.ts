/** Texts of a table that are decoded on demand. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  lazyStrings,
  TEXTS_PER_GROUP,
  type TextOffsets,
  textLookup,
} from '../../../../corpus/snapshot/codec/lazy-strings.ts'
import { decodeWithoutTexts, encodeTable } from '../../../../corpus/snapshot/codec/table.ts'

const LONG = 'x'.repeat(200)
/** More than two groups, with every character that JSON escapes. */
const ids = Array.from({ length: TEXTS_PER_GROUP * 2 + 5 }, (_, i) => `id ${i}`)
ids[3] = '"],["\\'
ids[TEXTS_PER_GROUP] = 'Ä\n]'
ids[20] = LONG
const about = { before: ['a', 'b'], ids, mixed: [...ids, null], after: { numbers: [1, 2] } }
const columns = { one: Uint32Array.of(1, 2, 3) }
const table = encodeTable({ about, columns })
const decoded = decodeWithoutTexts(table, ids.length)
const readOf = (bytes: Uint8Array) => (at: number, length: number) => bytes.subarray(at, at + length)

test('long arrays of texts are left where they are, everything else is as it was', () => {
  assert.equal(decoded.about, { ...about, ids: { kept: 0 } })
  assert.equal(decoded.columns, columns)
  assert.is(decoded.kept.length, 1)
  assert.is(decodeWithoutTexts(table, ids.length + 1).kept.length, 0)
})

test('each is read again as it was, and it is known which are long', () => {
  const texts = lazyStrings(decoded.kept[0]!, readOf(table))
  assert.is(texts.length, ids.length)
  assert.equal(
    Array.from(ids, (_, i) => texts.at(i)),
    ids,
  )
  assert.is(texts.at(ids.length), undefined)
  assert.is(texts.at(-1), undefined)
  assert.equal([...decoded.kept[0]!.long], [20])
})

test('a text is found, else the first with its key, and what is none is not', () => {
  const texts = lazyStrings(decoded.kept[0]!, readOf(table))
  const find = textLookup(texts)
  for (const [i, id] of ids.entries()) assert.is(find(id), i)
  assert.is(find('nobody'), undefined)
  assert.is(find('ID 1'), undefined)
  assert.is(textLookup([])('nobody'), undefined)
  const byCase = textLookup(['b', 'A', 'a', 'AA', 'aA'], (text) => text.toLowerCase())
  assert.equal(['a', 'A', 'B', 'aa', 'c'].map(byCase), [2, 1, 0, 3, undefined])
})

test('nothing is read before the first text is looked up, and all once', () => {
  let reads = 0
  const find = textLookup({
    length: 3,
    at(index) {
      reads++
      return ids[index]
    },
  })
  assert.is(reads, 0)
  assert.is(find('id 2'), 2)
  assert.is(find('nobody'), undefined)
  assert.is(reads, 3)
})

test('any bit that flips in the texts is noticed', () => {
  const positions = decoded.kept[0]!
  for (let at = positions.starts[0]!; at < positions.starts.at(-1)! - 1; at++) {
    const damaged = Buffer.from(table)
    damaged[at]! ^= 1
    const texts = lazyStrings(positions, readOf(damaged))
    const group = positions.starts.findLastIndex((start) => start <= at)
    // The comma between two groups belongs to neither.
    if (at === positions.starts[group + 1]! - 1) continue
    assert.throws(() => texts.at(group * TEXTS_PER_GROUP), /texts of a table are damaged/, `byte ${at}`)
  }
})

test('texts that are none, and places that lie, are refused', () => {
  const positions: TextOffsets = { ...decoded.kept[0]!, count: 1000 }
  const texts = lazyStrings(positions, readOf(table))
  assert.throws(() => texts.at(ids.length), /wrong number of texts/)
  const torn = Buffer.from(table)
  torn.write('{"about":{"ids":["a', 12)
  torn.fill('a', 31)
  assert.throws(() => decodeWithoutTexts(torn, 1), /has an unterminated string$/)
})

test.run()
