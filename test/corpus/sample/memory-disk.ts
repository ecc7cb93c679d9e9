/** A disk in memory for the sample generator, and readers of its files. */
import { gunzipSync } from 'node:zlib'
import { fromBuffer } from 'yauzl'
import type { SampleDisk } from '../../../corpus/sample/disk.ts'

export interface MemoryDisk extends SampleDisk {
  /** Finished files by path. */
  files: Map<string, Buffer>
  /** Files that were opened and neither finished nor abandoned. */
  open: Set<string>
}

/** `failAt`: the path of a file that cannot be written. */
export function memoryDisk(failAt?: string): MemoryDisk {
  const files = new Map<string, Buffer>()
  const open = new Set<string>()
  return {
    files,
    open,
    mkdir: async () => {},
    create: async (path) => {
      const pieces: Buffer[] = []
      open.add(path)
      return {
        write: async (bytes) => {
          if (path === failAt) throw new Error('disk full')
          pieces.push(Buffer.from(bytes))
        },
        close: async () => {
          open.delete(path)
          files.set(path, Buffer.concat(pieces))
        },
        pieces: async function* () {
          yield* pieces
        },
        abandon: async () => void open.delete(path),
      }
    },
  }
}

/** Reads a whole zip through yauzl, which checks sizes and, here, CRCs; entries in the order of the directory. */
export function readZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, autoClose: false }, (error, zip) => {
      if (error) return reject(error)
      const entries = new Map<string, Buffer>()
      zip.on('error', reject)
      zip.on('end', () => resolve(entries))
      zip.on('entry', (entry) => {
        zip.openReadStream(entry, (failed, stream) => {
          if (failed) return reject(failed)
          const pieces: Buffer[] = []
          stream.on('data', (piece: Buffer) => pieces.push(piece))
          stream.on('error', reject)
          stream.on('end', () => {
            entries.set(entry.fileName, Buffer.concat(pieces))
            zip.readEntry()
          })
        })
      })
      zip.readEntry()
    })
  })
}

/** Returns the CRC of each entry of a zip by name, from the directory only: for zips that are too large to read. */
export function zipDirectory(bytes: Buffer): Promise<Map<string, number>> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: false }, (error, zip) => {
      if (error) return reject(error)
      const entries = new Map<string, number>()
      zip.on('error', reject)
      zip.on('entry', (entry) => void entries.set(entry.fileName, entry.crc32))
      zip.on('end', () => resolve(entries))
    })
  })
}

/** Returns the rows of an EPSS file as `id,score,percentile`, and its first line. */
export function readEpss(bytes: Buffer): { head: string; header: string; rows: [string, string, string][] } {
  const [head, header, ...lines] = gunzipSync(bytes).toString().trimEnd().split('\n')
  return { head: head!, header: header!, rows: lines.map((line) => line.split(',') as [string, string, string]) }
}
