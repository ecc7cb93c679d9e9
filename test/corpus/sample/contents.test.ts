/** Fifty CVEs are enough for an example of everything, with any seed; 600 have the forms of the publishers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { foldName } from '../../../corpus/model/packages/name.ts'
import { comparatorOf } from '../../../corpus/model/versions/comparator.ts'
import { createWorld } from '../../../corpus/sample/world.ts'
import { REAL_FEEDS, suiteNeeding } from '../../support/needs.ts'
import { ECOSYSTEMS, type OsvJson, readZip, SECOND, sampleFiles, share } from './sample-files.ts'

const night = SECOND
const small = await Promise.all([1, 2, 3].map((seed) => sampleFiles({ cves: 50, seed })))
const sample = await sampleFiles({ cves: 600, advisories: 3000 })
const texts = (value: unknown) => value as string[]
const distinct = (values: Iterable<unknown>) => [...new Set(values)].sort()

test('showcases are spread evenly, published, and as many at any size', () => {
  for (const cves of [40, 50, 2000, 100_000]) {
    const world = createWorld(1, cves, 2)
    const all = Array.from({ length: cves }, (_, index) => world.facts(index)).filter((one) => one.showcase !== null)
    for (const { state, change, index } of all)
      assert.ok(state === 'PUBLISHED' || change !== null, `${index}: ${state}`)
    assert.equal(
      all.map(({ showcase }) => showcase),
      Array.from({ length: 40 }, (_, i) => i),
    )
  }
})

test('exploits with and without a CVE, verified and not; modules of several types; templates', () => {
  for (const one of small) {
    const exploits = one.csv(`exploitdb/${night}/files_exploits.csv.gz`)
    assert.equal(distinct(exploits.map(({ codes }) => codes!.startsWith('CVE-'))), [false, true])
    assert.equal(distinct(exploits.map((row) => row.verified)), ['0', '1'])
    const modules = Object.values(one.modules(`metasploit/${night}/modules_metadata_base.json.gz`))
    const types = modules.map((module) => module.type)
    assert.ok(types.includes('exploit') && types.includes('auxiliary'), types.join())
    assert.ok(modules.some((module) => texts(module.references).length === 0))
    assert.ok(one.lines(`nuclei/${night}/cves.json`).length > 10)
    assert.ok(one.paths.includes(`poc/${night}/PoC-in-GitHub.zip`))
  }
})

test('advisories: reviewed and not, withdrawn, several for one CVE, one for several, one for none', async () => {
  for (const one of small) {
    const advisories = await one.advisories(`ghsa/${night}/advisory-database.zip`)
    const ids = advisories.flatMap(({ aliases }) => aliases ?? [])
    assert.ok(new Set(ids).size < ids.length)
    assert.equal(distinct(advisories.map((advisory) => advisory.database_specific!.github_reviewed)), [false, true])
    assert.ok(advisories.some(({ withdrawn }) => withdrawn))
    assert.ok(advisories.some(({ aliases }) => aliases!.length > 1))
    assert.ok(advisories.some(({ aliases }) => aliases!.length === 0))
    const text = JSON.stringify([...(await one.osv(night)).values()])
    for (const sign of ['"withdrawn"', '"GIT"', '"fixed"', '"MAL-', '"GO-', '"PYSEC-', '"GHSA-'])
      assert.ok(text.includes(sign), sign)
  }
})

test('reports in all types, drafts, older versions; detections of four layers; analyses and scores of all kinds', () => {
  for (const one of small) {
    const own = (name: string) => one.lines(`first-party/${night}/${name}.ndjson`)
    const [reports, types] = [own('reports'), own('report-types')]
    assert.ok(reports.some(({ status }) => status === 'draft'))
    assert.equal(distinct(reports.map((line) => line.report_type)), distinct(types.map((line) => line.prompt_name)))
    const versions = reports.map((line) => `${line.cve_id} ${line.report_type}`)
    assert.ok(new Set(versions).size < versions.length)
    assert.ok(types.some((type) => type.output_schema) && types.some((type) => !type.output_schema))
    assert.is(types.filter(({ enabled }) => !enabled).length, 1)
    const layers = distinct(own('detections').map(({ layer }) => layer))
    assert.equal(layers, ['file_yara', 'network_ids', 'scanner', 'siem'])
    assert.equal(distinct(own('analyses').map(({ affected }) => texts(affected).length > 0)), [false, true])
    assert.equal(distinct(own('service-scores').map((line) => line.cvss_version)), ['3.1', '4.0'])
  }
})

test('records of every state, disputed ones, containers of suppliers; KEV grows in the second night', async () => {
  for (const one of small) {
    const records = [...(await one.records(night)).values()]
    const adps = records.flatMap(({ containers }) => containers.adp ?? [])
    assert.ok(adps.some((adp) => adp.x_adpType === 'supplier' && adp.affected!.length > 0 && adp.metrics!.length > 1))
    assert.ok(records.some(({ containers }) => texts(containers.cna.tags ?? []).includes('disputed')))
    const count = (path: string) => (one.json(path) as { count: number }).count
    assert.is(count('kev/2026-05-31/known_exploited_vulnerabilities.json'), 1)
    assert.ok(count('kev/known_exploited_vulnerabilities.json') > 1)
  }
  const states = [...(await sample.records(night)).values()].map(({ cveMetadata }) => cveMetadata.state)
  assert.equal(distinct(states), ['PUBLISHED', 'REJECTED', 'RESERVED'])
})

test('catalogs grow with the number of CVEs, have every kind of entry, and name only what they have', async () => {
  const numbers = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, number]) => Number(number))
  for (const [cves, weaknesses, patterns] of [
    [60, [140, 160], [20, 40]],
    [2000, [140, 160], [110, 130]],
    [13_000, [960, 960], [615, 650]],
  ] as const) {
    const { catalogs } = createWorld(1, cves, 2)
    const within = ([low, high]: readonly [number, number], count: number) => count >= low && count <= high
    assert.ok(within(weaknesses, catalogs.weaknesses.length), `${catalogs.weaknesses.length} weaknesses of ${cves}`)
    assert.ok(within(patterns, catalogs.patterns.length), `${catalogs.patterns.length} patterns of ${cves}`)
  }
  for (const one of [...small, sample]) {
    const [written] = [...(await one.zip('cwe/cwec_v4.20.xml.zip')).values()]
    const [cwe, capec] = [written!.toString(), one.bytes('capec/stix-capec.json').toString()]
    const weaknesses = new Set(numbers(cwe, /<Weakness ID="(\d+)"/g))
    const patterns = new Set(numbers(capec, /"CAPEC-(\d+)"/g))
    for (const number of numbers(cwe, /<Related_Weakness [^>]*CWE_ID="(\d+)"/g)) assert.ok(weaknesses.has(number))
    for (const number of numbers(cwe, /<Related_Attack_Pattern CAPEC_ID="(\d+)"/g)) assert.ok(patterns.has(number))
    for (const number of numbers(capec, /"CWE-(\d+)"/g)) assert.ok(weaknesses.has(number), `CWE-${number}`)
    for (const sign of ['"Deprecated"', '"Composite"', '"Chain"', '"Pillar"']) assert.ok(cwe.includes(sign), sign)
    for (const sign of ['"Deprecated"', '"Obsolete"', '"Meta"', '"Detailed"']) assert.ok(capec.includes(sign), sign)
    const categories = new Set(numbers(cwe, /<(?:Category|View) ID="(\d+)"/g))
    const drawn = Array.from({ length: 1000 }, (_, i) => createWorld(1, 50, 2).catalogs.draw(i / 1000))
    for (const number of new Set(drawn)) assert.ok(weaknesses.has(number) || categories.has(number), `CWE-${number}`)
  }
})

const osv = [...(await sample.osv(night)).values()]
const affected = osv.flatMap((record) => record.affected.map((one) => ({ id: record.id, ...one })))
const ranges = affected.flatMap((one) => (one.ranges ?? []).map((range) => ({ of: one, ...range })))
const kindsOf = (events: readonly Record<string, string>[]) => events.map((event) => Object.keys(event)[0]!)

test('every record of the exports follows the OSV schema', () => {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
  for (const record of osv) {
    const { id, modified, published, withdrawn } = record
    assert.match(id, /^(GHSA|PYSEC|GO|RUSTSEC|MAL|DEBIAN|DSA)-[\w-]+$/)
    for (const date of [modified, published, withdrawn ?? published]) assert.match(date, time, id)
    assert.ok(modified >= published.slice(0, 19) && (withdrawn ?? '9') >= published, id)
    assert.ok(record.details.length > 0 && record.affected.length > 0, id)
    for (const { type, score } of record.severity ?? [])
      assert.match(`${type} ${score}`, /^CVSS_(V3 CVSS:3\.|V4 CVSS:4\.0\/)/, id)
    for (const { url } of record.references ?? []) assert.match(url, /^https:\/\//, id)
  }
  for (const { id, package: named, ranges: own = [], versions = [] } of affected) {
    assert.match(named.ecosystem, new RegExp(`^(${ECOSYSTEMS.join('|').replace('.', '\\.')}|Debian:\\d+)$`), id)
    if (named.purl) assert.match(named.purl, /^pkg:[a-z]+\/[^@ ]+$/, id)
    assert.ok(own.length > 0 || versions.length > 0, id)
    assert.is(new Set(versions).size, versions.length, id)
  }
  for (const { of, type, repo, events } of ranges) {
    const kinds = kindsOf(events)
    assert.is(repo !== undefined, type === 'GIT', of.id)
    assert.ok(kinds.includes('introduced') && !(kinds.includes('fixed') && kinds.includes('last_affected')), of.id)
    assert.ok(events.every((event) => Object.keys(event).length === 1))
  }
})

test('every database, every form of malware, every kind of bound', () => {
  const count = (prefix: string) => osv.filter(({ id }) => id.startsWith(prefix)).length
  for (const prefix of ['GHSA-', 'PYSEC-', 'GO-', 'RUSTSEC-', 'DEBIAN-CVE-', 'DSA-'])
    assert.ok(count(prefix) >= 5, prefix)
  const forms = osv.flatMap(({ id, affected: [one] }) =>
    id.startsWith('MAL-') ? [!one!.versions ? 'range' : one!.ranges ? 'both' : 'list'] : [],
  )
  for (const form of ['range', 'both', 'list']) assert.ok(forms.filter((one) => one === form).length > 400, form)
  const shapes = ranges.map(({ type, events }) => `${type} ${kindsOf(events).slice(0, 3).join(' ')}`)
  for (const shape of [
    ...['ECOSYSTEM introduced', 'ECOSYSTEM introduced fixed', 'ECOSYSTEM introduced last_affected'],
    ...['SEMVER introduced fixed', 'SEMVER introduced last_affected', 'GIT introduced fixed'],
    'ECOSYSTEM introduced fixed introduced',
  ])
    assert.ok(shapes.includes(shape), shape)
  const bounds = ranges.flatMap(({ of, type, events }) =>
    type === 'GIT' ? [] : events.flatMap((event) => Object.values(event).map((text) => ({ ...of.package, text }))),
  )
  for (const ecosystem of ECOSYSTEMS.slice(0, 5))
    assert.ok(
      bounds.some((one) => one.ecosystem === ecosystem && /[a-z]/i.test(one.text)),
      `${ecosystem}: pre-release`,
    )
  const isReadable = (one: (typeof bounds)[number]) =>
    one.text === '0' || comparatorOf(one.ecosystem)!.parse(one.text) !== null
  assert.ok(share(bounds, isReadable) > 0.98 && !bounds.every(isReadable))
  const counts = new Map<string, Set<string>>()
  for (const { id, package: named } of affected) {
    const key = `${named.ecosystem}/${foldName(named.ecosystem, named.name)}`
    counts.set(key, (counts.get(key) ?? new Set()).add(id))
  }
  assert.ok(share([...counts.values()], ({ size }) => size === 1) > 0.85)
  assert.ok(counts.get('npm/lantern-http')!.size >= 5)
})

test('two databases state one flaw, and a known package has a flaw that is exploited', async () => {
  const byId = new Map(osv.map((one) => [one.id, one]))
  for (const { id, aliases = [] } of osv.filter(({ id }) => /^(PYSEC|GO|RUSTSEC)-/.test(id))) {
    const copied = byId.get(aliases.find((one) => one.startsWith('GHSA-'))!)!
    assert.equal(
      aliases.filter((one) => one !== copied.id),
      copied.aliases,
      id,
    )
  }
  const kev = sample.json('kev/known_exploited_vulnerabilities.json') as { vulnerabilities: { cveID: string }[] }
  const exploited = new Set(kev.vulnerabilities.map(({ cveID }) => cveID))
  const isKnown = ({ affected: list }: OsvJson) =>
    list.some(({ package: named }) =>
      /^lantern-http|^juniper-parser|^cobalt-yaml|^saffron-auth|^thistle-router|^falcon-template/.test(named.name),
    )
  assert.ok(osv.some((one) => isKnown(one) && one.aliases?.some((id) => exploited.has(id))))
})

test('addresses use reserved names only (RFC 2606)', async () => {
  const written: string[] = []
  for (const path of sample.paths.filter((one) => !one.startsWith('cwe/'))) {
    if (!path.endsWith('.zip')) written.push(sample.bytes(path).toString())
    else for (const bytes of (await sample.zip(path)).values()) written.push(bytes.toString())
  }
  const text = written.join('\n').replaceAll('\\/', '/')
  for (const [, host] of text.matchAll(/https?:\/\/([^/"\s,\\]+)/g))
    assert.match(host!, /(^|\.)(example|example\.(com|org|net|gov)|json-schema\.org)$/)
})

const compared = suiteNeeding('sample next to the real feeds', 'real feeds')

const real = (path: string) => {
  const bytes = readFileSync(join(REAL_FEEDS, path))
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}
const parsed = async (path: string) => [...(await readZip(real(path))).values()].map((file) => JSON.parse(String(file)))

/** Returns `cve.metrics.cvssMetricV31[].type:string`, each once; all numbers have one type. */
function shapeOf(values: Iterable<unknown>): Set<string> {
  const found = new Set<string>()
  const walk = (value: unknown, at: string) => {
    if (Array.isArray(value)) for (const member of value) walk(member, `${at}[]`)
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) walk(member, at === '' ? key : `${at}.${key}`)
    else found.add(`${at}:${value === null ? 'null' : typeof value}`)
  }
  for (const value of values) walk(value, '')
  return found
}

