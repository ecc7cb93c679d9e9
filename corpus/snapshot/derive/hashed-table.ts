/** Tables with rows by the hash of a key, in blocks, so that a reader of few keys reads few. SPEC.md, "Hashed tables". */
import { compareText } from '../../model/sources.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { MAX_HASHED_ROWS } from '../bounds.ts'
import { blockRows, type Column, type Cut, column, type Table, type TableHeader } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { type KeyHash, keyHash, shardOfHash } from '../record/hashed-shard.ts'

/** On average, at most: 4 to 10 KB. */
const ROWS_PER_BLOCK = 256

/** The first and the second four bytes of the hash of each key. Rows ascend by them. */
export interface HashColumns {
  hashHigh: Uint32Array
  hashLow: Uint32Array
}

/**
 * Returns the columns of `keys`, with further values of each. Rows of one hash are in the order of their keys.
 * @throws RangeError when there are more rows than readers accept
 */
export function hashedColumns<Name extends string>(
  keys: readonly string[],
  values: Readonly<Record<Name, ArrayLike<number>>>,
): { columns: HashColumns & Record<Name, Uint32Array>; cut: Cut } {
  const count = keys.length
  if (count > MAX_HASHED_ROWS) throw new RangeError(`${count} rows are more than readers of a table accept`)
  const [high, low] = [new Uint32Array(count), new Uint32Array(count)]
  keys.forEach((key, row) => {
    const hashed = keyHash(key)
    high[row] = hashed.high
    low[row] = hashed.low
  })
  const order = Uint32Array.from(keys, (_, row) => row).sort(
    (a, b) => high[a]! - high[b]! || low[a]! - low[b]! || compareText(keys[a]!, keys[b]!) || a - b,
  )
  const columns: Record<string, Uint32Array> = {}
  for (const [name, all] of Object.entries<ArrayLike<number>>({ hashHigh: high, hashLow: low, ...values })) {
    columns[name] = order.map((row) => all[row]!)
  }
  const rows = new Array<number>(blockCount(count)).fill(0)
  for (const one of high) rows[shardOfHash(one, rows.length)]!++
  return {
    columns: columns as HashColumns & Record<Name, Uint32Array>,
    cut: { columns: Object.keys(columns), rows },
  }
}

function blockCount(rows: number): number {
  let count = 1
  while (rows > count * ROWS_PER_BLOCK) count *= 2
  return count
}

/**
 * Returns the hash columns of a table, and further ones.
 * @throws SnapshotError `malformed` when the rows do not ascend
 */
export function decodeHashed<Name extends string>(
  table: Pick<Table, 'columns'>,
  names: readonly Name[],
): HashColumns & Record<Name, Uint32Array> {
  const columns = Object.fromEntries(
    ['hashHigh', 'hashLow', ...names].map((name) => [name, column(table, name, 'u32') as Column<'u32'>]),
  ) as HashColumns & Record<Name, Uint32Array>
  const { hashHigh, hashLow } = columns
  const count = hashHigh.length
  if (count > MAX_HASHED_ROWS) damaged(`has ${count} rows; the limit is ${MAX_HASHED_ROWS}`)
  if (Object.values<Uint32Array>(columns).some(({ length }) => length !== count)) {
    damaged('has columns of different lengths')
  }
  for (let row = 1; row < count; row++) {
    if ((hashHigh[row]! - hashHigh[row - 1]! || hashLow[row]! - hashLow[row - 1]!) < 0) damaged('is out of order')
  }
  return columns
}

/**
 * Returns the block that contains the rows of a key.
 * @throws SnapshotError `malformed`
 */
export function hashBlock(header: TableHeader, { high }: Pick<KeyHash, 'high'>): number {
  const { length } = blockRows(header, 'hashHigh')
  if (length === 0 || (length & (length - 1)) !== 0) damaged(`has ${length} blocks`)
  return shardOfHash(high, length)
}

/** Returns the rows that have the hash of a key: usually one or none. Two keys can have one hash. */
export function rowsOfHash({ hashHigh, hashLow }: HashColumns, { high, low }: KeyHash): number[] {
  const first = partitionPoint(hashHigh.length, (row) => (hashHigh[row]! - high || hashLow[row]! - low) >= 0)
  const rows: number[] = []
  for (let row = first; hashHigh[row] === high && hashLow[row] === low; row++) rows.push(row)
  return rows
}

function damaged(how: string): never {
  throw new SnapshotError('malformed', `a table of hashes ${how}`)
}
