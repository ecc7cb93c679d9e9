/** The index: its core segments match those of the members, and other formats are rejected. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeTable } from '../../../../corpus/snapshot/codec/table.ts'
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
  const { shards, count, coreSegments, ...columns } = index
  assert.throws(() => decodeIndex(encodeTable({ about: { shards }, columns })), isError('malformed'))
})

test.after(() => folder.remove())

test.run()