/** Asserts that the sample has no member or type that the real feed has not, but the exceptions. */
function noneBeyond(written: Iterable<unknown>, stated: Iterable<unknown>, exceptions: readonly string[] = []): void {
  const known = shapeOf(stated)
  assert.equal([...shapeOf(written)].filter((one) => !known.has(one)).sort(), exceptions)
}

compared('exploits, modules, templates and repositories have the members and types of the real ones', async () => {
  const rows: Record<string, string>[] = parse(real('exploitdb/files_exploits.csv.gz'), { columns: true })
  const written = sample.csv(`exploitdb/${night}/files_exploits.csv.gz`)
  assert.equal(Object.keys(written[0]!), Object.keys(rows[0]!))
  for (const column of ['type', 'platform', 'verified'])
    assert.equal(
      distinct(written.map((row) => row[column])).filter((one) => !rows.some((row) => row[column] === one)),
      [],
    )
  for (const row of written) assert.match(row.codes!, /^((CVE-\d{4}-\d{4,}|OSVDB-\d+)(;|$))*$/)
  const modules = Object.values(JSON.parse(real('metasploit/modules_metadata_base.json.gz').toString()) as object)
  // The copy of the real modules lacks two members, that of the repositories three.
  const own = Object.values(sample.modules(`metasploit/${night}/modules_metadata_base.json.gz`))
  noneBeyond(own, modules, ['default_credential:boolean'])
  assert.equal(
    Object.keys(own[0]!).filter((key) => !['default_credential', 'actions'].includes(key)),
    Object.keys(modules[0]),
  )
  const templates = real('nuclei/cves.json').toString().trimEnd().split('\n')
  noneBeyond(
    sample.lines(`nuclei/${night}/cves.json`),
    templates.map((line) => JSON.parse(line)),
  )
  noneBeyond(await sample.advisories(`poc/${night}/PoC-in-GitHub.zip`), await parsed('poc/PoC-in-GitHub.zip'), [
    '[].has_discussions:boolean',
    '[].score:number',
    '[].subscribers_count:number',
  ])
})

