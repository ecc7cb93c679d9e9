/** Records that exceed the limits of a snapshot: ingest skips and names them, and no build fails because of one. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type IngestReport, ingest } from '../../../builder/ingest/ingest.ts'
import { assertFits } from '../../../builder/ingest/merge.ts'
import { show } from '../../../builder/show.ts'
import { type BuildReport, build } from '../../../builder/snapshot/build.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { askDirectly } from '../../support/ask.ts'
import { changeParts } from '../../support/change-parts.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { corpusContents, cveRecord, type FeedFiles, putFeeds, recordPath, zipOf } from '../../support/feeds.ts'

const test = suite('too large')
const folder = temporaryFolder('too-large')
const [A, B, C] = ['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2024-0003'] as const
/** A feed that loses more than a tenth of its records is rejected, so some more are necessary. */
const MORE = Array.from({ length: 20 }, (_, i) => `CVE-2024-${1000 + i}` as const)

// biome-ignore lint/suspicious/noExplicitAny: tests spoil any part of a record
type Json = any

let worlds = 0
/** Creates a feeds folder with its corpus and snapshots, for several nights. */
function openWorld() {
  const path = join(folder.path, String(++worlds))
  const [feeds, corpus, dist] = ['feeds', 'corpus.db', 'dist'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ]
  return {
    corpus,
    dist,
    async night(files: FeedFiles, jobs = 0): Promise<{ report: IngestReport; built: BuildReport }> {
      putFeeds(feeds, files)
      const report = await ingest({ feeds, corpus, jobs }, quietEffects())
      const built = await build({ corpus, dist, jobs }, quietEffects(), noProgress)
      return { report, built }
    },
    show: (id: CveId) => show(dist, id) as Json,
  }
}

/** Returns the CVE list of these records, each changed by its function, and of 20 more; `day` is a day of June 2024. */
function list(day: number, records: Partial<Record<CveId, (record: Json) => void>>): FeedFiles {
  const more = MORE.map((id) => [recordPath(id), JSON.stringify(cveRecord({ id }))])
  const files = Object.entries(records).map(([id, change]) => {
    const record: Json = cveRecord({ id: id as CveId, updated: `2024-05-${10 + day}T08:00:00.000Z` })
    change?.(record)
    return [recordPath(id as CveId), JSON.stringify(record)]
  })
  return { [`cvelistv5/2024-06-0${day}_all_CVEs.zip`]: zipOf(Object.fromEntries([...files, ...more])) }
}

const good = () => {}
const titled = (title: string) => (record: Json) => {
  record.containers.cna.title = title
}
const withProducts = (record: Json) => {
  record.containers.cna.affected = Array.from({ length: 200_000 }, () => ({ product: 'p' }))
}
const withExploits = (record: Json) => {
  record.containers.cna.references = Array.from({ length: 300_000 }, (_, i) => ({
    url: `http://a/${i}`,
    tags: ['exploit'],
  }))
}

const skipsOf = (report: IngestReport, name: string) =>
  report.feeds
    .find((feed) => feed.name === name)!
    .skipped.flatMap(({ reason, items }) => items.map(({ key, detail }) => `${key} ${reason}: ${detail}`))

const figuresOf = ({ feeds }: IngestReport, name: string) => {
  const { read, kept, added, changed, removed, held } = feeds.find((feed) => feed.name === name)!
  return { read, kept, added, changed, removed, held }
}

const TOO_LARGE: [what: string, change: (record: Json) => void, skip: RegExp][] = [
  [
    '200,000 products',
    withProducts,
    /^CVE-2024-0001 entry_too_large: its claim has 8\d{7} characters; the limit is 67108864$/,
  ],
  [
    '300,000 references that are evidence each',
    withExploits,
    /^CVE-2024-0001 record_too_large: it does not fit into CVE-2024-0001: its evidence would have \d{8} bytes; the limit is 67108864$/,
  ],
  [
    'a description of 300 KB',
    (record) => {
      record.containers.cna.descriptions[0].value = 'x'.repeat(300_000)
    },
    /^CVE-2024-0001 record_too_large: it does not fit into CVE-2024-0001: its core would have 300\d{3} bytes; the limit is 262144$/,
  ],
  [
    'a provider with a name of 8 MB and 100 metrics',
    (record) => {
      const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N'
      const metrics = Array.from({ length: 100 }, () => ({
        cvssV3_1: { version: '3.1', baseScore: 5, vectorString: vector },
      }))
      record.containers.adp = [{ providerMetadata: { shortName: 'x'.repeat(8_000_000) }, metrics }]
    },
    /^CVE-2024-0001 item_invalid: the short name of its adp has 8000000 characters; the limit is 2048$/,
  ],
]

