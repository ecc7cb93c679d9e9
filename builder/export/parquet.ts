/** Writes rows as Apache Parquet, a row group at a time. */
import { zstdCompressSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { VERSION } from '../../corpus/command/version.ts'
import { COLUMNS, type ColumnType, type ExportColumn, type ExportedCve, type Value } from './columns.ts'
import type { RowWriter, SnapshotFacts, WriteBytes } from './export.ts'

/** Rows of a group. A group is in memory until it is written: about 40 MB with its texts. */
const GROUP_ROWS = 20_000

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const

/** The elements of a column, by the specification of Parquet ("LogicalTypes.md"). Lists have three levels. */
const TYPES: Record<Exclude<ColumnType, 'list'>, Omit<SchemaElement, 'name'>> = {
  text: TEXT,
  boolean: { type: 'BOOLEAN' },
  number: { type: 'DOUBLE' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
}

function elementsOf({ name, type, nullable }: ExportColumn): SchemaElement[] {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED'
  if (type !== 'list') return [{ name, ...TYPES[type], repetition_type }]
  return [
    { name, converted_type: 'LIST', logical_type: { type: 'LIST' }, repetition_type, num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', ...TEXT, repetition_type: 'REQUIRED' },
  ]
}

const isTime = (type: ColumnType) => type === 'date' || type === 'timestamp'

export function parquetWriter({ id, createdAt }: SnapshotFacts, write: WriteBytes): RowWriter {
  const bytes = new ByteWriter()
  const flush = async () => {
    const written = bytes.getBytes().slice()
    bytes.index = 0
    await write(written)
  }
  const writer = new ParquetWriter({
    writer: Object.assign(bytes, { flush, finish: flush }),
    schema: [{ name: 'cves', num_children: COLUMNS.length }, ...COLUMNS.flatMap(elementsOf)],
    codec: 'ZSTD',
    compressors: { ZSTD: (plain) => zstdCompressSync(plain) },
    kvMetadata: [
      { key: 'vulnshelf.snapshot', value: id },
      { key: 'vulnshelf.created_at', value: createdAt },
    ],
    createdBy: `vulnshelf version ${VERSION}`,
  })
  let group: ExportedCve[] = []

  async function writeGroup(): Promise<void> {
    const cves = group
    group = []
    const columnData = COLUMNS.map(({ name, type, value }) => {
      const values: Value[] = cves.map(value)
      return { name, data: isTime(type) ? values.map((one) => one && new Date(one as string)) : values }
    })
    await writer.write({ columnData, rowGroupSize: GROUP_ROWS })
  }

  return {
    async add(cves) {
      for (let at = 0; at < cves.length; ) {
        const room = GROUP_ROWS - group.length
        group.push(...cves.slice(at, at + room))
        at += room
        if (group.length === GROUP_ROWS) await writeGroup()
      }
    },
    async end() {
      if (group.length > 0) await writeGroup()
      await writer.finish()
    },
  }
}
