/** Package URLs of CVE records become records in the OSV schema. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packageAdvisory } from '../../../../corpus/feeds/cvelist/package-advisory.ts'
import { parseCveRecord } from '../../../../corpus/feeds/cvelist/record.ts'
import { matchAdvisories } from '../../../../corpus/model/packages/match.ts'
import type { PackageAdvisory } from '../../../../corpus/model/packages/package-advisory.ts'
import { schemaFaults } from '../../../support/osv-schema.ts'

const record = (cna: object, adp: object[] = [], state = 'PUBLISHED') =>
  parseCveRecord({
    cveMetadata: { cveId: 'CVE-2026-21619', state, assignerShortName: 'EEF', datePublished: '2026-02-01T00:00:00Z' },
    containers: { cna: { providerMetadata: { shortName: 'EEF', dateUpdated: '2026-02-02T00:00:00Z' }, ...cna }, adp },
  })

const HEX = 'pkg:hex/hex_core'
const BEFORE = [{ version: '0.1.0', lessThan: '0.12.1', versionType: 'semver', status: 'affected' }]
const of = (entry: object, adp: object[] = []) => packageAdvisory(record({ affected: [entry] }, adp))
const affectedIn = (entry: object) => {
  const stated = of({ packageURL: HEX, ...entry })
  return stated && (JSON.parse(stated.text) as { affected: { ranges: object[]; versions: string[] }[] }).affected
}
const ranges = (...events: object[][]) => events.map((one) => ({ type: 'ECOSYSTEM', events: one }))

test('the record has what the CNA states about the vulnerability', () => {
  const stated = packageAdvisory(
    record({
      title: 'Too much memory',
      descriptions: [{ lang: 'en', value: 'A response can take all memory.' }],
      problemTypes: [{ descriptions: [{ lang: 'en', cweId: 'CWE-770', description: 'CWE-770' }] }],
      metrics: [{ cvssV3_1: { version: '3.1', baseScore: 7.5, baseSeverity: 'HIGH', vectorString: VECTOR } }],
      references: [{ url: 'https://example.com/advisory' }],
      affected: [{ packageURL: HEX, versions: BEFORE }],
    }),
  )!
  const json = JSON.parse(stated.text)
  assert.equal(schemaFaults(json), [])
  assert.equal(json, {
    schema_version: '1.7.3',
    id: 'CVE-2026-21619',
    modified: '2026-02-02T00:00:00.000Z',
    published: '2026-02-01T00:00:00.000Z',
    summary: 'Too much memory',
    details: 'A response can take all memory.',
    severity: [{ type: 'CVSS_V3', score: VECTOR }],
    affected: [
      {
        package: { ecosystem: 'Hex', name: 'hex_core', purl: HEX },
        ranges: ranges([{ introduced: '0.1.0' }, { fixed: '0.12.1' }]),
        versions: [],
      },
    ],
    references: [{ type: 'WEB', url: 'https://example.com/advisory' }],
    database_specific: { derived_from: 'cve_record', cwe_ids: ['CWE-770'] },
  })
  assert.equal(
    stated.packages.map(({ key, purl }) => [key, purl]),
    [['Hex/hex_core', HEX]],
  )
  const { is_cve_record, severity, cve_ids } = JSON.parse(stated.packages[0]!.text) as PackageAdvisory
  assert.equal([is_cve_record, severity, cve_ids], [true, 'high', ['CVE-2026-21619']])
})
const VECTOR = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H'

test('versions and ranges are those of the affected product, except commits', () => {
  assert.equal(affectedIn({ versions: [{ version: '1.0', lessThanOrEqual: '2.0', status: 'affected' }] })![0]!.ranges, [
    ...ranges([{ introduced: '1.0' }, { last_affected: '2.0' }]),
  ])
  const listed = affectedIn({ versions: [{ version: '1.0', status: 'affected' }] })![0]!
  assert.equal([listed.ranges, listed.versions], [[], ['1.0']])
  const commits = [...BEFORE, { version: 'a1b2', lessThan: '*', versionType: 'git', status: 'affected' }]
  assert.is(affectedIn({ versions: commits })![0]!.ranges.length, 1)
})

test('without a version, the default status says what is affected', () => {
  assert.equal(affectedIn({ defaultStatus: 'affected' })![0]!.ranges, ranges([{ introduced: '0' }]))
  assert.is(affectedIn({ defaultStatus: 'unaffected' }), undefined)
  const unknown = affectedIn({ defaultStatus: 'unknown' })![0]!
  assert.equal([unknown.ranges, unknown.versions], [[], []])
})

test('without a title, the summary is the first sentence; a score without a vector states no severity', () => {
  const stated = packageAdvisory(
    record({
      descriptions: [{ lang: 'en', value: 'A response can take all memory. Clients are affected too.' }],
      metrics: [{ cvssV3_1: { version: '3.1', baseScore: 7.5, baseSeverity: 'HIGH' } }],
      affected: [{ packageURL: HEX, versions: BEFORE }],
    }),
  )!
  const { summary, severity } = JSON.parse(stated.text)
  assert.equal([summary, severity], ['A response can take all memory.', []])
})

/** The verdict of the record about a version, with the reason if it is undecided. */
function verdict(packageURL: string, statement: object, version: string): string {
  const stated = of({ packageURL, versions: [{ status: 'affected', ...statement }] })!
  const advisory = JSON.parse(stated.packages[0]!.text) as PackageAdvisory
  const ecosystem = advisory.affected[0]!.ecosystem
  const [match] = matchAdvisories([advisory], { ecosystem, version }, { preferList: true })
  return match ? [match.verdict, match.reason ?? ''].join(' ').trim() : 'not affected'
}