for (const [what, change, skip] of TOO_LARGE) {
  test(`a record with ${what} is skipped and named, and the corpus keeps the one it had`, async () => {
    const { night, show, corpus, dist } = openWorld()
    await night(list(1, { [A]: titled('Before'), [B]: good }))
    const { report, built } = await night(list(2, { [A]: change, [B]: titled('After') }))
    const [named, ...others] = skipsOf(report, 'cvelist')
    assert.match(named!, skip)
    assert.equal(others, [])
    assert.equal(figuresOf(report, 'cvelist'), { read: 22, kept: 21, added: 0, changed: 1, removed: 0, held: 1 })
    assert.equal(report.changes.changed, [B])
    assert.equal(built.leftOut, [])
    assert.equal([show(A).core.title, show(B).core.title], ['Before', 'After'])
    assert.equal((await verify(dist)).faults, [])

    const recordsOf = () => corpusContents(corpus).records.filter(({ cveId }) => cveId !== B)
    const before = recordsOf()
    const again = await night(list(3, { [A]: change, [B]: titled('After') }), 1)
    assert.match(skipsOf(again.report, 'cvelist')[0]!, skip, 'the next night names it again')
    assert.equal(recordsOf(), before)

    await night(list(4, { [A]: titled('Mended'), [B]: good }))
    assert.is(show(A).core.title, 'Mended')
  })

  test(`a new record with ${what} stops neither the first ingest nor the build`, async () => {
    const { night } = openWorld()
    const { report } = await night(list(1, { [A]: change, [B]: good }))
    assert.match(skipsOf(report, 'cvelist')[0]!, skip)
    assert.equal(figuresOf(report, 'cvelist'), { read: 22, kept: 21, added: 21, changed: 0, removed: 0, held: 0 })
    assert.equal(report.changes.added, [B, ...MORE])
  })
}

const uuid = (n: number) => `7b6c1f0e-5a53-4c1e-9c1b-${String(n).padStart(12, '0')}`
const reportLine = (n: number, id: CveId, text: string) =>
  JSON.stringify({
    id: uuid(n),
    cve_id: id,
    report_type: `kind_${n}`,
    model: 'm',
    status: 'final',
    created_at: '2024-05-01T00:00:00Z',
    report_text: text,
  })
const reports = (lines: readonly string[]): FeedFiles => ({ 'first-party/reports.ndjson': lines.join('\n') })
const EIGHT_MB = 'x'.repeat(8_000_000)

test('nine reports of 8 MB on one CVE are skipped, and the corpus keeps what it had of them', async () => {
  const { night, show } = openWorld()
  const others = [reportLine(20, A, 'unchanged'), ...MORE.map((id, i) => reportLine(21 + i, id, 'of another CVE'))]
  await night({ ...list(1, { [A]: good, [B]: good }), ...reports([reportLine(1, A, 'yesterday'), ...others]) })
  const nine = Array.from({ length: 9 }, (_, i) => reportLine(i + 1, A, EIGHT_MB))
  const { report, built } = await night(reports([...nine, ...others]))
  const why = 'it does not fit into CVE-2024-0001: the claims on it are longer than a record can be'
  assert.equal(
    skipsOf(report, 'reports'),
    Array.from({ length: 9 }, (_, i) => `${uuid(i + 1)} record_too_large: ${why}`),
  )
  assert.equal(figuresOf(report, 'reports'), { read: 30, kept: 21, added: 0, changed: 0, removed: 0, held: 1 })
  assert.equal([report.records.changed, built.leftOut], [0, []])
  assert.equal(
    show(A).report_texts.map((one: Json) => one.report_text),
    ['yesterday', 'unchanged'],
  )
})

