/** Ids and EPSS scores by id block, so that a reader of single CVEs reads one block. SPEC.md, "Rows". */
import { cveIdParts, firstOfBlock } from '../../model/ids/cve-id.ts'
import { crc32 } from '../../runtime/crc32.ts'
import { column, decodeTable, encodeTable, type TableHeader } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { type EpssColumns, readRelease } from '../record/epss.ts'
import type { IndexBlock } from './index-block.ts'
import { type IdColumns, type Index, isAscending } from './index-table.ts'

/** The rows of a block, in id order. */
export interface RowBlock {
  numberLow: Uint32Array
  epss: EpssColumns
}

type Release = Pick<EpssColumns, 'date' | 'modelVersion'>

/** Columns of a block: number, score and percentile. Its CRC precedes them. */
const COLUMNS = 3

const wordsAt = (number: number, firstRow: number) => number + COLUMNS * firstRow

export function encodeRowTable({ shards, shard, numberLow, count }: Index, epss: EpssColumns): Buffer {
  const blocks = new Uint32Array(wordsAt(shards.length, count))
  let from = 0
  shards.forEach((name, number) => {
    let to = from
    while (to < count && shard[to] === number) to++
    const words = blocks.subarray(wordsAt(number, from), wordsAt(number + 1, to))
    const columns = [numberLow, epss.scores, epss.percentiles]
    columns.forEach((values, i) => {
      words.set(values.subarray(from, to), 1 + i * (to - from))
    })
    words[0] = crcOf(words, name, epss)
    from = to
  })
  return encodeTable({ about: { date: epss.date, model_version: epss.modelVersion }, columns: { blocks } })
}

/** The CRC also covers what the header states, because a reader of a block has no digest of the header. */
function crcOf(words: Uint32Array, name: string, { date, modelVersion }: Release): number {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength).subarray(words.BYTES_PER_ELEMENT)
  return crc32(bytes, crc32(JSON.stringify([date, modelVersion, name])))
}

/**
 * Decodes the whole table, whose digest was checked.
 * @throws SnapshotError `malformed`
 */
export function decodeRowTable(
  bytes: Uint8Array,
  blocks: ReadonlyMap<string, IndexBlock>,
): { index: IdColumns; epss: EpssColumns } {
  const table = decodeTable(bytes)
  const words = column(table, 'blocks', 'u32')
  const all = [...blocks.values()].sort((a, b) => a.number - b.number)
  const count = all.reduce((sum, { shard }) => sum + shard.count, 0)
  const release = readRelease(table.about.date, table.about.model_version)
  if (!release || words.length !== wordsAt(all.length, count)) throw damaged()
  const index = {
    count,
    year: new Uint16Array(count),
    numberHigh: new Uint32Array(count),
    numberLow: new Uint32Array(count),
  }
  const epss = { ...release, scores: new Uint32Array(count), percentiles: new Uint32Array(count) }
  for (const { shard, number, firstRow, firstNumber } of all) {
    const first = wordsAt(number, firstRow) + 1
    const columns = [index.numberLow, epss.scores, epss.percentiles]
    columns.forEach((values, i) => {
      values.set(words.subarray(first + i * shard.count, first + (i + 1) * shard.count), firstRow)
    })
    const end = firstRow + shard.count
    index.year.fill(cveIdParts(firstOfBlock(shard.name)).year, firstRow, end)
    index.numberHigh.fill(Number(firstNumber >> 32n), firstRow, end)
    // A block of 1,000 numbers can contain a multiple of 2^32.
    const low = Number(firstNumber & 0xffffffffn)
    for (let row = firstRow; row < end; row++) if (index.numberLow[row]! < low) index.numberHigh[row]!++
  }
  if (!isAscending(index)) throw damaged()
  return { index, epss }
}

/**
 * Returns the byte range of a block in its table.
 * @throws SnapshotError `malformed`
 */
export function rowBlockSpan({ columns }: TableHeader, { shard, number, firstRow }: IndexBlock) {
  const blocks = columns.get('blocks')
  const end = wordsAt(number + 1, firstRow + shard.count)
  if (blocks?.type !== 'u32' || end > blocks.length) throw damaged()
  const start = wordsAt(number, firstRow)
  return { at: blocks.at + start * 4, length: (end - start) * 4 }
}

/**
 * Decodes a block from the bytes of its range.
 * @throws SnapshotError `malformed`, or `digest` when they are damaged
 */
export function decodeRowBlock({ about }: TableHeader, { shard }: IndexBlock, bytes: Uint8Array): RowBlock {
  const release = readRelease(about.date, about.model_version)
  if (!release) throw damaged()
  // Copies the bytes: a column must be aligned.
  const words = new Uint32Array(Uint8Array.from(bytes).buffer)
  if (words.length !== wordsAt(1, shard.count) || words[0] !== crcOf(words, shard.name, release)) {
    throw new SnapshotError('digest', `the rows of ${shard.name} are damaged`)
  }
  const part = (i: number) => words.subarray(1 + i * shard.count, 1 + (i + 1) * shard.count)
  return { numberLow: part(0), epss: { ...release, scores: part(1), percentiles: part(2) } }
}

const damaged = () => new SnapshotError('malformed', 'the table of rows is damaged')
