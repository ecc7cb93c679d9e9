/** The index of hashed shards: every key is found in its shard, and damaged tables are rejected. */
import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeTable, encodeTable } from '../../../../corpus/snapshot/codec/table.ts'
import {
  decodeHashedIndex,
  encodeHashedTable,
  hashedContent,
  hashedPositions,
  hashedTable,
} from '../../../../corpus/snapshot/derive/hashed-index.ts'
import { keyHash, shardOfHash } from '../../../../corpus/snapshot/record/hashed-shard.ts'

const keys = Array.from({ length: 500 }, (_, i) => `npm/@scope/name-${i}-é`)
const rows = { keys, at: keys.map((_, i) => i * 10), length: keys.map((_, i) => i + 1) }
const bytes = encodeHashedTable(hashedTable(rows))

test('each key is found where its row says, in the shard that the upper bits of its hash name', () => {
  for (const shards of [1, 2, 16, 1024]) {
    const index = decodeHashedIndex(bytes, shards)
    for (const [i, key] of keys.entries()) {
      const hash = BigInt(`0x${createHash('sha256').update(key).digest('hex')}`)
      const shard = Number((hash * BigInt(shards)) >> 256n)
      assert.equal(hashedPositions(index, key), [{ shard, at: i * 10, length: i + 1 }])
    }
    assert.equal(hashedPositions(index, 'npm/nothing'), [])
  }
})

test('the last hash is in the last shard', () => {
  assert.is(shardOfHash(0xffffffff, 1024), 1023)
  assert.is(shardOfHash(0xffffffff, 1), 0)
})

test('keys with one hash are all candidates', () => {
  const { high, low } = keyHash('PyPI/one')
  const [hashHigh, hashLow] = [Uint32Array.of(high, high, 0xffffffff), Uint32Array.of(low, low, 0xffffffff)]
  const table = { hashHigh, hashLow, at: Uint32Array.of(7, 3, 1), length: Uint32Array.of(1, 2, 3) }
  const index = decodeHashedIndex(encodeHashedTable(table), 1)
  assert.equal(hashedPositions(index, 'PyPI/one'), [
    { shard: 0, at: 7, length: 1 },
    { shard: 0, at: 3, length: 2 },
  ])
})

test('the order of the rows does not change the table, and positions do not change its content', () => {
  const turned = { keys: keys.toReversed(), at: rows.at.toReversed(), length: rows.length.toReversed() }
  assert.equal(encodeHashedTable(hashedTable(turned)), bytes)
  const elsewhere = { ...rows, at: rows.at.map((at) => at + 1) }
  assert.is(hashedContent(hashedTable(elsewhere)), hashedContent(hashedTable(rows)))
  assert.is.not(
    hashedContent(hashedTable({ ...rows, keys: keys.with(3, 'npm/other') })),
    hashedContent(hashedTable(rows)),
  )
})

test('a snapshot without shards has no index, and an impossible number of shards is rejected', () => {
  const none = decodeHashedIndex(null, 0)
  assert.equal(hashedPositions(none, keys[0]!), [])
  for (const shards of [0, 3, 500, 8192]) {
    assert.throws(() => decodeHashedIndex(bytes, shards), new RegExp(`does not go with ${shards} shards$`))
  }
  assert.throws(() => decodeHashedIndex(null, 2), /does not go with 2 shards$/)
})

test('a table that is out of order, uneven or incomplete is rejected', () => {
  const { columns } = decodeTable(bytes)
  const decode = (changed: object) =>
    decodeHashedIndex(encodeTable({ about: {}, columns: { ...columns, ...changed } }), 4)
  const high = columns.hashHigh as Uint32Array
  for (const name of ['hashHigh', 'hashLow', 'at', 'length']) {
    assert.throws(() => decode({ [name]: columns[name]!.slice(1) }), /has columns of different lengths$/, name)
    assert.throws(() => decode({ [name]: new Uint8Array(keys.length) }), /has no u32 column/, name)
  }
  assert.throws(() => decode({ hashHigh: high.toReversed() }), /is out of order$/)
  const equal = Uint32Array.from(high, () => 5)
  assert.throws(() => decode({ hashHigh: equal, hashLow: equal.with(0, 6) }), /is out of order$/)
  assert.throws(() => decodeHashedIndex(bytes.subarray(0, bytes.length - 8), 4), /outside its table$/)
})

test.run()
