/** The changes of the second night, and the options, counted in the written files. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chooseFiles } from '../../../corpus/feeds/files/choice.ts'
import { FEEDS } from '../../../corpus/feeds/table.ts'
import { generateSample } from '../../../corpus/sample/generate.ts'
import { createWorld } from '../../../corpus/sample/world.ts'
import { feedItems } from '../feeds/reading.ts'
import { FIRST, memoryDisk, SECOND, sampleFiles } from './sample-files.ts'

const sample = await sampleFiles({ cves: 2000 })
const world = createWorld(1, 2000, 2)
const facts = Array.from({ length: world.records }, (_, index) => world.facts(index))
const [first, second] = [await sample.records(FIRST), await sample.records(SECOND)]
const text = (value: unknown) => JSON.stringify(value)
const changed = [...second.keys()].filter((id) => first.has(id) && text(first.get(id)) !== text(second.get(id)))
const added = [...second.keys()].filter((id) => !first.has(id))

/** Returns how many items are new, changed and removed, by key. */
function compare<T>(before: Map<string, T>, after: Map<string, T>) {
  return {
    added: [...after.keys()].filter((key) => !before.has(key)),
    changed: [...after.keys()].filter((key) => before.has(key) && text(before.get(key)) !== text(after.get(key))),
    gone: [...before.keys()].filter((key) => !after.has(key)),
  }
}

const byKey = <T>(items: Iterable<T>, keyOf: (item: T) => unknown) =>
  new Map([...items].map((item) => [String(keyOf(item)), item]))

test('in the second night one record in a hundred is changed, a few are new, none is gone; the delta has them', async () => {
  assert.is(first.size, 2000)
  assert.ok(changed.length >= 20 && changed.length <= 26, `${changed.length}`)
  assert.is(added.length, 5)
  assert.ok([...first.keys()].every((id) => second.has(id)))
  const delta = await sample.zip(`cvelistv5/${SECOND}_delta_CVEs.zip`)
  assert.equal([...delta.keys()].sort(), [...changed, ...added].map((id) => `deltaCves/${id}.json`).sort())
  for (const [name, bytes] of delta) assert.equal(JSON.parse(String(bytes)), second.get(name.slice(10, -5)))
  for (const id of [...changed, ...added]) {
    const { dateUpdated } = second.get(id)!.cveMetadata
    assert.ok(dateUpdated > '2026-05-31T22:13' && dateUpdated <= '2026-06-01T22:13', id)
  }
  for (const name of (await sample.zip(`cvelistv5/${FIRST}_all_CVEs.zip`)).keys())
    assert.match(name, /^cves\/(\d{4})\/(\d+)xxx\/CVE-\1-\2\d{3}\.json$/)
})

test('records change in all the ways there are, and each way shows', () => {
  const kinds = new Set<string>()
  for (const { id, change } of facts) {
    if (!change) continue
    kinds.add(change.kind)
    const [before, after] = [first.get(id)!, second.get(id)!]
    const [old, cna] = [before.containers.cna, after.containers.cna]
    const states = `${before.cveMetadata.state} ${after.cveMetadata.state}`
    const shows: Record<string, () => boolean> = {
      reference: () => cna.references!.length === old.references!.length + 1,
      fix: () => text(cna.affected) !== text(old.affected),
      assessment: () => text(after.containers.adp) !== text(before.containers.adp),
      score: () => !old.metrics && cna.metrics!.length === 1,
      title: () => cna.title !== old.title,
      description: () => cna.descriptions![0]!.value.startsWith(old.descriptions![0]!.value),
      rejected: () => states === 'PUBLISHED REJECTED',
      revived: () => states === 'REJECTED PUBLISHED',
      disclosed: () => states === 'RESERVED PUBLISHED',
      kev: () => !text(before).includes('"kev"') && text(after).includes('"kev"'),
    }
    assert.ok(shows[change.kind]!(), `${id} ${change.kind}`)
  }
  assert.is(kinds.size, 10)
})

