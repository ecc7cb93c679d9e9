/** The files of one sample, parsed. */
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { generateSample, type SampleOptions } from '../../../corpus/sample/generate.ts'
import { memoryDisk, readZip } from './memory-disk.ts'

export type Json = Record<string, unknown>
/** An advisory in the OSV schema, with the fields that the tests use. */
export interface OsvJson {
  id: string
  modified: string
  published: string
  withdrawn?: string
  aliases?: string[]
  related?: string[]
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
  weaknesses?: { source: string; description: { value: string }[] }[]
  configurations?: {
    operator?: string
    nodes: { cpeMatch: { vulnerable: boolean; criteria: string; versionEndExcluding?: string }[] }[]
  }[]
}

export async function sampleFiles(options: Omit<SampleOptions, 'feeds'>) {
  const disk = memoryDisk()
  await generateSample({ feeds: 'f', ...options }, disk)
  const paths = [...disk.files.keys()].map((path) => path.slice(2))
  const bytes = (path: string) => {
    const found = disk.files.get(`f/${path}`)
    if (!found) throw new Error(`${path} is not among ${paths.join(', ')}`)
    return path.endsWith('.gz') ? gunzipSync(found) : found
  }
  const json = (path: string): unknown => JSON.parse(bytes(path).toString())
  return {
    paths,
    bytes,
    json,
    lines: (path: string): Json[] =>
      bytes(path)
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    csv: (path: string): Record<string, string>[] => parse(bytes(path), { columns: true }),
    modules: (path: string): Record<string, Json> => json(path) as Record<string, Json>,
    nvd: (path: string): NvdJson[] =>
      (json(path) as { vulnerabilities: { cve: NvdJson }[] }).vulnerabilities.map(({ cve }) => cve),
    zip: (path: string): Promise<Map<string, Buffer>> => readZip(bytes(path)),
    advisories: async (path: string): Promise<OsvJson[]> =>
      [...(await readZip(bytes(path))).values()].map((file) => JSON.parse(file.toString())),
  }
}
