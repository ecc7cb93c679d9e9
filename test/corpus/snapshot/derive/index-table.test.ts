/** The index: its core segments match those of the members, and other formats are rejected. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { gunzipFile } from '../../../../corpus/snapshot/codec/inflate.ts'
import { decodeTable, encodeTable } from '../../../../corpus/snapshot/codec/table.ts'
import {
  CORE,
  CORE_NUMBERS,
  coreEnd,
  decodeIndex,
  encodeIndex,
  type Index,
  idAt,
} from '../../../../corpus/snapshot/derive/index-table.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { fileOf, readCurrent, readObject } from '../../../../corpus/snapshot/files/layout.ts'
import { decodeEpss } from '../../../../corpus/snapshot/record/epss.ts'
import { membersOf } from '../../../../corpus/snapshot/record/shard.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { sharedSample } from '../../../support/samples.ts'

const folder = temporaryFolder('index-table')
const { dist } = await sharedSample('usual')
const { manifest } = readCurrent(dist)
const index = decodeIndex(readObject(dist, fileOf(manifest, 'index', 'cve')))

const isError = (code: string) => (error: unknown) => error instanceof SnapshotError && error.code === code

test('of each core segment the index says what the table of its member says', () => {
  let row = 0
  for (const [number, name] of index.shards.entries()) {
    for (const { at, key, segments } of membersOf(readObject(dist, fileOf(manifest, 'cve', name)))) {
      const [core] = segments
      assert.is(idAt(index, row), key)
      assert.is(index.shard[row], number)
      assert.is(coreEnd(index, row), core!.offset + core!.length)
      const numbers = index.coreSegments.subarray(row * CORE_NUMBERS)
      assert.is(numbers[CORE.at], at + core!.offset)
      assert.is(numbers[CORE.length], core!.length)
      assert.is(numbers[CORE.plainLength], core!.plainLength)
      assert.is(numbers[CORE.plainCrc], core!.plainCrc)
      assert.is(numbers[CORE.storedCrc], core!.storedCrc)
      row++
    }
  }
  assert.is(row, index.count)
})

test('an index reads back as it was written', () => {
  assert.equal(decodeIndex(encodeIndex(index)), index)
})

test('core segments that are too few, or missing, are damage', () => {
  const short: Index = { ...index, coreSegments: index.coreSegments.slice(1) }
  assert.throws(() => decodeIndex(encodeIndex(short)), isError('malformed'))
  const { about, columns, cuts } = decodeTable(encodeIndex(index))
  const { coreSegments, ...others } = columns
  assert.throws(() => decodeIndex(encodeTable({ about, columns: others, cuts })), isError('malformed'))
})

test('an index has the EPSS scores of its snapshot', () => {
  const epss = decodeEpss(gunzipFile('epss', readObject(dist, fileOf(manifest, 'epss'))))
  assert.equal(index.epss, epss)
})

test('ids out of order, and shards that the header does not name, are damage', () => {
  const table = decodeTable(encodeIndex(index))
  const { about, columns } = table
  const decode = (changed: object) => () => decodeIndex(encodeTable({ ...table, ...changed }))
  const numberLow = columns.numberLow!.toReversed()
  assert.throws(decode({ columns: { ...columns, numberLow } }), isError('malformed'))
  for (const shards of [index.shards.slice(1), ['x', ...index.shards.slice(1)], null]) {
    assert.throws(decode({ about: { ...about, shards } }), isError('malformed'))
  }
  assert.throws(decode({ about: { ...about, date: 'today' } }), isError('malformed'))
})

test.after(() => folder.remove())

test.run()
