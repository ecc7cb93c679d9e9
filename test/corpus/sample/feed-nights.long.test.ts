/** The changes of the second night in feeds other than the CVE list, KEV and EPSS. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createWorld } from '../../../corpus/sample/world.ts'
import { sampleFiles } from './sample-files.ts'

const [FIRST, SECOND] = ['2026-05-31', '2026-06-01']
const sample = await sampleFiles({ cves: 2000 })

/** Returns how many items are new, changed and removed, by key. */
function compare<T>(
  before: Map<string, T>,
  after: Map<string, T>,
): { added: string[]; changed: string[]; gone: string[] } {
  const same = (key: string) => JSON.stringify(before.get(key)) === JSON.stringify(after.get(key))
  return {
    added: [...after.keys()].filter((key) => !before.has(key)),
    changed: [...after.keys()].filter((key) => before.has(key) && !same(key)),
    gone: [...before.keys()].filter((key) => !after.has(key)),
  }
}

function byKey<T>(items: Iterable<T>, keyOf: (item: T) => unknown): Map<string, T> {
  return new Map([...items].map((item) => [String(keyOf(item)), item]))
}

test('each feed has a few new items and a few changed ones, and loses none', () => {
  const feeds: Record<string, (date: string) => Map<string, unknown>> = {
    exploits: (date) => byKey(sample.csv(`exploitdb/${date}/files_exploits.csv.gz`), (row) => row.id),
    modules: (date) => new Map(Object.entries(sample.modules(`metasploit/${date}/modules_metadata_base.json.gz`))),
    templates: (date) => byKey(sample.lines(`nuclei/${date}/cves.json`), (line) => line.ID),
    reports: (date) => byKey(sample.lines(`first-party/${date}/reports.ndjson`), (line) => line.id),
    analyses: (date) => byKey(sample.lines(`first-party/${date}/analyses.ndjson`), (line) => line.cve_id),
    scores: (date) => byKey(sample.lines(`first-party/${date}/service-scores.ndjson`), (line) => line.cve_id),
    detections: (date) =>
      byKey(
        sample.lines(`first-party/${date}/detections.ndjson`),
        (line) => `${line.cve_id ?? line.cve_ids} ${line.name}`,
      ),
  }
  for (const [name, read] of Object.entries(feeds)) {
    const { added, changed, gone } = compare(read(FIRST!), read(SECOND!))
    assert.ok(added.length >= 2 && added.length <= 20, `${name}: ${added.length} new`)
    assert.ok(changed.length >= 2 && changed.length <= 20, `${name}: ${changed.length} changed`)
    assert.equal(gone, [], name)
  }
})

test('advisories are published, changed and withdrawn in the second night, each dated by it', async () => {
  const [before, after] = await Promise.all(
    [FIRST, SECOND].map(async (date) =>
      byKey(await sample.advisories(`ghsa/${date}/advisory-database.zip`), ({ id }) => id),
    ),
  )
  const { added, changed, gone } = compare(before!, after!)
  const withdrawn = changed.filter((id) => after!.get(id)!.withdrawn)
  assert.ok(added.length >= 3 && changed.length - withdrawn.length >= 3 && withdrawn.length >= 2, `${added} ${changed}`)
  assert.equal(gone, [])
  for (const id of [...added, ...changed]) {
    const { modified } = after!.get(id)!
    assert.ok(modified > '2026-05-31T22:13' && modified < '2026-06-01T22:13', `${id} ${modified}`)
  }
  // Some were withdrawn long before.
  assert.ok([...before!.values()].filter((one) => one.withdrawn).length >= 2)
})

test("OSV's exports go along with the advisories", async () => {
  for (const ecosystem of ['Go', 'PyPI', 'npm']) {
    const [before, after] = await Promise.all(
      [FIRST, SECOND].map(async (date) =>
        byKey(await sample.advisories(`osv/${ecosystem}/all-${date}.zip`), ({ id }) => id),
      ),
    )
    const { added, changed, gone } = compare(before!, after!)
    assert.ok(added.length + changed.length > 0, ecosystem)
    assert.equal(gone, [])
  }
})

test('NVD states in the feed of what was modified every record that the night changed, newer than before', () => {
  const modified = byKey(sample.nvd('nvd/nvdcve-2.0-modified.json.gz'), ({ id }) => id)
  const years = sample.paths.filter((path) => /nvdcve-2\.0-\d{4}/.test(path))
  const before = byKey(
    years.flatMap((path) => sample.nvd(path)),
    ({ id }) => id,
  )
  const world = createWorld(1, 2000, 2)
  for (let index = 0; index < world.records; index++) {
    const { id, change, born } = world.facts(index)
    if (change?.night === 1 || born === 1) assert.ok(modified.has(id), id)
  }
  let analysed = 0
  for (const [id, { lastModified, vulnStatus }] of modified) {
    const old = before.get(id)
    assert.ok(lastModified > '2026-05-31T22:13', `${id} ${lastModified}`)
    if (old) assert.ok(lastModified > old.lastModified, id)
    if (old?.vulnStatus === 'Awaiting Analysis' && vulnStatus === 'Analyzed') analysed++
  }
  assert.ok(analysed >= 2, `${analysed}`)
})

test('a draft of a report becomes final, under its id', () => {
  const [before, after] = [FIRST, SECOND].map((date) =>
    byKey(sample.lines(`first-party/${date}/reports.ndjson`), (line) => line.id),
  )
  const finished = [...before!].filter(([id, line]) => line.status === 'draft' && after!.get(id)!.status === 'final')
  assert.ok(finished.length >= 2, `${finished.length}`)
})

test('with more nights everything still happens once, at its time', async () => {
  const more = await sampleFiles({ cves: 400, nights: 4 })
  const dates = [0, 1, 2, 3].map((day) => (day === 0 ? FIRST! : `2026-06-0${day}`))
  const reports = dates.map((date) => byKey(more.lines(`first-party/${date}/reports.ndjson`), (line) => line.id))
  const sizes = reports.map((one) => one.size)
  assert.equal(
    sizes,
    sizes.toSorted((a, b) => a - b),
  )
  assert.ok(sizes.at(-1)! > sizes[0]!)
  const modified = more.paths.filter((path) => path.endsWith('modified.json.gz'))
  assert.equal(modified.sort(), [
    'nvd/2026-06-01/nvdcve-2.0-modified.json.gz',
    'nvd/2026-06-02/nvdcve-2.0-modified.json.gz',
    'nvd/nvdcve-2.0-modified.json.gz',
  ])
})

test.run()