test('KEV grows by three; every EPSS score moves a little, and percentiles follow scores', () => {
  const ids = (path: string) =>
    (sample.json(path) as { vulnerabilities: { cveID: string; dateAdded: string }[] }).vulnerabilities
  const [older, newer] = [`kev/${FIRST}/`, 'kev/'].map((folder) => ids(`${folder}known_exploited_vulnerabilities.json`))
  assert.equal(newer!.slice(3), older)
  assert.equal(new Set(newer!.slice(0, 3).map(({ dateAdded }) => dateAdded)), new Set([SECOND]))
  const [before, after] = [sample.epss(FIRST), sample.epss(SECOND)]
  const kept = [...after].filter(([id]) => before.has(id))
  assert.ok(kept.length > 1890)
  for (const [id, [score]] of kept) {
    const [old] = before.get(id)!
    const moved = Math.abs(score - old)
    assert.ok(moved > 0.000005 && moved <= Math.max(0.1 * old, 0.00001) + 0.00001, `${id} ${old} ${score}`)
  }
  const rows = [...after.values()].sort(([a, p], [b, q]) => a - b || p - q)
  for (const [i, [, percentile]] of rows.entries()) assert.ok(i === 0 || percentile >= rows[i - 1]![1])
  const states = new Map([...second].map(([id, { cveMetadata }]) => [id, cveMetadata.state]))
  assert.equal([...after.keys()].sort(), [...states.keys()].filter((id) => states.get(id) === 'PUBLISHED').sort())
})

test('each feed has a few new items and a few changed ones, and loses none', () => {
  const feeds: Record<string, (date: string) => Map<string, unknown>> = {
    exploits: (date) => byKey(sample.csv(`exploitdb/${date}/files_exploits.csv.gz`), (row) => row.id),
    modules: (date) => new Map(Object.entries(sample.modules(`metasploit/${date}/modules_metadata_base.json.gz`))),
    templates: (date) => byKey(sample.lines(`nuclei/${date}/cves.json`), (line) => line.ID),
    reports: (date) => byKey(sample.lines(`first-party/${date}/reports.ndjson`), (line) => line.id),
    analyses: (date) => byKey(sample.lines(`first-party/${date}/analyses.ndjson`), (line) => line.cve_id),
    scores: (date) => byKey(sample.lines(`first-party/${date}/service-scores.ndjson`), (line) => line.cve_id),
    detections: (date) =>
      byKey(sample.lines(`first-party/${date}/detections.ndjson`), (one) => `${one.cve_id ?? one.cve_ids} ${one.name}`),
  }
  for (const [name, read] of Object.entries(feeds)) {
    const { added, changed, gone } = compare(read(FIRST), read(SECOND))
    assert.ok(added.length >= 2 && added.length <= 20, `${name}: ${added.length} new`)
    assert.ok(changed.length >= 2 && changed.length <= 20, `${name}: ${changed.length} changed`)
    assert.equal(gone, [], name)
  }
  const reports = (date: string) => byKey(sample.lines(`first-party/${date}/reports.ndjson`), (line) => line.id)
  const after = reports(SECOND)
  const finished = [...reports(FIRST)].filter(
    ([id, one]) => one.status === 'draft' && after.get(id)!.status === 'final',
  )
  assert.ok(finished.length >= 2, `${finished.length}`)
})

test('advisories are published, changed and withdrawn in the second night, each dated by it', async () => {
  const github = (date: string) => sample.advisories(`ghsa/${date}/advisory-database.zip`)
  const [before, after] = [byKey(await github(FIRST), ({ id }) => id), byKey(await github(SECOND), ({ id }) => id)]
  const { added, changed, gone } = compare(before, after)
  const withdrawn = changed.filter((id) => after.get(id)!.withdrawn)
  assert.ok(added.length >= 3 && changed.length - withdrawn.length >= 3 && withdrawn.length >= 2, `${added} ${changed}`)
  assert.equal(gone, [])
  for (const id of [...added, ...changed]) {
    const { modified } = after.get(id)!
    assert.ok(modified > '2026-05-31T22:13' && modified < '2026-06-01T22:13', `${id} ${modified}`)
  }
  const all = compare(await sample.osv(FIRST), await sample.osv(SECOND))
  assert.ok(all.added.length >= 5 && all.changed.length >= 15, `${all.added.length} ${all.changed.length}`)
  assert.equal(all.gone, [])
})