test('of several feeds the one that changed most is withheld, and of its claim only what is on the full CVE', async () => {
  const { night, show } = openWorld()
  const eight = Array.from({ length: 8 }, (_, i) => reportLine(i + 1, A, EIGHT_MB))
  await night({ ...list(1, { [A]: titled('Before'), [B]: good, [C]: good }), ...reports(eight) })
  const entry = (id: string, aliases: CveId[], details: string) =>
    JSON.stringify({
      id,
      aliases,
      details,
      modified: '2024-05-03T00:00:00Z',
      references: [{ type: 'FIX', url: `http://${id}` }],
    })
  const osv = (...more: [string, string][]): FeedFiles => ({
    'osv/Go/all.zip': zipOf({ 'GO-1.json': entry('GO-1', [A, B], 'x'.repeat(4_000_000)), ...Object.fromEntries(more) }),
  })
  const urls = (id: CveId) => show(id).references.map((one: Json) => one.url)
  const skip = `GO-1 record_too_large: it does not fit into ${A}: the claims on it are longer than a record can be`

  const { report } = await night({ ...list(2, { [A]: titled('After'), [B]: good, [C]: good }), ...osv() })
  assert.equal(skipsOf(report, 'osv'), [skip])
  assert.is(show(A).core.title, 'After')
  assert.not.ok(urls(A).includes('http://GO-1'))
  assert.ok(urls(B).includes('http://GO-1'))

  const next = await night(osv(['GO-2.json', entry('GO-2', [C], 'small')]))
  assert.equal(skipsOf(next.report, 'osv'), [skip], 'the next night names it again')
  assert.ok(urls(C).includes('http://GO-2'))
  assert.ok(urls(B).includes('http://GO-1'))
})

test('a record that is withheld from its CVE is kept as an advisory', async () => {
  const { night, corpus: path } = openWorld()
  const entry = (id: string, aliases: CveId[], fixed: string, details = '') => {
    const ranges = [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }]
    const affected = [{ package: { ecosystem: 'Go', name: id }, ranges }]
    return JSON.stringify({ id, aliases, details, modified: '2024-05-03T00:00:00Z', affected })
  }
  const others = MORE.map((id) => [`${id}.json`, entry(id, [], '1.0.0')])
  const osv = (text: string | null, more = {}): FeedFiles => ({
    'osv/Go/all.zip': zipOf({ ...(text && { 'GO-1.json': text }), ...Object.fromEntries(others), ...more }),
  })
  const small = entry('GO-1', [A, B], '1.0.0')
  const large = entry('GO-1', [A, B], '2.0.0', 'x'.repeat(4_000_000))
  const stored = () => {
    const corpus = openCorpus(path)
    const { advisories } = corpus
    const record = advisories.record('GO-1')
    const packages = advisories.package('Go/go-1').advisories.map((text) => JSON.parse(text).affected[0].ranges[0])
    const claim = corpus.claims(A).find(({ feed }) => feed === 'osv')?.body ?? null
    corpus.close()
    return { text: record?.text ?? null, fixed: packages.map(({ events }) => events[1].fixed), claim }
  }
  const eight = Array.from({ length: 8 }, (_, i) => reportLine(i + 1, A, EIGHT_MB))
  const isWithheld = (report: IngestReport) =>
    assert.match(skipsOf(report, 'osv').join(), /^GO-1 record_too_large: it does not fit into CVE-2024-0001: [^,]*$/)

  // A new record, the same again in a file with other bytes, and without it.
  await night({ ...list(1, { [A]: good, [B]: good }), ...reports(eight), ...osv(null) })
  isWithheld((await night(osv(large))).report)
  assert.equal(stored(), { text: large, fixed: ['2.0.0'], claim: null })
  isWithheld((await night(osv(large, { README: '' }))).report)
  assert.equal(stored(), { text: large, fixed: ['2.0.0'], claim: null })
  await night(osv(null))
  assert.equal(stored(), { text: null, fixed: [], claim: null })

  // A change that is too large, and the feed then states the former content again.
  await night(osv(small))
  const { claim } = stored()
  assert.ok(claim)
  isWithheld((await night(osv(large))).report)
  assert.equal(stored(), { text: large, fixed: ['2.0.0'], claim })
  const { report } = await night(osv(small))
  assert.equal([skipsOf(report, 'osv'), report.changes.changed], [[], [B]])
  assert.equal(stored(), { text: small, fixed: ['1.0.0'], claim })
})