test('what is no version of the ecosystem decides nothing', () => {
  const vague = ['before 1.2.3', '1.2.3 and earlier', '1.x', '1.*', '1.0.0, 1.2.0', 'latest', '1a'.repeat(20)]
  for (const packageURL of ['pkg:npm/a', 'pkg:pypi/a', 'pkg:maven/a/b', 'pkg:gem/a', 'pkg:golang/a.example/b']) {
    for (const version of vague) {
      assert.is(verdict(packageURL, { version }, '9.0.0'), 'undecided no_versions', `${packageURL} ${version}`)
      const bound = verdict(packageURL, { version: '0', lessThanOrEqual: version }, '9.0.0')
      assert.match(bound, 'undecided', `${packageURL} up to ${version}`)
    }
    assert.is(verdict(packageURL, { version: '1.2.0' }, '1.2.0'), 'affected')
    assert.is(verdict(packageURL, { version: '1.2.0' }, '9.0.0'), 'not affected')
    assert.is(verdict(packageURL, { version: '0', lessThan: '1.2.0' }, '9.0.0'), 'not affected')
  }
  assert.is(verdict('pkg:maven/a/b', { version: 'before 1.2.3' }, 'before 1.2.3'), 'affected')
  // The letter is part of a version of Maven, not of Go.
  assert.is(verdict('pkg:maven/a/b', { version: 'v1.2.0' }, '1.2.0'), 'undecided no_versions')
  assert.is(verdict('pkg:golang/a.example/b', { version: 'v1.2.0' }, '1.2.1'), 'not affected')
  assert.is(
    verdict('pkg:maven/a/b', { version: 'a1b2', lessThan: '*', versionType: 'GIT' }, '1.0'),
    'undecided no_versions',
  )
})

test('packages have the URL of their ecosystem, whatever the record states', () => {
  for (const [packageURL, key, purl] of [
    ['PKG:NPM//@acme/a@1.2?x=y', 'npm/@acme/a', 'pkg:npm/%40acme/a'],
    ['pkg:golang/a.example/b#c', 'Go/a.example/b/c', 'pkg:golang/a.example/b/c'],
    ['pkg:github/acme/a', 'GitHub Actions/acme/a', null],
  ]) {
    const { packages } = of({ packageURL, versions: BEFORE })!
    assert.equal(
      packages.map((one) => [one.key, one.purl]),
      [[key, purl]],
    )
  }
})

test('a default of affected makes versions undecided that are not listed, unless others are stated as unaffected', () => {
  const counts = (...versions: object[]) => affectedIn({ defaultStatus: 'affected', versions })!.length
  assert.is(counts({ version: '1.0', status: 'affected' }), 2)
  assert.is(counts(...BEFORE), 2)
  assert.is(counts(...BEFORE, { version: '0.12.1', status: 'unaffected' }), 1)
  assert.is(counts({ version: '1.0', lessThan: '*', status: 'affected' }), 1)
})

test('ADPs state packages too', () => {
  const adp = {
    providerMetadata: { shortName: 'x' },
    affected: [{ packageURL: 'pkg:npm/%40acme/a', versions: BEFORE }],
  }
  const stated = packageAdvisory(record({}, [adp]))!
  assert.equal(
    stated.packages.map(({ key }) => key),
    ['npm/@acme/a'],
  )
})

// Each é takes six characters in a package URL.
const LONG = [`pkg:npm/${'a'.repeat(2049)}`, `pkg:npm/${'é'.repeat(400)}`]

test('a product without a package URL of an ecosystem states no package', () => {
  for (const packageURL of [
    undefined,
    'pkg:oci/gleam?repository_url=ghcr.io/gleam-lang',
    'hex_core',
    'pkg:npm/%zz',
    ...LONG,
  ]) {
    assert.is(of({ packageURL, versions: BEFORE }), undefined, packageURL)
  }
  assert.is(packageAdvisory(record({ affected: [{ packageURL: HEX, versions: BEFORE }] }, [], 'REJECTED')), undefined)
})

test.run()
