/** Texts of a table that are decoded on demand. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  openTexts,
  type StoredTexts,
  TEXTS_PER_GROUP,
  textColumns,
  textsOf,
} from '../../../../corpus/snapshot/codec/stored-texts.ts'
import {
  decodeTable,
  encodeTable,
  locateTable,
  type TableHeader,
  valuesSpan,
} from '../../../../corpus/snapshot/codec/table.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'

/** More than two groups, with every character that JSON escapes, half a surrogate pair, and null. */
const ids: (string | null)[] = Array.from({ length: TEXTS_PER_GROUP * 2 + 5 }, (_, i) => `id ${i}`)
ids[3] = '"],["\\'
ids[5] = '\ud800'
ids[7] = null
ids[TEXTS_PER_GROUP] = 'Ä\n]'
ids[20] = 'x'.repeat(200)
const table = encodeTable({ about: {}, columns: { one: Uint32Array.of(1, 2, 3), ...textColumns('ids', ids) } })
const decode = (bytes: Uint8Array, count = ids.length): StoredTexts => textsOf(decodeTable(bytes), 'ids', count)
const stored = decode(table)
const readOf = (bytes: Uint8Array) => (at: number, length: number) => bytes.subarray(at, at + length)

test('each is read again as it was, and it is known which are long', () => {
  const texts = openTexts(stored, readOf(table))
  assert.is(texts.length, ids.length)
  assert.equal(
    Array.from(ids, (_, i) => texts.at(i)),
    ids,
  )
  assert.is(texts.at(ids.length), undefined)
  assert.is(texts.at(-1), undefined)
  assert.equal([...stored.long], [20])
})

test('there can be none', () => {
  const none = encodeTable({ about: {}, columns: textColumns('ids', []) })
  assert.is(openTexts(decode(none, 0), readOf(none)).at(0), undefined)
})

test('any bit that flips in the texts is noticed', () => {
  const { at, length } = valuesSpan(
    locateTable(table) as TableHeader,
    'ids.texts',
    0,
    stored.starts.at(-1)! - stored.starts[0]!,
  )
  for (let byte = at; byte < at + length; byte++) {
    const damaged = Buffer.from(table)
    damaged[byte]! ^= 1
    const group = stored.starts.findLastIndex((start) => start <= byte)
    const texts = openTexts(stored, readOf(damaged))
    assert.throws(() => texts.at(group * TEXTS_PER_GROUP), /texts of a table are damaged/, `byte ${byte}`)
  }
})

test('texts that are none, and places that lie, are refused', () => {
  const { about, columns } = decodeTable(table)
  const isMalformed = (error: unknown) => error instanceof SnapshotError && error.code === 'malformed'
  const starts = columns['ids.starts'] as Uint32Array
  for (const changed of [
    { 'ids.starts': starts.with(1, 0) },
    { 'ids.starts': starts.with(0, 1) },
    { 'ids.starts': starts.with(3, starts[3]! + 1) },
    { 'ids.crcs': columns['ids.crcs']!.slice(1) },
    { 'ids.long': Uint32Array.of(ids.length) },
  ]) {
    assert.throws(() => decode(encodeTable({ about, columns: { ...columns, ...changed } })), isMalformed)
  }
  for (const count of [ids.length + TEXTS_PER_GROUP, 1]) assert.throws(() => decode(table, count), isMalformed)
  const texts = openTexts(decode(table, ids.length + 1), readOf(table))
  assert.throws(() => texts.at(ids.length), /wrong number of texts/)
  const [numbers] = [textColumns('ids', ['1'])]
  const wrong = encodeTable({ about: {}, columns: { ...numbers, 'ids.texts': new Uint8Array(Buffer.from('111')) } })
  assert.throws(() => openTexts(decode(wrong, 1), readOf(wrong)).at(0), /damaged/)
})

test.run()