test('a build leaves out what is too large anyway, names it, and goes on', async () => {
  const { night, show, corpus, dist } = openWorld()
  await night(list(1, { [A]: titled('Kept title'), [B]: good }))
  const database = new Database(corpus)
  changeParts(database, A, (parts) => {
    parts.core = JSON.stringify({ ...JSON.parse(parts.core), description: 'x'.repeat(300_000) })
    parts.references = `["${'x'.repeat(64 << 20)}"]`
  })
  database.prepare('UPDATE record SET digest = zeroblob(16) WHERE cve_id = ?').run(A)
  database.close()
  const built = await build({ corpus, dist, jobs: 1 }, quietEffects(), noProgress)
  assert.equal(
    built.leftOut.map(({ name, part, limit }) => [name, part, limit]),
    [
      [A, 'core', 256 << 10],
      [A, 'references', 64 << 20],
    ],
  )
  const { core: served, references } = show(A)
  assert.equal([served.title, served.description, references], ['Kept title', null, []])
  assert.equal(show(B).references.length, 1)
  assert.equal((await verify(dist)).faults, [])
})

test('an advisory that does not fit into its package is undecided, and the snapshot is valid', async () => {
  const { night, dist } = openWorld()
  const entry = (id: string, versions: string[]) =>
    JSON.stringify({
      ...{ id, aliases: [A], summary: 'Too large', modified: '2024-05-03T00:00:00Z' },
      affected: [{ package: { ecosystem: 'npm', name: 'p' }, versions }],
    })
  // One of them fits. The number of versions alone would not make them undecided.
  const long = (digit: string) => Array.from({ length: 9_000 }, (_, i) => `1.${digit.repeat(990)}${i}`)
  const files = {
    'GO-1.json': entry('GO-1', long('1')),
    'GO-2.json': entry('GO-2', long('2')),
    'GO-3.json': entry('GO-3', ['3.0.0']),
  }
  const { built } = await night({ ...list(1, { [A]: good }), 'osv/npm/all.zip': zipOf(files) })
  assert.equal(
    built.leftOut.map(({ name, limit }) => [name, limit]),
    [['packages/npm/p/GO-2', 16 << 20]],
  )
  assert.equal((await verify(dist)).faults, [])
  const { ask, close } = askDirectly(dist)
  const reasons = async (version: string) => {
    const { text } = await ask('/affected', `ecosystem=npm&name=p&version=${version}`)
    return JSON.parse(text).data.map((row: Json) => [row.advisory_id, row.undecided_reason])
  }
  assert.equal(await reasons('3.0.0'), [['GO-3', null]])
  assert.equal(await reasons('4.0.0'), [['GO-2', 'too_large']])
  await close()
})

/** Returns a file of NVD with these configurations of each CVE. */
function nvd(configurations: Partial<Record<CveId, Json>>): FeedFiles {
  const vulnerabilities = Object.entries(configurations).map(([id, configurations]) => ({
    cve: { id, lastModified: '2024-05-01T00:00:00.000', configurations },
  }))
  const page = { format: 'NVD_CVE', version: '2.0', timestamp: '2024-06-01T00:00:00.000', vulnerabilities }
  return { 'nvd/nvdcve-2.0-2024.json': JSON.stringify(page) }
}
const match = (vulnerable: boolean, vendor: string, product: string) => ({
  vulnerable,
  criteria: `cpe:2.3:a:${vendor}:${product}:1:*:*:*:*:*:*:*`,
})

test('names of products and vendors that are too long have no rows', async () => {
  const { night, dist } = openWorld()
  const long = Array.from({ length: 26 }, (_, i) => match(true, `${i}${'v'.repeat(600_000)}`, 'p'))
  const cpeMatch = [...long, match(true, 'acme', 'w'.repeat(2049)), match(true, 'v'.repeat(2048), 'p')]
  const { built } = await night({ ...list(1, { [A]: good }), ...nvd({ [A]: [{ nodes: [{ cpeMatch }] }] }) })
  // Acme and the shortest of the others; their products, and that of the records.
  assert.equal([built.counts.vendors, built.counts.products], [2, 2])
  assert.equal((await verify(dist)).faults, [])
})

