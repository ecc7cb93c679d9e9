/** The corpus keeps the records of feeds in the OSV schema as published, and what they state about packages. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type IngestReport, ingest } from '../../../builder/ingest/ingest.ts'
import type { PackageAdvisory } from '../../../corpus/model/packages/package-advisory.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, type FeedFiles, putFeeds, type SmallRecord, zipOf } from '../../support/feeds.ts'

const folder = temporaryFolder('advisories')
const CVE = 'CVE-2024-0001'
const LIST = { 'cvelistv5/2024-06-01_all_CVEs.zip': baselineZip([{ id: CVE }, { id: 'CVE-2024-0002' }]) }
const GHSA = 'GHSA-aaaa-bbbb-2222'

let worlds = 0
function openWorld(first: FeedFiles) {
  const path = join(folder.path, String(++worlds))
  const [feeds, corpus] = [join(path, 'feeds'), join(path, 'corpus.db')]
  putFeeds(feeds, { ...LIST, ...first })
  const read = <Result>(work: (corpus: ReturnType<typeof openCorpus>) => Result): Result => {
    const opened = openCorpus(corpus)
    try {
      return work(opened)
    } finally {
      opened.close()
    }
  }
  return {
    path: corpus,
    night(files: FeedFiles = {}, jobs = 0): Promise<IngestReport> {
      putFeeds(feeds, files)
      return ingest({ feeds, corpus, jobs, acceptShrink: true }, quietEffects())
    },
    /** Returns the text of each record that counts. */
    records: () =>
      read(({ advisories }) =>
        Object.fromEntries(advisories.digests().keys.map((id) => [id, advisories.record(id)!.text])),
      ),
    /** Returns `<id> <version that fixes it>` of each statement that counts, by package. */
    packages: () =>
      read(({ advisories }) =>
        Object.fromEntries(
          advisories.packages().keys.map((key) => [key, advisories.package(key).advisories.map(statement)]),
        ),
      ),
    digest: () => read((one) => one.digest()),
    packageDigests: () =>
      read(({ advisories }) => {
        const { keys, digests } = advisories.packages()
        assert.is(digests.length, keys.length * 16)
        const hex = Buffer.from(digests).toString('hex')
        return Object.fromEntries(keys.map((key, i) => [key, hex.slice(i * 32, (i + 1) * 32)]))
      }),
    /** Returns all rows, with their row ids. */
    rows: () => {
      const database = new Database(corpus, { readonly: true })
      const rows = ['advisory', 'package_advisory'].map((table) =>
        database.prepare<[], { id: string; feed: string }>(`SELECT rowid, * FROM ${table} ORDER BY rowid`).all(),
      )
      database.close()
      return rows
    },
  }
}

function statement(json: string): string {
  const { id, affected } = JSON.parse(json) as PackageAdvisory
  return `${id} ${affected.map(({ ranges }) => ranges.map(({ events }) => events.at(-1)!.fixed)).join()}`
}

interface Fields extends Record<string, unknown> {
  packages?: string[]
  fixed?: string
}

/** Returns the file of an entry, indented. Its packages are of npm. */
function entry(id: string, { packages = ['widget'], fixed = '1.0.0', ...fields }: Fields = {}): [string, string] {
  const affected = packages.map((name) => ({
    package: { ecosystem: 'npm', name },
    ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }],
  }))
  return [`${id}.json`, JSON.stringify({ id, modified: '2024-05-01T00:00:00Z', affected, ...fields }, null, 2)]
}

const osv = (...entries: [string, string][]): FeedFiles => ({ 'osv/npm/all.zip': zipOf(Object.fromEntries(entries)) })
const ghsa = (...entries: [string, string][]): FeedFiles => ({
  'ghsa/advisory-database.zip': zipOf(Object.fromEntries(entries)),
})
const minified = ([, text]: [string, string]) => JSON.stringify(JSON.parse(text))

const skipsOf = (report: IngestReport, name: string) =>
  report.feeds
    .find((feed) => feed.name === name)!
    .skipped.flatMap(({ reason, items }) => items.map(({ key }) => `${key} ${reason}`))

