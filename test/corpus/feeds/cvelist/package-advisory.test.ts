/** Package URLs of CVE records become records in the OSV schema. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packageAdvisory } from '../../../../corpus/feeds/cvelist/package-advisory.ts'
import { parseCveRecord } from '../../../../corpus/feeds/cvelist/record.ts'
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

test('a product without a package URL of an ecosystem states no package', () => {
  for (const packageURL of [undefined, 'pkg:oci/gleam?repository_url=ghcr.io/gleam-lang', 'hex_core', 'pkg:npm/%zz']) {
    assert.is(of({ packageURL, versions: BEFORE }), undefined, packageURL)
  }
  assert.is(packageAdvisory(record({ affected: [{ packageURL: HEX, versions: BEFORE }] }, [], 'REJECTED')), undefined)
})

test.run()