compared('advisories, attack patterns and NVD have the members and types of the real ones', async () => {
  noneBeyond(
    await sample.advisories(`ghsa/${night}/advisory-database.zip`),
    await parsed('ghsa/advisory-database.zip'),
    // Credits and withdrawals are not in the real subset.
    [
      'credits[].contact[]:string',
      'credits[].name:string',
      'credits[].type:string',
      'database_specific.github_reviewed_at:null',
      'withdrawn:string',
    ],
  )
  const go = (await sample.advisories(`osv/Go/all-${night}.zip`)).filter(({ id }) => id.startsWith('GO-'))
  noneBeyond(go, await parsed('osv/Go/all.zip'), ['affected[].ranges[].events[].last_affected:string'])
  const sampled = JSON.parse(real('nvd/nvdcve-2.0-sample.json.gz').toString())
  const files = sample.paths.filter((path) => path.startsWith('nvd/'))
  for (const path of files)
    assert.equal(Object.keys(sample.json(path) as object).sort(), Object.keys(sampled).sort(), path)
  const written = files.flatMap((path) => sample.nvd(path))
  noneBeyond(
    written.map(({ metrics: { cvssMetricV40, ...metrics }, ...one }) => ({ ...one, metrics })),
    sampled.vulnerabilities.map(({ cve }: { cve: unknown }) => cve),
    // The 62 real records have no bound that excludes its own version, and no tag.
    [
      'configurations[].nodes[].cpeMatch[].versionStartExcluding:string',
      'cveTags[].sourceIdentifier:string',
      'cveTags[].tags[]:string',
    ],
  )
  const bundles = (await parsed('capec/stix-capec-3.6.zip')) as { objects: { type: string }[] }[]
  const newer = (await parsed('capec/capec-3.9-stix-2.1-objects.zip')) as { objects: { type: string }[] }[]
  const patterns = (list: { objects: { type: string }[] }[]) =>
    list.flatMap(({ objects }) => objects).filter(({ type }) => type === 'attack-pattern')
  noneBeyond(
    patterns([sample.json('capec/stix-capec.json') as (typeof bundles)[number]]),
    patterns([...bundles, ...newer]),
  )
})

compared.run()
test.run()
