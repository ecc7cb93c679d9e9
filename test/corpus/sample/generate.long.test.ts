import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { generateSample } from '../../../corpus/sample/generate.ts'
import { type MemoryDisk, memoryDisk } from './memory-disk.ts'

async function sample(
  options: { cves?: number; seed?: number; nights?: number } = {},
  disk: MemoryDisk = memoryDisk(),
) {
  const report = await generateSample({ feeds: 'feeds', ...options }, disk)
  return { report, disk }
}

const OSV = ['Debian', 'Go', 'Maven', 'NuGet', 'Packagist', 'PyPI', 'RubyGems', 'crates.io', 'npm']
/** The first file also contains all earlier years. */
const NVD_YEARS = Array.from({ length: 25 }, (_, i) => 2002 + i)

/** Files without a date: with several nights, they are in folders named by date. */
const DATELESS = [
  'ghsa/advisory-database.zip',
  'exploitdb/files_exploits.csv.gz',
  'metasploit/modules_metadata_base.json.gz',
  'nuclei/cves.json',
  'poc/PoC-in-GitHub.zip',
  'first-party/reports.ndjson',
  'first-party/report-types.ndjson',
  'first-party/analyses.ndjson',
  'first-party/service-scores.ndjson',
  'first-party/detections.ndjson',
]
const dated = (path: string, date: string) => path.replace('/', `/${date}/`)

test('the files have the paths of upstream', async () => {
  const { report, disk } = await sample({ cves: 300 })
  const expected = [
    'cvelistv5/2026-05-31_all_CVEs.zip',
    'cvelistv5/2026-06-01_all_CVEs.zip',
    'cvelistv5/2026-06-01_delta_CVEs.zip',
    'kev/known_exploited_vulnerabilities.json',
    'kev/2026-05-31/known_exploited_vulnerabilities.json',
    'epss/epss_scores-2026-05-31.csv.gz',
    'epss/epss_scores-2026-06-01.csv.gz',
    'cna/CNAsList.json',
    'cwe/cwec_v4.20.xml.zip',
    'capec/stix-capec.json',
    ...NVD_YEARS.map((year) => `nvd/nvdcve-2.0-${year}.json.gz`),
    'nvd/nvdcve-2.0-modified.json.gz',
    ...OSV.flatMap((ecosystem) => [`osv/${ecosystem}/all-2026-05-31.zip`, `osv/${ecosystem}/all-2026-06-01.zip`]),
    ...DATELESS.flatMap((path) => [dated(path, '2026-05-31'), dated(path, '2026-06-01')]),
  ]
  assert.equal([...disk.files.keys()].sort(), expected.map((path) => `feeds/${path}`).sort())
  assert.equal(report.files.map((file) => file.path).sort(), expected.toSorted())
  assert.equal(report.nights, ['2026-05-31', '2026-06-01'])
  for (const file of report.files) assert.is(disk.files.get(`feeds/${file.path}`)!.length, file.bytes, file.path)
})

test('the default is 2,000 records and two nights', async () => {
  const { report } = await sample()
  assert.is(report.files[0]!.records, 2000)
  assert.is(report.cves, 2000)
  assert.is(report.nights.length, 2)
})

test('the same seed and size give the same bytes', async () => {
  const [first, second] = [await sample({ cves: 700, seed: 5 }), await sample({ cves: 700, seed: 5 })]
  for (const [path, bytes] of first.disk.files) assert.ok(bytes.equals(second.disk.files.get(path)!), path)
})

test('another seed gives other records', async () => {
  const [first, second] = [await sample({ cves: 300, seed: 1 }), await sample({ cves: 300, seed: 2 })]
  for (const [path, bytes] of first.disk.files) {
    // The types of reports are not random.
    if (!path.endsWith('report-types.ndjson')) assert.not.ok(bytes.equals(second.disk.files.get(path)!), path)
  }
})

test('one night has neither a delta nor a dated folder', async () => {
  const { report } = await sample({ cves: 150, nights: 1 })
  assert.equal(
    report.files.map((file) => file.path).sort(),
    [
      'cvelistv5/2026-05-31_all_CVEs.zip',
      'kev/known_exploited_vulnerabilities.json',
      'epss/epss_scores-2026-05-31.csv.gz',
      'cna/CNAsList.json',
      'cwe/cwec_v4.20.xml.zip',
      'capec/stix-capec.json',
      ...NVD_YEARS.map((year) => `nvd/nvdcve-2.0-${year}.json.gz`),
      ...OSV.map((ecosystem) => `osv/${ecosystem}/all.zip`),
      ...DATELESS,
    ].sort(),
  )
})

test('a single record makes a sample', async () => {
  const { report } = await sample({ cves: 1, nights: 3 })
  assert.is(report.files[0]!.records, 1)
  assert.is(report.files[2]!.records, 11)
})

test('an option out of its range is named, and nothing is written', async () => {
  for (const [name, value] of [
    ['cves', 0],
    ['cves', 1.5],
    ['advisories', -1],
    ['seed', -1],
    ['nights', 101],
    ['nights', Number.NaN],
  ] as const) {
    const disk = memoryDisk()
    try {
      await sample({ [name]: value }, disk)
      assert.unreachable(`${name} ${value} was taken`)
    } catch (error) {
      assert.instance(error, TypeError)
      assert.match((error as Error).message, new RegExp(`^${name} must be a whole number from `))
    }
    assert.is(disk.files.size, 0)
  }
})

test('where a file cannot be written, none is left open', async () => {
  const disk = memoryDisk('feeds/cvelistv5/2026-06-01_all_CVEs.zip')
  try {
    await sample({ cves: 300 }, disk)
    assert.unreachable('it was written')
  } catch (error) {
    assert.is((error as Error).message, 'disk full')
  }
  assert.is(disk.open.size, 0)
  assert.not.ok(disk.files.has('feeds/cvelistv5/2026-06-01_all_CVEs.zip'))
})

test.run()
