/** `vulnshelf export`: writes one row per CVE to a file. */
import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Effects, realEffects } from '../../corpus/command/effects.ts'
import type { Progress } from '../../corpus/command/progress.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import { CodedError } from '../../corpus/errors/coded-error.ts'
import { csvLine } from '../../corpus/reader/csv.ts'
import { assertAllYears, readCurrent, readManifest } from '../../corpus/snapshot/index.ts'
import { findSnapshot } from '../snapshots.ts'
import { COLUMNS, type ExportedCve, type Value } from './columns.ts'
import { EXPORT_FORMATS, type ExportFormat } from './formats.ts'
import { shardsOf } from './rows.ts'

export class ExportError extends CodedError<'usage'> {}

export interface ExportOptions {
  dist: string
  file: string
  /** Default: the end of the file's name. */
  format?: ExportFormat | undefined
  at?: string | undefined
}

export interface SnapshotFacts {
  id: string
  createdAt: string
}

export interface ExportReport {
  file: string
  format: ExportFormat
  snapshot: SnapshotFacts
  cves: number
  columns: number
  bytes: number
}

export type WriteBytes = (bytes: Uint8Array) => Promise<void>

export interface RowWriter {
  add(cves: readonly ExportedCve[]): Promise<void>
  end(): Promise<void>
}

/**
 * Writes the file under a temporary name, and renames it when it is complete.
 * @throws ExportError, SnapshotError, DiskError, FileError for a device or a FIFO
 */
export async function exportCves(
  { dist, file, at, ...options }: ExportOptions,
  effects: Pick<Effects, 'mkdir' | 'rename' | 'remove'>,
  progress: Progress,
): Promise<ExportReport> {
  const format = options.format ?? formatOf(file)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ExportError('usage', `${file} is a folder; name a file`)
  }
  assertAllYears(dist, 'an export')
  const manifest = at === undefined ? readCurrent(dist).manifest : readManifest(dist, findSnapshot(dist, at).digest)
  const snapshot = { id: manifest.snapshot, createdAt: manifest.created_at }
  const shards = manifest.files.filter(({ role }) => role === 'cve').length
  const temporary = `${file}.${process.pid}.tmp`
  let [cves, bytes, done] = [0, 0, 0]
  await writingTo(file, async () => {
    await effects.mkdir(dirname(file))
    try {
      const handle = await open(temporary, 'w')
      try {
        const write: WriteBytes = async (part) => {
          await handle.writeFile(part)
          bytes += part.length
        }
        const rows = await writerOf(format, snapshot, write)
        for (const part of shardsOf(dist, manifest)) {
          await rows.add(part)
          cves += part.length
          progress('shards', ++done, shards)
        }
        await rows.end()
        await handle.sync()
      } finally {
        await handle.close()
      }
      await effects.rename(temporary, file)
    } catch (error) {
      await effects.remove(temporary)
      throw error
    }
  })
  return { file, format, snapshot, cves, columns: COLUMNS.length, bytes }
}

export const exportFromCommand = (options: ExportOptions, progress: Progress): Promise<ExportReport> =>
  exportCves(options, realEffects(), progress)

/** @throws ExportError */
function formatOf(file: string): ExportFormat {
  const found = EXPORT_FORMATS.find((format) => file.endsWith(`.${format}`))
  if (found) return found
  const ends = EXPORT_FORMATS.map((format) => `.${format}`)
  throw new ExportError('usage', `'${file}' does not end in ${ends.join(', ')}; state --format`)
}

async function writerOf(format: ExportFormat, snapshot: SnapshotFacts, write: WriteBytes): Promise<RowWriter> {
  if (format === 'parquet') return (await import('./parquet.ts')).parquetWriter(snapshot, write)
  const line = format === 'csv' ? csvRow : ndjsonRow
  if (format === 'csv') await write(Buffer.from(csvLine(COLUMNS.map(({ name }) => name))))
  return { add: (cves) => write(Buffer.from(cves.map(line).join(''))), end: async () => {} }
}

const ndjsonRow = (cve: ExportedCve) =>
  `${JSON.stringify(Object.fromEntries(COLUMNS.map(({ name, value }) => [name, value(cve)])))}\n`

const csvRow = (cve: ExportedCve) => csvLine(COLUMNS.map(({ value }) => cellOf(value(cve))))
const cellOf = (value: Value) =>
  typeof value === 'object' && value !== null ? value.join(';') : (value as Exclude<Value, readonly string[]>)