test('records are kept as published: with a CVE, without one, malicious, withdrawn', async () => {
  const entries = {
    'GO-1': entry('GO-1', { aliases: [CVE] }),
    'GO-2': entry('GO-2', { packages: ['widget', '@Acme/gadget'], score: 1.5, b: { 2: 'ü', 1: '\\"' } }),
    'MAL-1': entry('MAL-1', { details: 'x'.repeat(100_000) }),
    'GO-3': entry('GO-3', { aliases: [CVE], withdrawn: '2024-05-02T00:00:00Z' }),
  }
  const reviewed = entry(GHSA, { aliases: [CVE] })
  for (const jobs of [0, 2]) {
    const it = openWorld({ ...osv(...Object.values(entries)), ...ghsa(reviewed) })
    const report = await it.night({}, jobs)
    const expected = Object.entries({ ...entries, [GHSA]: reviewed }).map(([id, one]) => [id, minified(one)])
    assert.equal(it.records(), Object.fromEntries(expected))
    assert.equal(it.packages(), {
      'npm/@acme/gadget': ['GO-2 1.0.0'],
      'npm/widget': [`${GHSA} 1.0.0`, 'GO-1 1.0.0', 'GO-2 1.0.0', 'MAL-1 1.0.0'],
    })
    assert.equal(report.advisories, { total: 5, withoutCve: 3 })
  }
})

test('digests are 16 bytes of SHA-256: of the text, and of statement and purl', async () => {
  const it = openWorld(osv(entry('GO-1')))
  await it.night()
  const [first] = it.rows()[0] as unknown as { digest: Buffer; body: string; modified: string }[]
  const sha = (text: string) => hash('sha256', text, 'buffer').subarray(0, 16)
  assert.equal([first!.digest, first!.modified], [sha(first!.body), '2024-05-01T00:00:00.000Z'])
  const [second] = it.rows()[1] as unknown as { digest: Buffer; body: string; purl: string }[]
  assert.equal([second!.digest, second!.purl], [sha(`${second!.body}\npkg:npm/widget`), 'pkg:npm/widget'])
})

const AT = (day: number) => `2024-05-0${day}T00:00:00Z`
const COPIES: [what: string, export_: string | null, checkout: string | null, counts: 'osv' | 'ghsa'][] = [
  ['equal dates', AT(2), AT(2), 'osv'],
  ['a newer export', AT(3), AT(2), 'osv'],
  ['a newer checkout', AT(2), AT(3), 'ghsa'],
  ['no date in the export', null, AT(3), 'osv'],
  ['no date in the checkout', AT(2), null, 'osv'],
  ['no dates', null, null, 'osv'],
]
for (const [what, exported, checkout, counts] of COPIES) {
  test(`an id in both feeds, ${what}: ${counts} counts, with its packages alone`, async () => {
    const copies = {
      osv: entry(GHSA, { modified: exported, packages: ['a', 'b'], fixed: '1.0.0' }),
      ghsa: entry(GHSA, { modified: checkout, packages: ['b', 'c'], fixed: '2.0.0' }),
    }
    const it = openWorld({ ...osv(copies.osv), ...ghsa(copies.ghsa) })
    const report = await it.night()
    assert.equal(it.records(), { [GHSA]: minified(copies[counts]) })
    assert.equal(
      it.packages(),
      counts === 'osv'
        ? { 'npm/a': [`${GHSA} 1.0.0`], 'npm/b': [`${GHSA} 1.0.0`] }
        : { 'npm/b': [`${GHSA} 2.0.0`], 'npm/c': [`${GHSA} 2.0.0`] },
    )
    assert.equal(report.advisories, { total: 1, withoutCve: 1 })
  })
}