test('NVD has every record but the reserved ones, with the text and the scores of the CNA; changes are newer', () => {
  const modified = byKey(sample.nvd('nvd/nvdcve-2.0-modified.json.gz'), ({ id }) => id)
  const years = sample.paths.filter((path) => /nvdcve-2\.0-\d{4}/.test(path))
  const before = byKey(
    years.flatMap((path) => sample.nvd(path)),
    ({ id }) => id,
  )
  for (const { id, change, born } of facts) if (change?.night === 1 || born === 1) assert.ok(modified.has(id), id)
  let analysed = 0
  for (const [id, { lastModified, vulnStatus }] of modified) {
    const old = before.get(id)
    assert.ok(lastModified > '2026-05-31T22:13' && (!old || lastModified > old.lastModified), id)
    if (old?.vulnStatus === 'Awaiting Analysis' && vulnStatus === 'Analyzed') analysed++
  }
  assert.ok(analysed >= 2, `${analysed}`)
  for (const [id, { cveMetadata, containers }] of second) {
    const nvd = modified.get(id) ?? before.get(id)
    assert.is(nvd !== undefined, cveMetadata.state !== 'RESERVED', id)
    assert.is(nvd?.vulnStatus === 'Rejected', cveMetadata.state === 'REJECTED', id)
    if (cveMetadata.state !== 'PUBLISHED') continue
    assert.is(nvd!.descriptions[0]!.value, containers.cna.descriptions![0]!.value, id)
    const copied = JSON.stringify(nvd!.metrics)
    for (const [, vector] of JSON.stringify(containers.cna.metrics ?? []).matchAll(/"vectorString":"([^"]*)"/g))
      assert.ok(copied.includes(vector!), id)
  }
})

test('whatever names a CVE names one of the list, and the product of the CVE', () => {
  const products = new Map(facts.map(({ id, vendor, product }) => [id as string, `${vendor.name} ${product} `]))
  const exploits = sample.csv(`exploitdb/${SECOND}/files_exploits.csv.gz`)
  const ids = new Set(exploits.map(({ id }) => id))
  assert.is(ids.size, exploits.length)
  for (const { codes, description } of exploits) {
    const [code] = codes!.split(';')
    if (code!.startsWith('CVE-')) assert.ok(description!.startsWith(products.get(code!)!), description)
  }
  const modules = Object.values(sample.modules(`metasploit/${SECOND}/modules_metadata_base.json.gz`))
  const cited = modules.flatMap(({ references }) => references as string[])
  assert.ok(cited.filter((one) => one.startsWith('EDB-')).length > 10)
  for (const one of cited) if (one.startsWith('EDB-')) assert.ok(ids.has(one.slice(4)), one)
  const named = [
    ...cited.filter((one) => one.startsWith('CVE-')),
    ...sample.lines(`nuclei/${SECOND}/cves.json`).map((line) => String(line.ID)),
    ...['reports', 'analyses', 'service-scores', 'detections', 'exploited'].flatMap((name) =>
      sample.lines(`first-party/${SECOND}/${name}.ndjson`).flatMap((one) => (one.cve_ids as string[]) ?? [one.cve_id]),
    ),
  ]
  assert.ok(named.length > 400, `${named.length}`)
  assert.equal(
    named.filter((id) => !second.has(id)),
    [],
  )
})

const DATELESS = `ghsa/advisory-database.zip exploitdb/files_exploits.csv.gz metasploit/modules_metadata_base.json.gz
nuclei/cves.json poc/PoC-in-GitHub.zip first-party/reports.ndjson first-party/report-types.ndjson
first-party/analyses.ndjson first-party/service-scores.ndjson first-party/detections.ndjson
first-party/exploited.ndjson vulncheck/vulncheck_known_exploited_vulnerabilities.json
euvd/euvd_kev.json`.split(/\s/)

