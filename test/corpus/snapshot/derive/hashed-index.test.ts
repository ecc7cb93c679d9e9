/** The index of hashed shards: every key is found in its shard, and damaged tables are rejected. */
import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  blockRows,
  blockSpan,
  decodeBlock,
  decodeTable,
  encodeTable,
  locateTable,
  type TableHeader,
  tableContent,
} from '../../../../corpus/snapshot/codec/table.ts'
import { hashBlock } from '../../../../corpus/snapshot/derive/hashed-table.ts'
import {
  decodeHashedIndex,
  encodeHashedIndex,
  hashedPositions,
  readPackageTables,
} from '../../../../corpus/snapshot/derive/package-tables.ts'
import type { Manifest } from '../../../../corpus/snapshot/files/manifest.ts'
import { keyHash, shardOfHash } from '../../../../corpus/snapshot/record/hashed-shard.ts'

const keys = Array.from({ length: 1500 }, (_, i) => `npm/@scope/name-${i}-é`)
const rows = { keys, at: keys.map((_, i) => i * 10), length: keys.map((_, i) => i + 1) }
const bytes = encodeHashedIndex(rows)
const table = decodeTable(bytes)

test('each key is found where its row says, in the shard that the upper bits of its hash name', () => {
  for (const shards of [1, 2, 16, 1024]) {
    const index = decodeHashedIndex(table, shards)
    for (const [i, key] of keys.entries()) {
      const hash = BigInt(`0x${createHash('sha256').update(key).digest('hex')}`)
      const shard = Number((hash * BigInt(shards)) >> 256n)
      assert.equal(hashedPositions(index, key), [{ shard, at: i * 10, length: i + 1 }])
    }
    assert.equal(hashedPositions(index, 'npm/nothing'), [])
  }
})

test('each key is found in its block, and not in another', () => {
  const header = locateTable(bytes) as TableHeader
  const blocks = blockRows(header, 'hashHigh').map((_, block) => {
    const { at, length } = blockSpan(header, 'hashHigh', block)
    return decodeBlock(header, 'hashHigh', block, bytes.subarray(at, at + length))
  })
  assert.is(blocks.length, 8)
  for (const [i, key] of keys.entries()) {
    const own = hashBlock(header, keyHash(key))
    blocks.forEach((block, number) => {
      const found = hashedPositions(decodeHashedIndex(block, 1), key)
      assert.equal(found, number === own ? [{ shard: 0, at: i * 10, length: i + 1 }] : [])
    })
  }
})

test('the last hash is in the last shard', () => {
  assert.is(shardOfHash(0xffffffff, 1024), 1023)
  assert.is(shardOfHash(0xffffffff, 1), 0)
})

test('keys with one hash are all candidates', () => {
  const { high, low } = keyHash('PyPI/one')
  const [hashHigh, hashLow] = [Uint32Array.of(high, high, 0xffffffff), Uint32Array.of(low, low, 0xffffffff)]
  const columns = { hashHigh, hashLow, at: Uint32Array.of(7, 3, 1), length: Uint32Array.of(1, 2, 3) }
  const index = decodeHashedIndex({ columns }, 1)
  assert.equal(hashedPositions(index, 'PyPI/one'), [
    { shard: 0, at: 7, length: 1 },
    { shard: 0, at: 3, length: 2 },
  ])
})

test('the order of the rows does not change the table, and positions do not change its content', () => {
  const turned = { keys: keys.toReversed(), at: rows.at.toReversed(), length: rows.length.toReversed() }
  assert.equal(encodeHashedIndex(turned), bytes)
  const contentOf = (of: typeof rows) => tableContent(decodeTable(encodeHashedIndex(of)))
  assert.is(contentOf({ ...rows, at: rows.at.map((at) => at + 1) }), contentOf(rows))
  assert.is.not(contentOf({ ...rows, keys: keys.with(3, 'npm/other') }), contentOf(rows))
})

test('a snapshot without shards has no index, and an impossible number of shards is rejected', () => {
  const read = (files: unknown[]) => readPackageTables({ files } as Manifest, () => bytes)
  assert.equal(hashedPositions(read([]).packages, keys[0]!), [])
  for (const shards of [0, 3, 500, 8192]) {
    assert.throws(() => decodeHashedIndex(table, shards), new RegExp(`does not go with ${shards} shards$`))
  }
  const file = { role: 'packages', name: '0000' }
  assert.throws(() => read([file, file]), /there is no index of packages$/)
  assert.throws(() => read([{ role: 'index', name: 'packages' }]), /does not go with 0 shards$/)
})

test('a table that is out of order, uneven or incomplete is rejected', () => {
  const { columns } = table
  const decode = (changed: object) =>
    decodeHashedIndex(decodeTable(encodeTable({ about: {}, columns: { ...columns, ...changed } })), 4)
  const high = columns.hashHigh as Uint32Array
  for (const name of ['hashHigh', 'hashLow', 'at', 'length']) {
    assert.throws(() => decode({ [name]: columns[name]!.slice(1) }), /has columns of different lengths$/, name)
    assert.throws(() => decode({ [name]: new Uint8Array(keys.length) }), /has no u32 column/, name)
  }
  assert.throws(() => decode({ hashHigh: high.toReversed() }), /is out of order$/)
  const equal = Uint32Array.from(high, () => 5)
  assert.throws(() => decode({ hashHigh: equal, hashLow: equal.with(0, 6) }), /is out of order$/)
  assert.throws(() => decodeTable(bytes.subarray(0, bytes.length - 8)), /another length than its header states$/)
})

test.run()
