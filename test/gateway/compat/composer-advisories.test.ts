/** Advisories in the form of a Composer repository. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type ComposerAdvisory, composerAdvisories } from '../../../gateway/compat/composer-advisories.ts'
import { packagesOf, packagistRecord } from '../../support/compat.ts'

type Events = Record<string, string>[]

function found(records: object[], updatedSince: number | null = null): ComposerAdvisory[] {
  const { package: find, aliasesOf } = packagesOf(records)
  return composerAdvisories(find('Packagist', 'acme/lib')!, aliasesOf, updatedSince)
}

const record = (id: string, events: Events, more: object = {}) => packagistRecord(id, 'acme/lib', events, more)

/** A record with these ranges and enumerated versions. */
const stating = (id: string, ranges: Events[], versions: string[] = [], ecosystem = 'Packagist') =>
  record(id, [], {
    affected: [
      {
        package: { ecosystem, name: 'acme/lib' },
        ranges: ranges.map((events) => ({ type: 'ECOSYSTEM', events })),
        versions,
      },
    ],
  })

const constraintOf = (...events: Events) => found([record('GHSA-1', events)])[0]?.affectedVersions

test('an advisory has the fields of a repository', () => {
  const events = [{ introduced: '2.0.0' }, { fixed: '2.1.1' }]
  assert.equal(found([record('GHSA-aaaa-bbbb-cccc', events, { aliases: ['CVE-2024-1234'] })]), [
    {
      advisoryId: 'GHSA-aaaa-bbbb-cccc',
      packageName: 'acme/lib',
      remoteId: 'GHSA-aaaa-bbbb-cccc',
      title: 'Flaw in acme/lib',
      link: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
      cve: 'CVE-2024-1234',
      affectedVersions: '>=2.0.0-stable,<2.1.1-stable',
      source: 'GitHub',
      sources: [{ name: 'GitHub', remoteId: 'GHSA-aaaa-bbbb-cccc' }],
      reportedAt: '2024-02-03T04:05:06+00:00',
      composerRepository: 'https://packagist.org',
      severity: 'high',
    },
  ])
})

test('a record with the least has every field that Composer requires', () => {
  const least = { summary: undefined, published: undefined, modified: undefined, database_specific: undefined }
  const [only] = found([record('DRUPAL-1', [{ introduced: '0' }], least)])
  assert.is(only!.title, 'DRUPAL-1')
  assert.is(only!.link, 'https://osv.dev/vulnerability/DRUPAL-1')
  assert.is(only!.source, 'OSV')
  assert.is(only!.cve, null)
  assert.is(only!.severity, null)
  assert.is(only!.reportedAt, '1970-01-01T00:00:00+00:00')
  const malware = found([record('MAL-1', [{ introduced: '0' }], least)])[0]!
  assert.equal([malware.title, malware.severity], ['Malicious code in acme/lib', 'critical'])
})

test('ranges become alternatives of a constraint', () => {
  assert.is(constraintOf({ introduced: '0' }, { fixed: '1.8.4' }), '<1.8.4-stable')
  assert.is(constraintOf({ introduced: '0' }), '*')
  assert.is(constraintOf({ introduced: 'v1.0' }), '>=v1.0-stable')
  assert.is(constraintOf({ introduced: '1.0' }, { last_affected: '1.5' }), '>=1.0-stable,<=1.5')
  assert.is(
    constraintOf({ introduced: '2.0' }, { fixed: '1.8.4' }, { introduced: '0' }, { fixed: '2.1.1' }),
    '<1.8.4-stable|>=2.0-stable,<2.1.1-stable',
    'events are sorted',
  )
  assert.is(constraintOf({ introduced: '1.0' }, { fixed: '1.0.0' }), undefined, 'an empty range')
})

