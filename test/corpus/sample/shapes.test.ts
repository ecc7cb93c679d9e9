/** Each feed of the sample has the members and types of the real one; this file lists the exceptions. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseXml } from '../../../corpus/feeds/catalog/xml.ts'
import { REAL_FEEDS, suiteNeeding } from '../../support/needs.ts'
import { readZip } from './memory-disk.ts'
import { sampleFiles } from './sample-files.ts'
import { beyond, shapeOf, xmlShapeOf } from './shape.ts'

const night = '2026-06-01'
const sample = await sampleFiles({ cves: 600 })

const compared = suiteNeeding('sample next to the real feeds', 'real feeds')

const real = (path: string) => {
  const bytes = readFileSync(join(REAL_FEEDS, path))
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}
const realZip = async (path: string) => [...(await readZip(real(path))).entries()]
const parsed = ([, bytes]: [string, Buffer]): unknown => JSON.parse(bytes.toString())
const jsonLines = (bytes: Buffer): unknown[] =>
  bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

compared('Exploit-DB: the columns, and in each the same kinds of values', () => {
  const rows: Record<string, string>[] = parse(real('exploitdb/files_exploits.csv.gz'), { columns: true })
  const written = sample.csv(`exploitdb/${night}/files_exploits.csv.gz`)
  assert.equal(Object.keys(written[0]!), Object.keys(rows[0]!))
  for (const column of ['type', 'platform', 'verified'])
    assert.equal(beyond(new Set(written.map((row) => row[column]!)), new Set(rows.map((row) => row[column]!))), [])
  for (const row of written) {
    assert.match(row.id!, /^\d+$/)
    assert.match(row.file!, new RegExp(`^exploits/${row.platform}/${row.type}/${row.id}\\.\\w+$`))
    assert.match(row.date_published!, /^\d{4}-\d\d-\d\d$/)
    assert.match(row.date_updated!, /^(\d{4}-\d\d-\d\d)?$/)
    assert.match(row.codes!, /^((CVE-\d{4}-\d{4,}|OSVDB-\d+)(;|$))*$/)
  }
})

compared('Metasploit: the members of a module, in their order; the copy of the real one lacks two', () => {
  const modules = JSON.parse(real('metasploit/modules_metadata_base.json.gz').toString())
  const written = sample.modules(`metasploit/${night}/modules_metadata_base.json.gz`)
  const missing = ['default_credential', 'actions']
  for (const [key, module] of Object.entries(written)) {
    assert.is(key, `${module.type}_${module.ref_name}`)
    assert.is(module.fullname, `${module.type}/${module.ref_name}`)
    const keys = Object.keys(module).filter((one) => !missing.includes(one))
    assert.equal(keys, Object.keys(Object.values(modules)[0] as object))
  }
  const extra = beyond(shapeOf(Object.values(written)), shapeOf(Object.values(modules)))
  assert.equal(extra, ['actions:list', 'default_credential:boolean'])
  const valuesOf = (list: Record<string, Record<string, unknown>>, key: string) =>
    new Set(Object.values(list).map((module) => String(module[key])))
  for (const key of ['type', 'rank']) assert.equal(beyond(valuesOf(written, key), valuesOf(modules, key)), [])
})

compared('nuclei: a line for each template', () => {
  const shape = shapeOf(jsonLines(real('nuclei/cves.json')))
  assert.equal(shapeOf(sample.lines(`nuclei/${night}/cves.json`)), shape)
})

compared('PoC-in-GitHub: lists of repositories; the copy of the real one lacks three members', async () => {
  const lists = (await realZip('poc/PoC-in-GitHub.zip')).map(parsed)
  const entries = [...(await sample.zip(`poc/${night}/PoC-in-GitHub.zip`)).entries()]
  for (const [name, bytes] of entries) {
    assert.match(name, /^(\d{4})\/CVE-\1-\d{4,}\.json$/)
    assert.match(bytes.toString(), /^\[\n {4}\{\n {8}"id": \d+,\n/)
  }
  const extra = beyond(shapeOf(entries.map(parsed)), shapeOf(lists))
  assert.equal(extra, ['[].has_discussions:boolean', '[].score:number', '[].subscribers_count:number'])
})

compared(
  'GitHub advisories: the members and the folders; credits and withdrawals are not in the real subset',
  async () => {
    const files = await realZip('ghsa/advisory-database.zip')
    const entries = [...(await sample.zip(`ghsa/${night}/advisory-database.zip`)).entries()]
    for (const [name, bytes] of entries) {
      const { id, published } = JSON.parse(bytes.toString())
      assert.match(id, /^GHSA(-[23456789cfghjmpqrvwx]{4}){3}$/)
      const month = published.slice(0, 7).replace('-', '/')
      assert.match(name, new RegExp(`^advisories/(github-reviewed|unreviewed)/${month}/${id}/${id}\\.json$`))
    }
    const extra = beyond(shapeOf(entries.map(parsed)), shapeOf(files.map(parsed)))
    assert.equal(extra, [
      'affected:list',
      'credits[].contact[]:string',
      'credits[].name:string',
      'credits[].type:string',
      'database_specific.github_reviewed_at:null',
      'withdrawn:string',
    ])
  },
)

compared('OSV: the entries of Go', async () => {
  const files = (await realZip('osv/Go/all.zip')).map(parsed)
  const entries = [...(await sample.zip(`osv/Go/all-${night}.zip`)).entries()].filter(([name]) =>
    name.startsWith('GO-'),
  )
  assert.ok(entries.length > 5)
  for (const [name] of entries) assert.match(name, /^GO-\d{4}-\d{4,}\.json$/)
  const extra = beyond(shapeOf(entries.map(parsed)), shapeOf(files))
  assert.equal(extra, ['affected[].ranges[].events[].last_affected:string'])
})

compared('NVD: the envelope and the members of a record', () => {
  const sampled = JSON.parse(real('nvd/nvdcve-2.0-sample.json.gz').toString())
  const files = sample.paths.filter((path) => path.startsWith('nvd/'))
  for (const path of files) {
    const file = sample.json(path) as Record<string, unknown> & { vulnerabilities: unknown[] }
    assert.equal(Object.keys(file), Object.keys(sampled))
    assert.is(file.totalResults, file.vulnerabilities.length)
    assert.match(String(file.timestamp), /^2026-0[56]-\d\dT22:43:00\.000$/)
  }
  const written = files.flatMap((path) => sample.nvd(path))
  for (const one of written) assert.match(one.lastModified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/)
  const shape = shapeOf(sampled.vulnerabilities.map(({ cve }: { cve: unknown }) => cve))
  const extra = beyond(shapeOf(written), shape).filter((one) => !one.includes('cvssMetricV40'))
  // The 62 real records have no CVSS 4.0, no rejected record, and no bound that excludes its own version.
  assert.equal(extra, ['configurations[].nodes[].cpeMatch[].versionStartExcluding:string', 'references:list'])
})

compared('CWE: elements and attributes', async () => {
  const [[, file]] = (await realZip('cwe/cwec_v4.15.xml.zip')) as [[string, Buffer]]
  const [[, written]] = [...(await sample.zip('cwe/cwec_v4.20.xml.zip')).entries()] as [[string, Buffer]]
  const shape = xmlShapeOf(parseXml(written.toString(), 'sample'))
  assert.equal(beyond(shape, xmlShapeOf(parseXml(file.toString(), 'real'))), [])
})

compared('CAPEC: the members of each type of object', async () => {
  const objectsOf = (text: string) => (JSON.parse(text) as { objects: { type: string }[] }).objects
  const [[, file]] = (await realZip('capec/stix-capec-3.6.zip')) as [[string, Buffer]]
  const [written, real] = [sample.bytes('capec/stix-capec.json'), file].map((bytes) => objectsOf(bytes.toString()))
  for (const type of ['attack-pattern', 'course-of-action', 'relationship']) {
    const shape = (objects: { type: string }[]) => shapeOf(objects.filter((object) => object.type === type))
    assert.equal(beyond(shape(written!), shape(real!)), [], type)
  }
})

compared.run()
test.run()
