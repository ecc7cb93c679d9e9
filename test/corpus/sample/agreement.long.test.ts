/** The feeds of a sample have the same ids, products, weaknesses and versions, except for known disagreements. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { itemsOf, parseXml, type XmlElement } from '../../../corpus/feeds/catalog/xml.ts'
import { WEAKNESSES } from '../../../corpus/sample/figures.ts'
import { cpeKey } from '../../../corpus/sample/names.ts'
import type { CveRecord } from '../../../corpus/sample/record/cve-record.ts'
import { createWorld, type Facts } from '../../../corpus/sample/world.ts'
import { sampleFiles } from './sample-files.ts'

const night = '2026-06-01'
const sample = await sampleFiles({ cves: 2000 })
const world = createWorld(1, 2000, 2)
const facts = new Map<string, Facts>()
for (let index = 0; index < world.records; index++) facts.set(world.facts(index).id, world.facts(index))
const records = new Map<string, CveRecord>()
for (const bytes of (await sample.zip(`cvelistv5/${night}_all_CVEs.zip`)).values()) {
  const record: CveRecord = JSON.parse(bytes.toString())
  records.set(record.cveMetadata.cveId, record)
}
const nvd = new Map(
  sample.paths
    .filter((path) => path.startsWith('nvd/'))
    .sort((a, b) => Number(a.includes('modified')) - Number(b.includes('modified')))
    .flatMap((path) => sample.nvd(path))
    .map((one) => [one.id, one]),
)
const advisories = await sample.advisories(`ghsa/${night}/advisory-database.zip`)
const exploits = sample.csv(`exploitdb/${night}/files_exploits.csv.gz`)
const modules = Object.values(sample.modules(`metasploit/${night}/modules_metadata_base.json.gz`))
const ECOSYSTEMS = ['Go', 'PyPI', 'npm', 'Maven', 'Packagist', 'NuGet', 'RubyGems', 'crates.io', 'Debian']
const texts = (value: unknown) => value as string[]

test('whatever names a CVE names one of the list', () => {
  const named = [
    ...exploits.flatMap((row) => row.codes!.split(';').filter((code) => code.startsWith('CVE-'))),
    ...modules.flatMap((module) => texts(module.references).filter((one) => one.startsWith('CVE-'))),
    ...sample.lines(`nuclei/${night}/cves.json`).map((line) => String(line.ID)),
    ...advisories.flatMap((advisory) => advisory.aliases ?? []),
    ...nvd.keys(),
    ...['reports', 'analyses', 'service-scores', 'detections'].flatMap((name) =>
      sample
        .lines(`first-party/${night}/${name}.ndjson`)
        .flatMap((line) => texts(line.cve_ids) ?? [String(line.cve_id)]),
    ),
  ]
  assert.ok(named.length > 3000, `${named.length}`)
  assert.equal(
    named.filter((id) => !records.has(id)),
    [],
  )
})

test('nothing is there twice', () => {
  const unique = (name: string, keys: readonly unknown[]) => assert.is(new Set(keys).size, keys.length, name)
  const rows = sample.lines(`first-party/${night}/detections.ndjson`)
  unique(
    'exploits',
    exploits.map((row) => row.id),
  )
  unique(
    'advisories',
    advisories.map(({ id }) => id),
  )
  unique(
    'reports',
    sample.lines(`first-party/${night}/reports.ndjson`).map((line) => line.id),
  )
  unique(
    'analyses',
    sample.lines(`first-party/${night}/analyses.ndjson`).map((line) => line.cve_id),
  )
  unique(
    'detections',
    rows.map((line) => JSON.stringify([line.layer, line.source, line.name, line.cve_id, line.cve_ids])),
  )
})

test('NVD has every record that is published or rejected, and none that is reserved', () => {
  for (const [id, record] of records) {
    const state = record.cveMetadata.state
    assert.is(nvd.has(id), state !== 'RESERVED', id)
    if (state !== 'RESERVED') assert.is(nvd.get(id)!.vulnStatus === 'Rejected', state === 'REJECTED', id)
  }
})

test("NVD repeats the CNA's description and scores, and names vendor and product as CPE does", () => {
  let configured = 0
  for (const [id, one] of nvd) {
    const { cna } = records.get(id)!.containers
    const { vendor, product } = facts.get(id)!
    if (one.vulnStatus === 'Rejected') continue
    assert.is(one.descriptions[0]!.value, cna.descriptions![0]!.value, id)
    const copied = Object.values(one.metrics).flat()
    for (const metric of cna.metrics ?? []) {
      for (const key of ['cvssV2_0', 'cvssV3_0', 'cvssV3_1', 'cvssV4_0']) {
        const vector = (metric[key] as { vectorString?: string } | undefined)?.vectorString
        if (vector)
          assert.ok(copied.some((other) => other.cvssData?.vectorString === vector && other.type === 'Secondary'))
      }
    }
    const [first] = one.configurations ?? []
    if (!first) continue
    configured++
    const [, , , keyOfVendor, keyOfProduct] = first.nodes[0]!.cpeMatch[0]!.criteria.split(':')
    assert.equal([keyOfVendor, keyOfProduct], [cpeKey(vendor.name), cpeKey(product)], id)
  }
  assert.ok(configured > 1200, `${configured}`)
})

test("NVD's versions and scores are mostly the CNA's, and not always", () => {
  const compare = { versions: [0, 0], scores: [0, 0] }
  for (const [id, one] of nvd) {
    const { cna } = records.get(id)!.containers
    const before = cna.affected?.[0]?.versions?.[0]?.lessThan
    const ends = one.configurations?.[0]?.nodes[0]?.cpeMatch.map((match) => match.versionEndExcluding)
    if (ends && before && /^\d[\d.]*$/.test(before)) compare.versions[ends.includes(before) ? 0 : 1]!++
    const stated = (cna.metrics?.find((metric) => metric.cvssV3_1)?.cvssV3_1 as { baseScore: number } | undefined)
      ?.baseScore
    const own = one.metrics.cvssMetricV31?.find(({ source }) => source === 'nvd@nist.gov')?.cvssData.baseScore
    if (stated !== undefined && own !== undefined) compare.scores[own === stated ? 0 : 1]!++
  }
  const [same, other] = compare.versions as [number, number]
  assert.ok(same > 5 * other && other >= 3, `versions: ${same} same, ${other} other`)
  const [agreed, apart] = compare.scores as [number, number]
  assert.ok(agreed > apart && apart > 100, `scores: ${agreed} agreed, ${apart} apart`)
})

test('an exploit names the product of its CVE, and a module the entry of the archive', () => {
  const ids = new Set(exploits.map((row) => row.id))
  for (const row of exploits) {
    const [code] = row.codes!.split(';')
    if (!code?.startsWith('CVE-')) continue
    const { vendor, product } = facts.get(code)!
    assert.ok(row.description!.startsWith(`${vendor.name} ${product} `), row.description)
  }
  const cited = modules.flatMap((module) => texts(module.references).filter((one) => one.startsWith('EDB-')))
  assert.ok(cited.length > 10, `${cited.length}`)
  for (const one of cited) assert.ok(ids.has(one.slice(4)), one)
})

test('advisories name the weakness of their CVE', () => {
  for (const { aliases, database_specific } of advisories) {
    const [cwe] = database_specific!.cwe_ids!
    if (cwe && aliases![0]) assert.is(cwe, `CWE-${facts.get(aliases![0])!.weakness}`)
  }
})

test('the exports repeat every advisory with a package; entries of Go and PyPI have it as an alias', async () => {
  const { zip, advisories: entriesOf } = await sampleFiles({ cves: 2000, advisories: 0 })
  const known = new Map(advisories.map((advisory) => [advisory.id, advisory]))
  const repeated = new Set<string>()
  for (const ecosystem of ECOSYSTEMS) {
    for (const entry of await entriesOf(`osv/${ecosystem}/all-${night}.zip`)) {
      if (/^(MAL|SAMPLE)-/.test(entry.id)) continue
      const isCopy = entry.id.startsWith('GHSA-')
      const [alias] = isCopy ? [entry.id] : entry.aliases!.filter((id) => id.startsWith('GHSA-'))
      const advisory = known.get(alias!)!
      assert.ok(advisory, entry.id)
      assert.equal(
        entry.aliases!.filter((id) => id.startsWith('CVE-')),
        advisory.aliases,
      )
      assert.is(entry.withdrawn, advisory.withdrawn, entry.id)
      const named = entry.affected.map((one) => one.package.ecosystem)
      if (isCopy) assert.ok(named.includes(ecosystem), entry.id)
      else assert.equal([...new Set(named)], [ecosystem], entry.id)
      if (isCopy) repeated.add(entry.id)
    }
  }
  assert.is((await zip(`osv/Debian/all-${night}.zip`)).size, 0)
  assert.equal(
    advisories.filter(({ id, affected }) => affected.length > 0 && !repeated.has(id)),
    [],
  )
})

test('every way to state what is affected occurs: fixes, last affected versions, single ones, commits, no end', async () => {
  const entries = [
    ...advisories,
    ...(await Promise.all(ECOSYSTEMS.map((one) => sample.advisories(`osv/${one}/all-${night}.zip`)))).flat(),
  ]
  const found = new Set<string>()
  for (const { affected } of entries) {
    if (affected.length === 0) found.add('no package')
    if (affected.length > 1) found.add('several packages')
    for (const { ranges = [], versions } of affected) {
      if (versions && ranges.length === 0) found.add('versions alone')
      for (const { type, events } of ranges) {
        const kinds = events.map((event) => Object.keys(event)[0]).join(' ')
        found.add(`${type} ${kinds.replace(/^(introduced fixed )+(?=introduced)/, 'pairs, ')}`)
      }
    }
  }
  assert.equal([...found].sort(), [
    'ECOSYSTEM introduced',
    'ECOSYSTEM introduced fixed',
    'ECOSYSTEM introduced fixed limit',
    'ECOSYSTEM introduced last_affected',
    'ECOSYSTEM pairs, introduced',
    'ECOSYSTEM pairs, introduced fixed',
    'GIT introduced fixed',
    'SEMVER introduced',
    'SEMVER introduced fixed',
    'SEMVER introduced fixed limit',
    'SEMVER introduced last_affected',
    'SEMVER pairs, introduced fixed',
    'no package',
    'several packages',
    'versions alone',
  ])
})

test('the catalogs have every weakness that records name, but categories and views, and name each other', async () => {
  const [written] = [...(await sample.zip('cwe/cwec_v4.20.xml.zip')).values()]
  const members = (text: string, element: string, attribute: string) =>
    new Set([...text.matchAll(new RegExp(`<${element} [^>]*${attribute}="(\\d+)"`, 'g'))].map(([, id]) => Number(id)))
  const cwe = written!.toString()
  const capec = sample.bytes('capec/stix-capec.json').toString()
  const weaknesses = members(cwe, 'Weakness', 'ID')
  const others = new Set([...members(cwe, 'Category', 'ID'), ...members(cwe, 'View', 'ID')])
  const drawn = new Set(Array.from({ length: 20_000 }, (_, i) => WEAKNESSES(i / 20_000)))
  assert.ok(drawn.size > 240, `${drawn.size}`)
  for (const number of drawn) assert.ok(weaknesses.has(number) !== others.has(number), `CWE-${number}`)
  const named = (pattern: RegExp) => new Set(Array.from(capec.matchAll(pattern), ([, id]) => Number(id)))
  const patterns = named(/"CAPEC-(\d+)"/g)
  for (const id of members(cwe, 'Related_Weakness', 'CWE_ID')) assert.ok(weaknesses.has(id), `CWE-${id}`)
  for (const id of members(cwe, 'Related_Attack_Pattern', 'CAPEC_ID')) assert.ok(patterns.has(id), `CAPEC-${id}`)
  for (const id of named(/"CWE-(\d+)"/g)) assert.ok(weaknesses.has(id), `CWE-${id}`)
  for (const id of named(/"attack-pattern--[0-]+4000-8000-0*(\d+)"/g)) assert.ok(patterns.has(id), `CAPEC-${id}`)
  // Every kind of entry occurs.
  for (const sign of ['Status="Deprecated"', 'Structure="Composite"', 'Structure="Chain"', 'Abstraction="Pillar"'])
    assert.ok(cwe.includes(sign), sign)
  for (const sign of [
    'status": "Deprecated"',
    'status": "Obsolete"',
    'abstraction": "Meta"',
    'abstraction": "Detailed"',
  ])
    assert.ok(capec.includes(sign), sign)
})

test('one entry of each catalog has every part that any entry has', async () => {
  const patterns = (sample.json('capec/stix-capec.json') as { objects: Record<string, unknown>[] }).objects.filter(
    ({ type }) => type === 'attack-pattern',
  )
  const complete = patterns.find(({ id }) => String(id).endsWith('-000000000066'))!
  // The others are parts of a pattern's place in the hierarchy.
  const all = new Set(patterns.flatMap(Object.keys).filter((name) => !name.endsWith('_refs')))
  assert.equal(
    [...all].sort(),
    Object.keys(complete)
      .filter((name) => !name.endsWith('_refs'))
      .sort(),
  )

  const [written] = [...(await sample.zip('cwe/cwec_v4.20.xml.zip')).values()]
  const entries = itemsOf(parseXml(written!.toString(), 'cwe'), 'Weaknesses', 'Weakness')
  const parts = (one: XmlElement) => one.children.flatMap((child) => (typeof child === 'string' ? [] : [child.name]))
  const full = entries.find((one) => one.attributes.get('ID') === '79')!
  // Notes are not served.
  const seen = new Set(entries.flatMap(parts).filter((name) => name !== 'Notes'))
  assert.equal(
    [...seen].filter((name) => !parts(full).includes(name)),
    [],
  )
})

test('addresses use reserved names only (RFC 2606)', async () => {
  const texts: string[] = []
  for (const path of sample.paths) {
    if (/^(cvelistv5|cwe)\//.test(path)) continue
    if (path.endsWith('.zip')) for (const bytes of (await sample.zip(path)).values()) texts.push(bytes.toString())
    else texts.push(sample.bytes(path).toString())
  }
  for (const [, host] of texts
    .join('\n')
    .replaceAll('\\/', '/')
    .matchAll(/https?:\/\/([^/"\s,]+)/g)) {
    assert.match(host!, /(^|\.)(example|example\.(com|org|net|gov)|json-schema\.org)$/)
  }
})

test.run()
