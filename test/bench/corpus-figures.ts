/**
 * Prints figures of feeds folders: records of the CVE list and advisories of OSV's exports, with the ratio of the last
 * folder to the one before. Usage: `npx tsx test/bench/corpus-figures.ts <feeds folder> <feeds folder>`
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'

interface Affected {
  package?: { ecosystem: string; name: string }
}

interface CveJson {
  cveMetadata: { state: string }
  containers: {
    cna: { descriptions?: { value: string }[]; affected?: unknown[]; references?: unknown[]; metrics?: unknown[] }
    adp?: unknown[]
  }
}

/** Values of each figure by its name. */
type Figures = Map<string, number[]>

const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']

function add(figures: Figures, name: string, value: number): void {
  const values = figures.get(name)
  if (values) values.push(value)
  else figures.set(name, [value])
}

/** Returns the zips below a folder, the newest baseline of each folder only. */
function newestZips(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /all.*\.zip$/.test(name))
  const byFolder = new Map(names.sort().map((name) => [join(name, '..'), name]))
  return [...byFolder.values()].map((name) => join(folder, name))
}

function documentsOf<T>(path: string): { bytes: number; value: T }[] {
  const files = Object.entries(unzipSync(readFileSync(path))).filter(([name]) => name.endsWith('.json'))
  return files.map(([, bytes]) => ({ bytes: bytes.length, value: JSON.parse(Buffer.from(bytes).toString()) as T }))
}

function figuresOf(feeds: string): Figures {
  const figures: Figures = new Map()
  const folders = readdirSync(feeds)
  for (const path of folders.includes('cvelistv5') ? newestZips(join(feeds, 'cvelistv5')) : []) {
    for (const { bytes, value } of documentsOf<CveJson>(path)) {
      if (value.cveMetadata?.state !== 'PUBLISHED') continue
      const { cna, adp = [] } = value.containers
      const text = JSON.stringify([cna.metrics, adp])
      add(figures, 'bytes of a record', bytes)
      add(figures, 'characters of the description', cna.descriptions?.[0]?.value.length ?? 0)
      add(figures, 'affected entries', cna.affected?.length ?? 0)
      add(figures, 'references', cna.references?.length ?? 0)
      add(figures, 'share in KEV', text.includes('"type":"kev"') ? 1 : 0)
      const severity = /"baseSeverity":"(\w+)"/.exec(text)?.[1]
      for (const one of severity ? SEVERITIES : []) add(figures, `share ${one} of scored`, severity === one ? 1 : 0)
    }
  }
  const advisoriesOf = new Map<string, Set<string>>()
  for (const path of folders.includes('osv') ? newestZips(join(feeds, 'osv')) : []) {
    for (const { bytes, value } of documentsOf<{ id: string; affected?: Affected[] }>(path)) {
      add(figures, 'bytes of an advisory', bytes)
      for (const { package: named } of value.affected ?? []) {
        const key = `${named?.ecosystem} ${named?.name}`
        advisoriesOf.set(key, (advisoriesOf.get(key) ?? new Set()).add(value.id))
      }
    }
  }
  for (const ids of advisoriesOf.values()) add(figures, 'advisories of a package', ids.size)
  return figures
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(part * values.length)]!
const written = (value: number) => (value < 10 ? value.toFixed(3) : String(Math.round(value)))

const all = process.argv.slice(2).map(figuresOf)
console.log(
  `| figure | ${process.argv
    .slice(2)
    .map((_, i) => `mean, median, p95 of folder ${i + 1}`)
    .join(' | ')} | ratio |`,
)
console.log(`|---|${'---|'.repeat(all.length + 1)}`)
for (const name of new Set(all.flatMap((figures) => [...figures.keys()]))) {
  const cells = all.map((figures) => {
    const values = figures.get(name)
    return values ? [mean(values), quantile(values, 0.5), quantile(values, 0.95)].map(written).join(', ') : '-'
  })
  const means = all.map((figures) => (figures.has(name) ? mean(figures.get(name)!) : Number.NaN))
  const ratio = means.at(-1)! / means.at(-2)!
  console.log(`| ${name} | ${cells.join(' | ')} | ${Number.isNaN(ratio) ? '-' : ratio.toFixed(2)} |`)
}
