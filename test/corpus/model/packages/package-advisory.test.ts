/** What the package index takes from a record in the OSV schema. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { statedCveIds } from '../../../../corpus/model/packages/advisory-ids.ts'
import { matchAdvisories } from '../../../../corpus/model/packages/match.ts'
import { packageKey } from '../../../../corpus/model/packages/name.ts'
import { type PackageAdvisory, packageStatements } from '../../../../corpus/model/packages/package-advisory.ts'
import type { JsonObject } from '../../../../corpus/model/values/json-value.ts'

const NPM = { package: { ecosystem: 'npm', name: 'a' } }
const LOW_3 = 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N'
const HIGH_4 = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N'
const LOW_4 = 'CVSS:4.0/AV:P/AC:H/AT:P/PR:H/UI:A/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N'

function advisoryOf(record: JsonObject): PackageAdvisory {
  const statements = packageStatements({ id: 'GHSA-1', affected: [NPM], ...record })
  assert.is(statements.length, 1)
  return statements[0]!.advisory
}
const rangesOf = (entry: JsonObject, record: JsonObject = {}) =>
  advisoryOf({ ...record, affected: [{ ...NPM, ...entry }] }).affected[0]!

const facts = suite('facts')

facts('id, dates, summary and weaknesses are those of the record', () => {
  const advisory = advisoryOf({
    modified: '2024-05-06T07:08:09+02:00',
    published: '2024-05-06',
    summary: ' A flaw ',
    database_specific: { cwe_ids: ['CWE-79', 'CWE-20', 'CWE-79', 7] },
  })
  assert.is(advisory.id, 'GHSA-1')
  assert.equal([advisory.modified, advisory.published], ['2024-05-06T05:08:09.000Z', '2024-05-06T00:00:00.000Z'])
  assert.is(advisory.summary, 'A flaw')
  assert.equal(advisory.cwe_ids, ['CWE-79', 'CWE-20'])
  const bare = advisoryOf({ modified: 7, published: 'soon', summary: '' })
  assert.equal([bare.modified, bare.published, bare.summary, bare.severity], [null, null, null, null])
  assert.equal([bare.cvss, bare.cwe_ids, bare.aliases, bare.cve_ids], [[], [], [], []])
})

facts('aliases leave out the id; CVEs come from id, aliases and upstream, by year and number', () => {
  const advisory = advisoryOf({
    id: 'CVE-2024-0002',
    aliases: ['GHSA-2', 'cve-2024-12345', 'CVE-2024-0002', 'GHSA-2', null],
    upstream: ['CVE-2023-9999', 'DSA-1', 'CVE-2024-9999'],
    related: ['CVE-2020-0001'],
  })
  assert.equal(advisory.aliases, ['GHSA-2', 'cve-2024-12345'])
  assert.equal(advisory.cve_ids, ['CVE-2023-9999', 'CVE-2024-0002', 'CVE-2024-9999', 'CVE-2024-12345'])
})

facts('the severity is the band of the first score, else the rating; the highest CVSS version comes first', () => {
  const severity = [{ score: LOW_3 }, { score: HIGH_4 }, { score: LOW_3 }, { score: 'high' }]
  const rated = (text: unknown, vectors: object[]) =>
    advisoryOf({ severity: vectors, database_specific: { severity: text } })
  const texts = ['LOW', 'moderate', 'MEDIUM', 'High', 'CRITICAL']
  for (const [i, expected] of ['low', 'medium', 'medium', 'high', 'critical'].entries()) {
    const [scored, unscored] = [severity, []].map((vectors) => rated(texts[i], vectors))
    assert.equal([scored?.severity, scored?.stated_severity, unscored?.severity], ['high', expected, expected])
  }
  for (const unknown of ['', 'severe', '__proto__', 'constructor', null]) {
    assert.is(rated(unknown, severity).stated_severity, null)
  }
  assert.equal(
    advisoryOf({ severity }).cvss.map(({ version, score, vector }) => [version, score, vector]),
    [
      ['4.0', 8.7, HIGH_4],
      ['3.1', 3.1, LOW_3],
    ],
  )
})

facts('a vector of an entry counts for its package alone', () => {
  const statements = packageStatements({
    id: 'GHSA-1',
    severity: [{ score: LOW_3 }],
    affected: [NPM, { package: { ecosystem: 'npm', name: 'b' }, severity: [{ score: LOW_4 }] }],
  })
  assert.equal(
    statements.map(({ advisory }) => advisory.cvss.map(({ vector }) => vector)),
    [[LOW_3], [LOW_4, LOW_3]],
  )
})

facts('malware is critical, whatever is stated', () => {
  const malware = advisoryOf({ id: 'MAL-2024-1', database_specific: { severity: 'LOW' } })
  assert.equal([malware.is_malware, malware.severity], [true, 'critical'])
  const other = advisoryOf({ id: 'GHSA-1', aliases: ['MAL-2024-1'] })
  assert.equal([other.is_malware, other.severity], [false, null])
})

const packages = suite('packages')

packages('a withdrawn record, and one without an id, state nothing', () => {
  assert.equal(packageStatements({ id: 'GHSA-1', withdrawn: '2024-01-01T00:00:00Z', affected: [NPM] }), [])
  assert.equal(packageStatements({ affected: [NPM] }), [])
  assert.is(packageStatements({ id: 'GHSA-1', withdrawn: '', affected: [NPM] }).length, 1)
})

packages('entries of one package are one statement, by the folded name', () => {
  const names = ['Zope.Interface', 'zope-interface', 'other', 'zope_interface']
  const statements = packageStatements({
    id: 'PYSEC-1',
    affected: names.map((name, i) => ({ package: { ecosystem: 'PyPI', name }, versions: [`${i}`] })),
  })
  assert.equal(
    statements.map(({ ecosystem, folded, advisory: { name, affected } }) => ({
      key: `${ecosystem}/${folded}`,
      name,
      versions: affected.map((one) => one.versions),
    })),
    [
      { key: 'PyPI/zope-interface', name: 'Zope.Interface', versions: [['0'], ['1'], ['3']] },
      { key: 'PyPI/other', name: 'other', versions: [['2']] },
    ],
  )
  assert.is(packageKey('PyPI', 'zope__interface'), 'PyPI/zope-interface')
})

packages('releases of a distribution are entries of one package', () => {
  const statements = packageStatements({
    id: 'DSA-1',
    affected: ['Debian:11', 'Debian:12', 'Ubuntu:22.04:LTS'].map((ecosystem) => ({
      package: { ecosystem, name: 'a' },
    })),
  })
  assert.equal(
    statements.map((one) => [one.ecosystem, ...one.advisory.affected.map(({ ecosystem }) => ecosystem)]),
    [
      ['Debian', 'Debian:11', 'Debian:12'],
      ['Ubuntu', 'Ubuntu:22.04:LTS'],
    ],
  )
})

packages('the purl is the stated one without version and qualifiers, else derived', () => {
  const purlOf = (...stated: unknown[]) =>
    packageStatements({
      id: 'X-1',
      affected: stated.map((purl) => ({ package: { ecosystem: 'npm', name: '@a/b', purl } })),
    })[0]!.purl
  assert.is(purlOf('pkg:npm/%40a/B@1.0?arch=x86#sub'), 'pkg:npm/%40a/B')
  assert.is(purlOf('pkg:npm/@a/b'), 'pkg:npm/@a/b')
  assert.is(purlOf(undefined, 'pkg:npm/%40A/b'), 'pkg:npm/%40A/b')
  assert.is(purlOf(undefined), 'pkg:npm/%40a/b')
  assert.is(packageStatements({ id: 'X-1', affected: [{ package: { ecosystem: 'GIT', name: 'a' } }] })[0]!.purl, null)
})

packages('entries without a usable ecosystem or name are ignored', () => {
  const named = [
    {},
    null,
    { ecosystem: 'npm' },
    { name: 'a' },
    { ecosystem: ' ', name: 'a' },
    { ecosystem: 7, name: 7 },
  ]
  const ambiguous = ['a/b', '/', ':12', 'a/b:1'].map((ecosystem) => ({ ecosystem, name: 'c' }))
  const affected = [...named, ...ambiguous].map((one) => ({ package: one }))
  assert.equal(packageStatements({ id: 'X-1', affected: [...affected, 'text', null] }), [])
  assert.equal(packageStatements({ id: 'X-1', affected: {} }), [])
  const repository = { ecosystem: 'Maven:https://repo.example/a', name: 'g:a' }
  assert.is(packageStatements({ id: 'X-1', affected: [{ package: repository }] })[0]!.ecosystem, 'Maven')
})

packages('hostile names are names; text is well-formed', () => {
  const names = ['__proto__', 'constructor', `${'x'.repeat(1e6)}`, 'a\ud800b', '?'.repeat(1e5).concat('@@')]
  const statements = packageStatements({
    id: 'X-1\udfff',
    summary: '\ud800',
    affected: names.map((name) => ({ package: { ecosystem: 'npm', name, purl: `pkg:npm/${name}` } })),
  })
  assert.equal(
    statements.map(({ folded }) => folded),
    names.map((name) => name.toWellFormed()),
  )
  const texts = statements.map((one) => JSON.stringify(one))
  assert.ok(texts.every((text) => !/\\ud[89a-f]/i.test(text)))
  assert.is(statements[0]!.advisory.id, 'X-1\ufffd')
})

const ranges = suite('ranges')

ranges('only ranges of type SEMVER and ECOSYSTEM are kept, in any case', () => {
  const events = [{ introduced: '0' }]
  const types = ['GIT', 'git', 'semver', 'ECOSYSTEM', 'OTHER', undefined]
  const kept = rangesOf({ ranges: types.map((type) => ({ type, events })) }).ranges
  assert.equal(
    kept.map(({ type }) => type),
    ['SEMVER', 'ECOSYSTEM', 'ECOSYSTEM'],
  )
})

ranges('events ascend, one kind each; values of other types count as missing', () => {
  const events = [
    { fixed: '3.0.0' },
    { introduced: '2.0.0', fixed: '1.10.0' },
    { introduced: 0 },
    { introduced: '0' },
    7,
  ]
  assert.equal(rangesOf({ ranges: [{ type: 'SEMVER', events }] }).ranges[0]!.events, [
    { introduced: '0' },
    { fixed: '1.10.0' },
    { introduced: '2.0.0' },
    { fixed: '3.0.0' },
  ])
})

ranges('a range stays as stated if a version cannot be parsed, or if it has a limit', () => {
  for (const last of [{ fixed: 'x y' }, { limit: '3.0.0' }]) {
    const events = [{ fixed: '2.0.0' }, { introduced: '0' }, last]
    assert.equal(rangesOf({ ranges: [{ type: 'SEMVER', events }] }).ranges[0]!.events, events)
  }
})

ranges('versions in a range are left out, the others stay, once each', () => {
  const entry = {
    ranges: [{ type: 'SEMVER', events: [{ introduced: '1.0.0' }, { fixed: '2.0.0' }] }],
    versions: ['0.9.0', '1.0.0', '1.9.9', '2.0.0', '2.0.0', 'latest', ' '],
  }
  assert.equal(rangesOf(entry).versions, ['0.9.0', '2.0.0', 'latest'])
})

ranges('malware and distributions keep all versions', () => {
  const entry = { ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }] }], versions: ['1.0', '1.0', '2.0'] }
  assert.equal(rangesOf(entry).versions, [])
  assert.equal(rangesOf(entry, { id: 'MAL-1' }).versions, ['1.0', '2.0'])
  const debian = { ...entry, package: { ecosystem: 'Debian:12', name: 'a' } }
  assert.equal(rangesOf(debian).versions, ['1.0', '2.0'])
})

ranges('100,000 versions, events and packages are read; 30,000 versions and events are found again', () => {
  const MANY = 100_000
  const versions = Array.from({ length: MANY }, (_, i) => `${i}.0.0`)
  const events = versions.map((version, i) => (i % 2 === 0 ? { introduced: version } : { fixed: version }))
  const withFirst = (count: number) =>
    advisoryOf({
      affected: [
        {
          ...NPM,
          ranges: [{ type: 'SEMVER', events: events.slice(0, count).toReversed() }],
          versions: versions.slice(0, count),
        },
      ],
    })
  const advisory = withFirst(MANY)
  assert.equal(advisory.affected[0]!.ranges[0]!.events, events)
  assert.is(advisory.affected[0]!.versions.length, MANY / 2)
  const advisories = [withFirst(MANY / 5)]
  for (const [version, count] of [
    ['500.5.0', 1],
    ['501.0', 1],
    ['501.5.0', 0],
  ] as const) {
    const found = matchAdvisories(advisories, { ecosystem: 'npm', version }, { preferList: false })
    assert.is(found.length, count, version)
  }
  const affected = versions.map((name) => ({ package: { ecosystem: 'npm', name } }))
  assert.is(packageStatements({ id: 'X-1', severity: [{ score: HIGH_4 }], affected }).length, MANY)
})

facts('the CVEs of a record are those of its id, aliases and upstream, whatever else it has there', () => {
  const ids = { aliases: ['GHSA-x', 'CVE-2024-1000', 'CVE-2024-999'], upstream: ['CVE-2024-1000', 7] }
  assert.equal(statedCveIds({ id: 'CVE-2024-0001', withdrawn: '2024-01-01T00:00:00Z', ...ids }), [
    'CVE-2024-0001',
    'CVE-2024-1000',
  ])
  assert.equal(statedCveIds({ id: 'GO-1', aliases: {}, upstream: 'CVE-2024-0001' }), [])
})

facts.run()
packages.run()
ranges.run()