test('Composer shifts no bound of a pre-release, patch or date', () => {
  assert.is(constraintOf({ introduced: '1.0-beta2' }, { fixed: '1.0-p1' }), '>=1.0-beta2,<1.0-p1')
  assert.is(constraintOf({ introduced: '0' }, { fixed: '2.0-RC1' }), '<=2.0-RC1,!=2.0-RC1')
  assert.is(constraintOf({ introduced: '2.0RC1' }, { fixed: '3' }), '>2.0RC1,<3-stable|=2.0RC1,<3-stable')
  assert.is(constraintOf({ introduced: '0' }, { fixed: '2017-08-18' }), '<=2017-08-18,!=2017-08-18')
  assert.is(constraintOf({ introduced: '0' }, { fixed: '1.x-dev' }), '<1.x-dev')
})

test('enumerated versions outside of the ranges are alternatives, branches among them', () => {
  const listed = stating('GHSA-1', [[{ introduced: '1' }, { fixed: '2' }]], ['1.5', '3.0+build', 'dev-main', 'main'])
  assert.is(found([listed])[0]!.affectedVersions, '>=1-stable,<2-stable|=3.0|=dev-main')
})

test('malware with a list of versions affects the list alone', () => {
  const everything = [[{ introduced: '0' }]]
  assert.is(found([stating('MAL-1', everything, ['1.0', '1.1'])])[0]!.affectedVersions, '=1.0|=1.1')
  assert.is(found([stating('GHSA-1', everything, ['1.0', '1.1'])])[0]!.affectedVersions, '*')
})

test('what Composer could not parse is in no constraint', () => {
  for (const version of ['6.0.0-GM', 'latest', '1.0|*', '1.0,2', '1.0 || *', '20240131.1.2', '@dev', '1.0 as 2.0']) {
    const range = [{ introduced: '0' }, { fixed: version }]
    assert.equal(found([stating('GHSA-1', [range])]), [], version)
    const half = stating('GHSA-1', [range, [{ introduced: '1' }, { fixed: '2' }]], [version])
    assert.is(found([half])[0]!.affectedVersions, '>=1-stable,<2-stable', version)
  }
})

test('advisories that alias each other are one item with the versions of all', () => {
  const aliases = ['CVE-2024-0001']
  const wide = record('OSV-1', [{ introduced: '1' }, { fixed: '3' }], { aliases, published: '2023-01-01T00:00:00Z' })
  const narrow = record('GHSA-1', [{ introduced: '0' }, { fixed: '1' }], { aliases, database_specific: {} })
  const [only, ...others] = found([wide, narrow])
  assert.equal(others, [])
  assert.is(only!.advisoryId, 'GHSA-1')
  assert.is(only!.affectedVersions, '<1-stable|>=1-stable,<3-stable')
  assert.equal(only!.sources, [
    { name: 'GitHub', remoteId: 'GHSA-1' },
    { name: 'OSV', remoteId: 'OSV-1' },
  ])
  assert.is(only!.cve, 'CVE-2024-0001')
  assert.is(only!.severity, 'high', 'of the first that states one')
  assert.is(only!.reportedAt, '2023-01-01T00:00:00+00:00', 'the first publication')
  assert.is(found([record('GHSA-1', [{ introduced: '0' }]), record('GHSA-2', [{ introduced: '0' }])]).length, 2)
})

test('updatedSince leaves out what has not changed since; without a date it may have', () => {
  const events = [{ introduced: '0' }]
  const ids = (since: string) =>
    found(
      [
        record('GHSA-1', events),
        record('GHSA-2', events, { modified: '2024-05-01T00:00:00Z' }),
        record('GHSA-3', events, { modified: undefined }),
      ],
      Date.parse(since),
    ).map(({ advisoryId }) => advisoryId)
  assert.equal(ids('2024-03-04T05:06:07Z'), ['GHSA-1', 'GHSA-2', 'GHSA-3'])
  assert.equal(ids('2024-03-04T05:06:08Z'), ['GHSA-2', 'GHSA-3'])
  assert.equal(ids('2024-06-01T00:00:00Z'), ['GHSA-3'])
})

test('a repository of its own is named', () => {
  const [only] = found([stating('DRUPAL-1', [[{ introduced: '0' }]], [], 'Packagist:https://packages.drupal.org/8')])
  assert.is(only!.composerRepository, 'https://packages.drupal.org/8')
})

test.run()