test('the adapters of the product read every file whole, at the paths of upstream', async () => {
  const feeds = mkdtempSync(join(tmpdir(), 'vulnshelf-sample-'))
  try {
    const report = await generateSample({ feeds, cves: 400, nights: 1 })
    const paths = report.files.map(({ path }) => path)
    for (const path of DATELESS) assert.ok(paths.includes(path), path)
    for (const feed of FEEDS) {
      const files = chooseFiles(await feed.find(feeds), null)
      assert.ok(files.length > 0, feed.name)
      for (const found of files) {
        const items = await feedItems(feed, found)
        for (const item of items) assert.is.not(item.kind, 'skip', JSON.stringify(item))
        assert.is(items.length, report.files.find(({ path }) => path === found.name)!.records, found.name)
      }
    }
  } finally {
    rmSync(feeds, { recursive: true })
  }
})

test('the same options give the same bytes, another seed others; a single record makes a sample', async () => {
  const [one, same, other] = await Promise.all([5, 5, 6].map((seed) => sampleFiles({ cves: 300, seed })))
  for (const path of one!.paths) {
    assert.ok(one!.bytes(path).equals(same!.bytes(path)), path)
    // The types of reports are not random.
    if (!path.endsWith('report-types.ndjson')) assert.not.ok(one!.bytes(path).equals(other!.bytes(path)), path)
  }
  for (const { path, bytes } of one!.report.files) assert.ok(bytes > 0, path)
  const { report } = await sampleFiles({ cves: 1, nights: 3 })
  const count = (path: string) => report.files.find((file) => file.path === `cvelistv5/${path}_CVEs.zip`)!.records
  assert.equal([count('2026-05-31_all'), count('2026-06-02_all'), count('2026-06-02_delta')], [1, 11, 5])
  assert.equal(report.nights, ['2026-05-31', '2026-06-01', '2026-06-02'])
})

test('advisories are as many as the option states in the first night, and change nothing else', async () => {
  const [none, some] = await Promise.all([0, 301].map((advisories) => sampleFiles({ cves: 300, advisories })))
  assert.is((await some!.osv(FIRST)).size - (await none!.osv(FIRST)).size, 301)
  for (const path of none!.paths.filter((one) => !one.startsWith('osv/')))
    assert.ok(none!.bytes(path).equals(some!.bytes(path)), path)
})

test('an option out of its range is named, and nothing is written; after a failure no file is left open', async () => {
  for (const options of [{ cves: 0 }, { cves: 1.5 }, { advisories: -1 }, { seed: -1 }, { nights: 101 }]) {
    const disk = memoryDisk()
    const error = await generateSample({ feeds: 'f', ...options }, disk).catch((cause: Error) => cause)
    assert.instance(error, TypeError)
    assert.match((error as Error).message, new RegExp(`^${Object.keys(options)[0]} must be a whole number from `))
    assert.is(disk.files.size, 0)
  }
  const failing = `f/cvelistv5/${SECOND}_all_CVEs.zip`
  const disk = memoryDisk(failing)
  const error = await generateSample({ feeds: 'f', cves: 300 }, disk).catch((cause: Error) => cause)
  assert.is((error as Error).message, 'disk full')
  assert.equal([disk.open.size, disk.files.has(failing)], [0, false])
})

test('at 350,000 there are 200 new ones a night, 3,500 changed ones, and 1,500 in KEV', () => {
  const large = createWorld(1, 350_000, 2)
  assert.is(large.records, 350_200)
  let [changes, listed] = [0, 0]
  for (let index = 0; index < large.cves; index++) {
    const { change, kevNight } = large.facts(index)
    if (change?.night === 1) changes++
    if (kevNight === 0) listed++
  }
  assert.is(listed, 1502)
  assert.ok(changes > 3450 && changes <= 3503, `${changes}`)
})

test.run()