test('a night changes, adds and removes records with their packages, and leaves the rows of others', async () => {
  const [same, gone] = [entry('GO-1'), entry('GO-2', { aliases: [CVE] })]
  const it = openWorld(osv(same, gone, entry('GO-3', { packages: ['a', 'b'] })))
  await it.night()
  const before = { rows: it.rows(), digest: it.digest(), packages: it.packageDigests() }

  const changed = entry('GO-3', { packages: ['b', 'c'], fixed: '1.0.1' })
  const added = entry('MAL-1', { packages: ['c'] })
  await it.night(osv(same, changed, added))
  assert.equal(it.records(), { 'GO-1': minified(same), 'GO-3': minified(changed), 'MAL-1': minified(added) })
  assert.equal(it.packages(), {
    'npm/b': ['GO-3 1.0.1'],
    'npm/c': ['GO-3 1.0.1', 'MAL-1 1.0.0'],
    'npm/widget': ['GO-1 1.0.0'],
  })
  const ofSame = (rows: { id: string }[][]) => rows.map((all) => all.filter(({ id }) => id === 'GO-1'))
  assert.equal(ofSame(it.rows()), ofSame(before.rows))
  assert.is.not(it.digest(), before.digest)
  assert.is.not(it.packageDigests()['npm/b'], before.packages['npm/b'])
  assert.is.not(it.packageDigests()['npm/widget'], before.packages['npm/widget'], 'GO-2 is gone')

  await it.night(osv(same, gone, entry('GO-3', { packages: ['a', 'b'] })))
  assert.equal(it.packageDigests(), before.packages)
})

test('a change outside of what a package states leaves the digest of the package', async () => {
  const it = openWorld(osv(entry('GO-1'), entry('GO-2')))
  await it.night()
  const before = { packages: it.packageDigests(), digest: it.digest(), rows: it.rows()[1] }
  await it.night(osv(entry('GO-1', { details: 'More.' }), entry('GO-2')))
  assert.equal([it.packageDigests(), it.rows()[1]], [before.packages, before.rows])
  assert.is.not(it.digest(), before.digest)
})

test('a record that is withdrawn keeps its text and loses its packages', async () => {
  const it = openWorld(osv(entry('GO-1', { aliases: [CVE] }), entry('GO-2', { packages: ['b'] })))
  await it.night()
  const withdrawn = entry('GO-1', { aliases: [CVE], withdrawn: '2024-05-02T00:00:00Z' })
  const report = await it.night(osv(withdrawn, entry('GO-2', { packages: ['b'] })))
  assert.is(it.records()['GO-1'], minified(withdrawn))
  assert.equal(it.packages(), { 'npm/b': ['GO-2 1.0.0'] })
  assert.equal(report.advisories, { total: 2, withoutCve: 2 })
})

test('a second ingest of the same records writes no row', async () => {
  const copy = entry('GO-1', { packages: ['a', 'b'] })
  const files = (more: string): FeedFiles => ({
    'osv/Go/all.zip': zipOf(Object.fromEntries([copy, entry('GO-2'), ['README', more]])),
    'osv/npm/all.zip': zipOf(Object.fromEntries([copy, entry('MAL-1')])),
    ...ghsa(entry(GHSA)),
  })
  const it = openWorld(files(''))
  assert.equal(skipsOf(await it.night(), 'osv'), [], 'the same copy in two files is no older one')
  const before = it.rows()
  const database = new Database(it.path)
  for (const table of ['advisory', 'package_advisory']) {
    for (const event of ['INSERT', 'UPDATE', 'DELETE']) {
      database.exec(
        `CREATE TRIGGER no_${event}_${table} AFTER ${event} ON ${table} BEGIN SELECT RAISE(ABORT, 'written'); END`,
      )
    }
  }
  database.close()
  const again = await it.night(files('changed'))
  assert.is(again.feeds.find(({ name }) => name === 'osv')!.status, 'read')
  assert.equal(it.rows(), before)
})

