/** Parts of the index: the position of a CVE in its block is that in the whole index, for numbers of any length. */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CveId, compareCveIds, cveBlock, cveIdParts } from '../../../../corpus/model/ids/cve-id.ts'
import {
  type BlockColumns,
  blockOf,
  type IndexBlock,
  indexBlocks,
  positionInBlock,
  rowInBlock,
} from '../../../../corpus/snapshot/derive/index-block.ts'
import type { FileEntry } from '../../../../corpus/snapshot/files/manifest.ts'

const ROW_BYTES = 100

const shardOf = (name: string, count: number) => ({ role: 'cve', name, count, size: count * ROW_BYTES }) as FileEntry

/** Near the limits of the lower half, and in one block often. */
const numbers = fc
  .tuple(fc.constantFrom(0n, 3000n, 2n ** 32n - 500n, 2n ** 33n, 10n ** 18n), fc.bigInt({ min: 0n, max: 1500n }))
  .map(([base, more]) => base + more)
const ids = fc
  .tuple(fc.constantFrom(1999, 2024), numbers)
  .map(([year, number]): CveId => `CVE-${year}-${String(number).padStart(4, '0')}`)

function columnsOf(block: IndexBlock, sorted: readonly CveId[]): BlockColumns {
  const own = sorted.slice(block.firstRow, block.firstRow + block.shard.count)
  return {
    numberLow: Uint32Array.from(own, (id) => Number(cveIdParts(id).number & 0xffffffffn)),
    at: Uint32Array.from(own, (_, i) => i * ROW_BYTES),
  }
}

test('every id is found in its row, and no other id is', () => {
  const check = (some: CveId[], others: CveId[]) => {
    const sorted = [...new Set(some)].sort(compareCveIds)
    const shards = Map.groupBy(sorted, cveBlock)
    // In the order of a manifest, which is that of the names.
    const blocks = indexBlocks(
      Array.from(shards, ([name, own]) => shardOf(name, own.length)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    )
    for (const id of [...sorted, ...others]) {
      const block = blockOf(blocks, id)
      const row = sorted.indexOf(id)
      if (!block) {
        assert.is(row, -1)
        continue
      }
      const columns = columnsOf(block, sorted)
      const { position, found } = positionInBlock(block, columns, id)
      assert.is(found, row >= 0)
      if (!found) continue
      assert.is(block.firstRow + position, row)
      const length = ROW_BYTES
      assert.equal(rowInBlock(block, columns, position), { position, id, at: position * ROW_BYTES, length })
    }
  }
  fc.assert(fc.property(fc.array(ids, { minLength: 1, maxLength: 60 }), fc.array(ids, { maxLength: 20 }), check))
})

test('an id with a leading zero has no record', () => {
  const blocks = indexBlocks([shardOf('2024/0xxx', 1)])
  assert.is(blockOf(blocks, 'CVE-2024-0001')?.shard.name, '2024/0xxx')
  assert.is(blockOf(blocks, 'CVE-2024-00001'), undefined)
})

test('numbers that are not those of the block, and other names of shards, are refused', () => {
  const block = indexBlocks([shardOf('2024/3xxx', 2)]).get('2024/3xxx')!
  for (const numberLow of [
    [3001, 3001],
    [3002, 3001],
    [3001, 4000],
    [2999, 3001],
  ]) {
    const columns = { numberLow: Uint32Array.from(numberLow) }
    assert.throws(() => positionInBlock(block, columns, 'CVE-2024-3001'), /index of 2024\/3xxx is damaged/)
  }
  for (const name of ['x', '2024/abcxxx', '2024/', '2024/12345678901234567xxx']) {
    assert.throws(() => indexBlocks([shardOf(name, 1)]), /names a shard of CVEs/, name)
  }
})

test.run()
