/** Advisories in the form of npm's registry. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type NpmAdvisory, npmAdvisories } from '../../../gateway/compat/npm-advisories.ts'
import { npmRecord, packagesOf } from '../../support/compat.ts'

type Events = Record<string, string>[]

const record = (id: string, ranges: Events[], more: object = {}, versions: string[] = []) =>
  npmRecord(id, 'left', '1.0.0', {
    affected: [
      {
        package: { ecosystem: 'npm', name: 'left' },
        ranges: ranges.map((events) => ({ type: 'SEMVER', events })),
        versions,
      },
    ],
    ...more,
  })

function found(records: object[], ...versions: string[]): NpmAdvisory[] {
  const { package: find, aliasesOf } = packagesOf(records)
  return npmAdvisories(find('npm', 'left')!, versions, aliasesOf)
}

const ranges = (records: object[], ...versions: string[]) =>
  found(records, ...versions).map(({ vulnerable_versions }) => vulnerable_versions)

test('an advisory has the fields of the registry', () => {
  const severity = [
    { type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' },
    { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
  ]
  const [only, ...others] = found([npmRecord('GHSA-aaaa-bbbb-cccc', 'left', '1.0.0', { severity })], '0.9.0')
  assert.equal(others, [])
  const { id, ...rest } = only!
  assert.ok(Number.isInteger(id) && id > 0 && id < 2 ** 31)
  assert.equal(rest, {
    url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
    title: 'Flaw in left',
    severity: 'high',
    vulnerable_versions: '<1.0.0',
    cwe: ['CWE-79'],
    cvss: { score: 9.8, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
  })
  assert.equal(found([npmRecord('GHSA-aaaa-bbbb-cccc', 'left', '1.0.0')], '0.1.0')[0]!.id, id - 0, 'the id is stable')
})

test('CVSS 4 alone gives score 0', () => {
  const severity = [{ type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' }]
  assert.equal(found([npmRecord('GHSA-1', 'left', '1.0.0', { severity })], '0.9.0')[0]!.cvss, {
    score: 0,
    vectorString: null,
  })
})

test('severities are those of npm; a missing one is high', () => {
  const severityOf = (severity?: string) =>
    found([npmRecord('GHSA-1', 'left', '1.0.0', { database_specific: { severity } })], '0.9.0')[0]!.severity
  assert.equal(['LOW', 'MODERATE', 'HIGH', 'CRITICAL', undefined].map(severityOf), [
    'low',
    'moderate',
    'high',
    'critical',
    'high',
  ])
  const none = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N' }]
  assert.is(
    found([npmRecord('GHSA-1', 'left', '1.0.0', { database_specific: {}, severity: none })], '0.9.0')[0]!.severity,
    'info',
  )
})

test('a record of another database links to osv.dev, and malware without a summary has a title', () => {
  const [only] = found([record('MAL-2024-1', [], { summary: undefined }, ['1.0.0'])], '1.0.0')
  assert.is(only!.url, 'https://osv.dev/vulnerability/MAL-2024-1')
  assert.is(only!.title, 'Malicious code in left (npm)')
  assert.is(only!.severity, 'critical')
})

test('each form of a range is one of semver', () => {
  const of = (...events: Events) => ranges([record('GHSA-1', [events])], '1.5.0')[0]
  assert.is(of({ introduced: '0' }, { fixed: '2.0.0' }), '<2.0.0')
  assert.is(of({ introduced: '1.0.0' }, { fixed: '2.0.0' }), '>=1.0.0 <2.0.0')
  assert.is(of({ introduced: '0' }, { last_affected: '1.5.0' }), '<=1.5.0')
  assert.is(of({ introduced: '1.0.0' }, { last_affected: '1.6.0' }), '>=1.0.0 <=1.6.0')
  assert.is(of({ introduced: '1.0.0' }), '>=1.0.0')
  assert.is(of({ introduced: '0' }), '>=0.0.0-0')
  assert.is(of({ introduced: '1' }, { last_affected: '1.6' }), '>=1.0.0 <=1.6.0', 'missing numbers are 0')
  assert.is(of({ introduced: '1.0-rc.1' }, { fixed: 'v2.0.0-beta' }), '>=1.0.0-rc.1 <2.0.0-beta')
})

test('only ranges that contain a version asked for are reported, one item each', () => {
  const record1 = record('GHSA-1', [
    [{ introduced: '1.0.0' }, { fixed: '1.2.0' }, { introduced: '2.0.0' }, { fixed: '2.2.0' }],
    [{ introduced: '3.0.0' }, { fixed: '3.2.0' }],
  ])
  assert.equal(ranges([record1], '1.1.0', '3.1.0', '1.1.1'), ['>=1.0.0 <1.2.0', '>=3.0.0 <3.2.0'])
  assert.equal(ranges([record1], '1.2.0', '2.2.0'), [])
  const ids = found([record1], '1.1.0', '2.1.0', '3.1.0').map(({ id }) => id)
  assert.is(new Set(ids).size, 3)
})

test('pre-releases take part in ranges', () => {
  assert.equal(ranges([npmRecord('GHSA-1', 'left', '1.0.0')], '1.0.0-beta.1'), ['<1.0.0'])
  assert.equal(ranges([npmRecord('GHSA-1', 'left', '1.0.0-beta.1')], '1.0.0-beta.1'), [])
})

test('enumerated versions are one item each, also of malware that names every version', () => {
  const everything = [[{ introduced: '0' }]]
  assert.equal(ranges([record('MAL-1', everything, {}, ['1.0.0', '1.0.1', '1.0.2'])], '1.0.0', '1.0.2', '1.1.0'), [
    '=1.0.0',
    '=1.0.2',
  ])
  assert.equal(ranges([record('MAL-1', everything)], '1.1.0'), ['>=0.0.0-0'], 'without a list')
})

test('a version that is no semver is matched by ranges of every version alone', () => {
  assert.equal(ranges([npmRecord('GHSA-1', 'left', '1.0.0')], 'github:left/left'), [])
  assert.equal(ranges([record('GHSA-1', [[{ introduced: '0' }]])], 'github:left/left'), ['>=0.0.0-0'])
})

test('advisories that alias each other are reported once, GitHub first', () => {
  const aliases = ['GHSA-1']
  const both = [record('MAL-1', [], { aliases }, ['1.0.0']), record('GHSA-1', [[{ introduced: '0' }]])]
  assert.equal(
    found(both, '1.0.0').map(({ url }) => url),
    ['https://github.com/advisories/GHSA-1'],
  )
  const shared = (id: string) => npmRecord(id, 'left', '2.0.0', { aliases: ['CVE-2024-0001'] })
  assert.is(found([shared('GHSA-2'), shared('OSV-1')], '1.0.0').length, 1)
  assert.is(found([npmRecord('GHSA-2', 'left', '2.0.0'), npmRecord('OSV-1', 'left', '2.0.0')], '1.0.0').length, 2)
})

test('an alias set is reported through the advisory that affects all its versions, else through several', () => {
  const aliases = ['GHSA-1']
  const narrow = record('GHSA-1', [[{ introduced: '1.0.0' }, { fixed: '2.0.0' }]])
  const wide = record('OSV-1', [[{ introduced: '0' }, { fixed: '3.0.0' }]], { aliases })
  assert.equal(ranges([narrow, wide], '1.5.0'), ['>=1.0.0 <2.0.0'])
  assert.equal(ranges([narrow, wide], '1.5.0', '2.5.0'), ['<3.0.0'])
  const later = record('OSV-1', [[{ introduced: '2.0.0' }, { fixed: '3.0.0' }]], { aliases })
  assert.equal(ranges([narrow, later], '1.5.0', '2.5.0'), ['>=1.0.0 <2.0.0', '>=2.0.0 <3.0.0'])
})

test('ids are unique in a package', () => {
  const records = Array.from({ length: 500 }, (_, i) => npmRecord(`GHSA-${i}`, 'left', '1.0.0'))
  const ids = found(records, '0.1.0').map(({ id }) => id)
  assert.is(new Set(ids).size, 500)
})

test.run()