test('a record of NVD with 6,000 products on 6,000 platforms is skipped', async () => {
  const { night } = openWorld()
  const both = (count: number) => {
    const matches = (vulnerable: boolean) => Array.from({ length: count }, (_, i) => match(vulnerable, 'v', `p${i}`))
    return [{ operator: 'AND', nodes: [{ cpeMatch: [...matches(true), ...matches(false)] }] }]
  }
  const { report } = await night({ ...list(1, { [A]: good, [B]: good }), ...nvd({ [A]: both(6000), [B]: both(60) }) })
  assert.equal(skipsOf(report, 'nvd'), [`${A} entry_too_large: its products list more than 1000000 platforms`])
})

test('an OSV range of 10,000 commits and as many fixes is skipped', async () => {
  const { night } = openWorld()
  const entry = (id: string, count: number) => {
    const events = ['introduced', 'fixed'].flatMap((kind) =>
      Array.from({ length: count }, (_, i) => ({ [kind]: `${i}` })),
    )
    const affected = [{ package: { ecosystem: 'Go', name: 'p' }, ranges: [{ type: 'GIT', repo: 'http://r', events }] }]
    return JSON.stringify({ id, aliases: [A], modified: '2024-05-03T00:00:00Z', affected })
  }
  const files = { 'osv/Go/all.zip': zipOf({ 'GO-1.json': entry('GO-1', 10_000), 'GO-2.json': entry('GO-2', 10) }) }
  const { report } = await night({ ...list(1, { [A]: good }), ...files })
  assert.equal(skipsOf(report, 'osv'), ['GO-1 entry_too_large: the events of a range make more than 100000 ranges'])
})

/** Records with a very large number of items: read, or skipped by name. */
const MANY: [what: string, change: (record: Json) => void, skip: string | null][] = [
  [
    "300,000 references in the CVE Program's container",
    (record) => {
      const references = Array.from({ length: 300_000 }, (_, i) => ({ url: `http://a/${i}` }))
      record.containers.adp = [{ providerMetadata: { shortName: 'CVE' }, references }]
    },
    null,
  ],
  [
    'a reference with 300,000 tags',
    (record) => {
      record.containers.cna.references[0].tags = Array.from({ length: 300_000 }, (_, i) => `t${i}`)
    },
    null,
  ],
  [
    '300,000 fixed versions',
    (record) => {
      const versions = Array.from({ length: 150_000 }, (_, i) => ({
        version: `${i}`,
        status: 'affected',
        lessThan: `${i}.1`,
      }))
      record.containers.cna.affected[0].versions = versions
    },
    null,
  ],
  [
    '1,001 weaknesses',
    (record) => {
      const descriptions = Array.from({ length: 1001 }, (_, i) => ({ cweId: `CWE-${i + 1}` }))
      record.containers.cna.problemTypes = [{ descriptions }]
    },
    'item_invalid: it lists 1001 weaknesses; the limit is 1000',
  ],
  [
    'a product with a name of 8 MB and 100 versions',
    (record) => {
      const versions = Array.from({ length: 100 }, (_, i) => ({ version: `${i}`, status: 'affected' }))
      record.containers.cna.affected = [{ vendor: 'v', product: 'p'.repeat(8_000_000), versions }]
    },
    'item_invalid: the name of an affected product has 8000000 characters; the limit is 2048',
  ],
]

test('records with a very large number of items stop nothing, and those that exceed a limit are named', async () => {
  const { night } = openWorld()
  const records = MANY.map(([what, change, skip], i) => ({ id: `CVE-2024-${2000 + i}` as const, what, change, skip }))
  const { report } = await night(list(1, Object.fromEntries(records.map(({ id, change }) => [id, change]))))
  const skips = skipsOf(report, 'cvelist')
  for (const { id, what, skip } of records) {
    const own = skips.filter((one) => one.startsWith(id))
    assert.equal(own, skip === null ? [] : [`${id} ${skip}`], what)
  }
  assert.is(skips.length, 2)
})

test('feeds are rejected if no snapshot can be built from them', () => {
  const fits = { records: 8_000_000, rejected: 250_000, blocks: 13_750 }
  assertFits(fits)
  for (const [name, what] of [
    ['records', '8000001 CVEs'],
    ['rejected', '250001 rejected CVEs'],
    ['blocks', '13751 blocks of 1,000 CVE ids'],
  ] as const) {
    assert.throws(
      () => assertFits({ ...fits, [name]: fits[name] + 1 }),
      new RegExp(`^the feeds have ${what}, but a snapshot holds at most`),
    )
  }
})

test.after(() => folder.remove())
test.run()
