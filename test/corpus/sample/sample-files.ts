/** A disk in memory for the sample generator, and the parsed files of one sample. */
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import * as assert from 'uvu/assert'
import { fromBuffer } from 'yauzl'
import type { SampleDisk } from '../../../corpus/sample/disk.ts'
import { generateSample, type SampleOptions } from '../../../corpus/sample/generate.ts'
import type { CveRecord } from '../../../corpus/sample/records/record.ts'

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
  const create: SampleDisk['create'] = async (path) => {
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
      abandon: async () => void open.delete(path),
    }
  }
  return { files, open, mkdir: async () => {}, create }
}

/** Reads a zip through yauzl, entries in the order of the directory. Without `content` only their names and CRCs. */
export function readZip(bytes: Buffer, content = true): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, autoClose: false }, (error, zip) => {
      if (error) return reject(error)
      const entries = new Map<string, Buffer>()
      zip.on('error', reject)
      zip.on('end', () => resolve(entries))
      zip.on('entry', (entry) => {
        if (!content) {
          entries.set(entry.fileName, Buffer.from(String(entry.crc32)))
          return zip.readEntry()
        }
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

export type Json = Record<string, unknown>
/** An advisory in the OSV schema, with the fields that the tests use. */
export interface OsvJson {
  id: string
  modified: string
  published: string
  withdrawn?: string
  aliases?: string[]
  upstream?: string[]
  details: string
  severity?: { type: string; score: string }[]
  references?: { type: string; url: string }[]
  affected: {
    package: { ecosystem: string; name: string; purl?: string }
    ranges?: { type: string; repo?: string; events: Record<string, string>[] }[]
    versions?: string[]
  }[]
  database_specific?: { github_reviewed?: boolean; cwe_ids?: string[] }
}

export interface NvdJson {
  id: string
  lastModified: string
  vulnStatus: string
  descriptions: { lang: string; value: string }[]
  metrics: Record<string, { source: string; type: string; cvssData: { vectorString: string; baseScore: number } }[]>
  configurations?: { nodes: { cpeMatch: { criteria: string; versionEndExcluding?: string }[] }[] }[]
}

export const [FIRST, SECOND] = ['2026-05-31', '2026-06-01'] as const
export const ECOSYSTEMS = ['npm', 'PyPI', 'Go', 'Maven', 'Packagist', 'NuGet', 'RubyGems', 'crates.io', 'Debian']

export async function sampleFiles(options: Omit<SampleOptions, 'feeds'>) {
  const disk = memoryDisk()
  const report = await generateSample({ feeds: 'f', ...options }, disk)
  const paths = [...disk.files.keys()].map((path) => path.slice(2))
  const bytes = (path: string) => {
    const found = disk.files.get(`f/${path}`)
    if (!found) throw new Error(`${path} is not among ${paths.join(', ')}`)
    return path.endsWith('.gz') ? gunzipSync(found) : found
  }
  const json = (path: string): unknown => JSON.parse(bytes(path).toString())
  const zip = (path: string) => readZip(bytes(path))
  const parsed = async <T>(path: string): Promise<T[]> =>
    [...(await zip(path)).values()].map((file) => JSON.parse(file.toString()) as T)
  const lines = (path: string) => bytes(path).toString().trimEnd().split('\n')
  return {
    ...{ report, paths, bytes, json, zip },
    lines: (path: string): Json[] => lines(path).map((line) => JSON.parse(line)),
    csv: (path: string): Record<string, string>[] => parse(bytes(path), { columns: true }),
    modules: (path: string) => json(path) as Record<string, Json>,
    epss: (night: string) =>
      new Map(
        lines(`epss/epss_scores-${night}.csv.gz`)
          .slice(2)
          .map((line) => [line.split(',')[0]!, line.split(',').slice(1).map(Number) as [number, number]]),
      ),
    nvd: (path: string): NvdJson[] =>
      (json(path) as { vulnerabilities: { cve: NvdJson }[] }).vulnerabilities.map(({ cve }) => cve),
    records: async (night: string) => {
      const found = await parsed<CveRecord>(`cvelistv5/${night}_all_CVEs.zip`)
      return new Map(found.map((one) => [one.cveMetadata.cveId, one]))
    },
    advisories: (path: string) => parsed<OsvJson>(path),
    /** The records of all exports by id. A record is in the export of each of its ecosystems. */
    osv: async (night: string) => {
      const found = new Map<string, OsvJson>()
      for (const ecosystem of ECOSYSTEMS) {
        for (const record of await parsed<OsvJson>(`osv/${ecosystem}/all-${night}.zip`)) {
          assert.equal(found.get(record.id) ?? record, record)
          found.set(record.id, record)
        }
      }
      return found
    },
  }
}

export function share<T>(list: readonly T[], holds: (one: T) => boolean): number {
  return list.filter(holds).length / list.length
}

/** Asserts that `found` equals `real` within `tolerance`, a share of it. */
export function near(name: string, found: number, real: number, tolerance: number): void {
  const [low, high] = [real * (1 - tolerance), real * (1 + tolerance)]
  assert.ok(found >= low && found <= high, `${name}: ${found} is not within ${low} to ${high}`)
}