test('of copies in two files the one that counts is kept, with its packages alone', async () => {
  const copies = (first: Fields, second: Fields): FeedFiles => ({
    'osv/Go/all.zip': zipOf(Object.fromEntries([entry('GO-1', first)])),
    'osv/npm/all.zip': zipOf(Object.fromEntries([entry('GO-1', second)])),
  })
  const [older, newer] = [
    { modified: AT(1), packages: ['a', 'b'] },
    { modified: AT(2), packages: ['b', 'c'], fixed: '2.0.0' },
  ]
  const expected = { 'npm/b': ['GO-1 2.0.0'], 'npm/c': ['GO-1 2.0.0'] }
  for (const files of [copies(older, newer), copies(newer, older)]) {
    const it = openWorld(files)
    await it.night()
    assert.equal([it.packages(), it.records()], [expected, { 'GO-1': minified(entry('GO-1', newer)) }])
    await it.night(osv(entry('GO-1', { ...older, modified: AT(3) })))
    assert.equal(it.packages(), { 'npm/a': ['GO-1 1.0.0'], 'npm/b': ['GO-1 1.0.0'] })
  }
})

test('a record that cannot be read keeps what the corpus has; a feed that is absent too', async () => {
  const [one, two] = [entry('GO-1'), entry('GO-2')]
  const it = openWorld(osv(one, two))
  await it.night()
  const before = it.rows()
  const tooLong = entry('GO-2', { packages: ['x'.repeat(3000)] })
  for (const broken of [['GO-2.json', '{"id":'] as [string, string], tooLong]) {
    const report = await it.night(osv(one, broken))
    assert.equal(report.feeds.find(({ name }) => name === 'osv')!.held, 1)
    assert.equal(it.rows(), before)
  }
  await it.night({ 'osv/npm/all.zip': null })
  assert.equal(it.rows(), before)
})

test('a CVE record states packages until it names none; a published record of packages with its id precedes it', async () => {
  const list = (record: Partial<SmallRecord>) => ({
    'cvelistv5/2024-06-01_all_CVEs.zip': baselineZip([{ id: CVE, ...record }, { id: 'CVE-2024-0002' }]),
  })
  const it = openWorld(list({ purl: 'pkg:hex/widget' }))
  await it.night()
  assert.equal([Object.keys(it.records()), it.packages()], [[CVE], { 'Hex/widget': [`${CVE} `] }])
  const published = entry(CVE, { packages: ['gadget'] })
  await it.night(osv(published))
  assert.equal([it.records(), Object.keys(it.packages())], [{ [CVE]: minified(published) }, ['npm/gadget']])
  for (const silent of [
    { withdrawn: '2024-05-02T00:00:00Z' },
    { affected: [{ ranges: [{ type: 'GIT', events: [] }] }] },
  ]) {
    await it.night(osv(entry(CVE, silent)))
    assert.equal([Object.keys(it.records()), it.packages()], [[CVE], { 'Hex/widget': [`${CVE} `] }])
    assert.is(JSON.parse(it.records()[CVE]!).database_specific.derived_from, 'cve_record')
  }
  await it.night(osv(entry('GO-1')))
  assert.equal(Object.keys(it.packages()), ['Hex/widget', 'npm/widget'])
  for (const record of [{ title: 'Another' }, { state: 'REJECTED' } as const]) {
    await it.night(list({ purl: 'pkg:hex/widget' }))
    assert.equal(Object.keys(it.records()), [CVE, 'GO-1'])
    await it.night(list(record))
    assert.equal([Object.keys(it.records()), Object.keys(it.packages())], [['GO-1'], ['npm/widget']])
  }
})

test('another version of the extraction reads all records again', async () => {
  const it = openWorld(osv(entry('GO-1'), entry('GO-2', { packages: ['b'] })))
  await it.night()
  const before = it.rows()
  const database = new Database(it.path)
  database.exec(`
    UPDATE feed SET state = json_set(state, '$.adapter', 1) WHERE name = 'osv';
    UPDATE claim SET digest = CAST(x'01' || substr(digest, 2) AS BLOB) WHERE feed = 'osv';
    UPDATE package_advisory SET body = '{}', digest = zeroblob(16), purl = NULL WHERE id = 'GO-1';
    UPDATE package_advisory SET package = 'npm/another' WHERE id = 'GO-2';
  `)
  database.close()
  await it.night()
  const withoutRow = (rows: object[][]) => rows.map((all) => all.map((row) => ({ ...row, rowid: 0 })))
  assert.equal(withoutRow(it.rows()), withoutRow(before))
})

test.after(() => folder.remove())
test.run()
