/** Texts of a table that are decoded on demand. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  indexIn,
  lazyStrings,
  slotsOf,
  TEXTS_PER_GROUP,
  type TextOffsets,
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

test('a text is found, and what is none is not', () => {
  const texts = lazyStrings(decoded.kept[0]!, readOf(table))
  const slots = slotsOf(texts)
  for (const [i, id] of ids.entries()) assert.is(indexIn(slots, texts, id), i)
  assert.is(indexIn(slots, texts, 'nobody'), undefined)
  assert.is(indexIn(slotsOf([]), [], 'nobody'), undefined)
})

/** FNV-1a over UTF-16 units. */
function fnv(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Returns the maximum number of slots in a search for one of these texts. */
function longestSearch(texts: readonly string[]): number {
  const slots = slotsOf(texts)
  let most = 0
  for (const text of texts) {
    let steps = 0
    const at = (index: number) => {
      steps++
      return texts[index]
    }
    indexIn(slots, { length: texts.length, at }, text)
    most = Math.max(most, steps)
  }
  return most
}

test('texts chosen to share a slot are found as fast as any', () => {
  const colliding: string[] = []
  // 1,000 texts have 2,048 slots.
  for (let i = 0; colliding.length < 1000; i++) if ((fnv(`vendor ${i}`) & 2047) === 0) colliding.push(`vendor ${i}`)
  assert.ok(longestSearch(colliding) < 60)
  const surrogates = Array.from({ length: 1000 }, (_, i) => String.fromCharCode(0xd800 + i))
  assert.ok(longestSearch(surrogates) < 60)
})

test('each table has a key of its own', () => {
  assert.is.not(slotsOf(ids).key, slotsOf(ids).key)
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
