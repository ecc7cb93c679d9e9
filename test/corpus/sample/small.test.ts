/** Fifty CVEs are enough for an example of everything, with any seed. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createWorld } from '../../../corpus/sample/world.ts'
import { sampleFiles } from './sample-files.ts'

const night = '2026-06-01'
const samples = await Promise.all([1, 2, 3].map((seed) => sampleFiles({ cves: 50, seed })))

test('showcases are spread evenly, published, and as many at any size', () => {
  for (const cves of [40, 50, 2000, 100_000]) {
    const world = createWorld(1, cves, 2)
    const found: number[] = []
    for (let index = 0; index < cves; index++) {
      const { showcase, state, change } = world.facts(index)
      if (showcase === null) continue
      found.push(showcase)
      assert.ok(state === 'PUBLISHED' || change !== null, `${index} is ${state}`)
    }
    assert.equal(
      found,
      Array.from({ length: 40 }, (_, i) => i),
      `${cves}`,
    )
  }
})

test('exploits with and without a CVE, verified and not; modules of several types', () => {
  for (const sample of samples) {
    const exploits = sample.csv(`exploitdb/${night}/files_exploits.csv.gz`)
    assert.ok(exploits.some((row) => row.codes!.startsWith('CVE-')) && exploits.some((row) => !/CVE-/.test(row.codes!)))
    assert.equal([...new Set(exploits.map((row) => row.verified))].sort(), ['0', '1'])
    const modules = Object.values(sample.modules(`metasploit/${night}/modules_metadata_base.json.gz`))
    const types = modules.map((module) => module.type)
    assert.ok(types.includes('exploit') && types.includes('auxiliary'), types.join())
    assert.ok(modules.some((module) => (module.references as string[]).length === 0))
    assert.ok(sample.lines(`nuclei/${night}/cves.json`).length > 10)
  }
})

test('advisories: reviewed and not, withdrawn, several for one CVE, one for several, one for none', async () => {
  for (const sample of samples) {
    const advisories = await sample.advisories(`ghsa/${night}/advisory-database.zip`)
    const count = new Map<string, number>()
    for (const id of advisories.flatMap(({ aliases }) => aliases ?? [])) count.set(id, (count.get(id) ?? 0) + 1)
    const reviewed = advisories.map((one) => one.database_specific!.github_reviewed)
    assert.ok(reviewed.includes(true) && reviewed.includes(false))
    assert.ok(advisories.some((one) => one.withdrawn))
    assert.ok([...count.values()].some((times) => times > 1))
    assert.ok(advisories.some(({ aliases }) => aliases!.length > 1))
    assert.ok(advisories.some(({ aliases }) => aliases!.length === 0))
  }
})

test('OSV: withdrawn, related alone, commits, malicious packages, in three ecosystems', async () => {
  for (const sample of samples) {
    const entries = (
      await Promise.all(['Go', 'PyPI', 'npm'].map((one) => sample.advisories(`osv/${one}/all-${night}.zip`)))
    ).flat()
    const text = JSON.stringify(entries)
    for (const sign of ['"withdrawn"', '"GIT"', '"fixed"', '"MAL-', '"GO-', '"PYSEC-', '"GHSA-'])
      assert.ok(text.includes(sign), sign)
    assert.ok(entries.some(({ related, aliases }) => related?.length && !aliases?.length))
  }
})

test('reports: drafts, several types, older versions of a type; a type with a schema, one without, one disabled', () => {
  for (const sample of samples) {
    const reports = sample.lines(`first-party/${night}/reports.ndjson`)
    const types = sample.lines(`first-party/${night}/report-types.ndjson`)
    assert.ok(reports.some(({ status }) => status === 'draft'))
    assert.equal(new Set(reports.map((one) => one.report_type)), new Set(types.map((one) => one.prompt_name)))
    const versions = reports.map((one) => `${one.cve_id} ${one.report_type}`)
    assert.ok(new Set(versions).size < versions.length)
    assert.ok(types.some((one) => one.output_schema) && types.some((one) => !one.output_schema))
    assert.is(types.filter((one) => !one.enabled).length, 1)
  }
})

test('detections of all four layers; analyses with affected entries and without; scores of two versions', () => {
  for (const sample of samples) {
    const detections = sample.lines(`first-party/${night}/detections.ndjson`)
    const layers = [...new Set(detections.map((line) => line.layer))].sort()
    assert.equal(layers, ['file_yara', 'network_ids', 'scanner', 'siem'])
    const analyses = sample.lines(`first-party/${night}/analyses.ndjson`)
    assert.equal([...new Set(analyses.map((line) => (line.affected as []).length > 0))].sort(), [false, true])
    const scores = sample.lines(`first-party/${night}/service-scores.ndjson`)
    assert.equal([...new Set(scores.map((line) => line.cvss_version))].sort(), ['3.1', '4.0'])
  }
})

test('KEV lists one in the first night, more in the second', () => {
  for (const sample of samples) {
    const count = (path: string) => (sample.json(path) as { count: number }).count
    assert.is(count('kev/2026-05-31/known_exploited_vulnerabilities.json'), 1)
    assert.ok(count('kev/known_exploited_vulnerabilities.json') > 1)
  }
})

test('the newest CVEs have something of everything too: they are what a reader sees first', () => {
  const world = createWorld(1, 2000, 2)
  const late = Array.from({ length: 200 }, (_, i) => world.facts(1800 + i).showcase).filter((one) => one !== null)
  assert.is(late.length, 4)
})

test.run()
