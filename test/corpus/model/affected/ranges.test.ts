import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type VersionLists, type VersionStatement, versionLists } from '../../../../corpus/model/affected/ranges.ts'

/** A statement in the CVE schema's terms; affected by default. */
type Stated = Partial<Omit<VersionStatement, 'version'>> & { version: string }

const statement = (stated: Stated): VersionStatement => ({
  status: 'affected',
  lessThan: null,
  lessThanOrEqual: null,
  versionType: null,
  changes: [],
  ...stated,
})

const range = (introduced: string | null, fixed: string | null, version_type: string | null = null) => ({
  introduced,
  fixed,
  version_type,
})
const until = (introduced: string, last_affected: string, version_type: string | null = null) => ({
  ...range(introduced, null, version_type),
  last_affected,
})

const unaffected = { status: 'unaffected' } as const
const fixedAt = (at: string) => ({ at, status: 'unaffected' })
const brokenAt = (at: string) => ({ at, status: 'affected' })

interface Case {
  name: string
  default?: string
  versions: Stated[]
  want: Partial<VersionLists>
}

const CASES: Case[] = [
  {
    name: 'rule 24: version and lessThan are introduced and fixed',
    versions: [{ version: '1.0', lessThan: '1.5', versionType: 'semver' }],
    want: { affected_ranges: [range('1.0', '1.5', 'semver')] },
  },
  {
    name: 'rule 24: lessThanOrEqual is last_affected',
    versions: [{ version: '1.0', lessThanOrEqual: '1.5', versionType: 'custom' }],
    want: { affected_ranges: [until('1.0', '1.5', 'custom')] },
  },
  {
    name: 'rule 24: a bound equal to version, or none, is a single version',
    versions: [
      { version: '1.0', lessThan: '1.0' },
      { version: '1.1', lessThanOrEqual: '1.1' },
      { version: '1.2' },
      { version: '1.2' },
    ],
    want: { affected_versions: ['1.0', '1.1', '1.2'] },
  },
  {
    name: 'rule 24: changes are replayed literally, in order: unaffected ends a range',
    versions: [{ version: '9.0', lessThan: '9.5', changes: [fixedAt('9.3')], versionType: 'custom' }],
    want: { affected_ranges: [range('9.0', '9.3', 'custom')] },
  },
  {
    name: 'rule 24: changes are replayed literally, in order: affected begins one, which the bound ends',
    versions: [{ version: '9.0', lessThan: '9.9', changes: [fixedAt('9.3'), brokenAt('9.5')] }],
    want: { affected_ranges: [range('9.0', '9.3'), range('9.5', '9.9')] },
  },
  {
    name: 'rule 24: changes may begin with something unaffected',
    versions: [{ ...unaffected, version: '1', lessThanOrEqual: '3', changes: [brokenAt('2')] }],
    want: { affected_ranges: [until('2', '3')] },
  },
  {
    name: 'rule 24: a further fix while no range is open is a patched version',
    versions: [{ version: '9.0', lessThan: '9.5', changes: [fixedAt('9.3-h1'), fixedAt('9.2-h4')] }],
    want: { affected_ranges: [range('9.0', '9.3-h1')], patched_versions: ['9.2-h4'] },
  },
  {
    name: 'rule 24: a change to unknown states nothing',
    versions: [{ version: '1', lessThan: '3', changes: [{ at: '2', status: 'unknown' }] }],
    want: { affected_ranges: [range('1', '3')] },
  },
  {
    name: 'rule 24: changes that say nothing leave a single version a single version',
    versions: [
      { version: '1.0', changes: [{ at: '2.0', status: 'unknown' }] },
      { version: '1.1', changes: ['', ' ', 'n/a', '-', 'unspecified', '*', 'all'].map(fixedAt) },
      { version: 'n/a', changes: [brokenAt('n/a')] },
    ],
    want: { affected_versions: ['1.0', '1.1'] },
  },
  {
    name: 'rule 24: a change without a bound leaves the range open',
    versions: [{ version: '1', changes: [fixedAt('2'), brokenAt('3')] }],
    want: { affected_ranges: [range('1', '2'), range('3', null)] },
  },
  {
    name: 'rule 24: the end of a branch is its last affected version and no fix, whichever bound names it',
    versions: [
      { version: '5.8.0', lessThan: '5.8.*', versionType: 'semver' },
      { version: '20.1R2', lessThan: '20.1*' },
      { version: '9.2.x', lessThanOrEqual: '<=9.2.*' },
      { version: '21.1', lessThan: '21.1*', changes: [brokenAt('21.1R1')] },
      { version: '19.4', lessThan: '19.4*', changes: [fixedAt('19.4R3')] },
    ],
    want: {
      affected_ranges: [
        until('5.8.0', '5.8.*', 'semver'),
        until('20.1R2', '20.1*'),
        until('9.2.x', '9.2.*'),
        until('21.1', '21.1*'),
        range('19.4', '19.4R3'),
      ],
    },
  },
  {
    name: 'rule 24: introduced is "0" where "All versions" stands before a bound, as before a comparator',
    versions: [
      { version: 'All versions', lessThan: '23.2' },
      { version: 'all versions', lessThanOrEqual: '*' },
    ],
    want: { affected_ranges: [range('0', '23.2'), range('0', null)] },
  },
  {
    name: 'rule 24: introduced is "0" where the start is 0, * or a placeholder',
    versions: ['0', '*', 'n/a', '-', 'unspecified', 'unknown', 'all', '', 'N/A'].map((version) => ({
      version,
      lessThan: '2',
    })),
    want: { affected_ranges: Array.from({ length: 9 }, () => range('0', '2')) },
  },
  {
    name: 'rule 24: a bound of * or a placeholder is no bound',
    versions: ['*', 'n/a', '-', 'unspecified', 'unknown', 'all'].map((lessThan) => ({ version: '1', lessThan })),
    want: { affected_ranges: Array.from({ length: 6 }, () => range('1', null)) },
  },
  {
    name: 'rule 24: a bound of * is none for lessThanOrEqual either, also from 0',
    versions: [{ version: '0', lessThanOrEqual: '*' }],
    want: { affected_ranges: [range('0', null)] },
  },
  {
    name: 'rule 24: placeholders alone say nothing',
    versions: ['n/a', '-', 'unspecified', 'unknown', '', 'Unknown'].map((version) => ({ version })),
    want: {},
  },
  {
    name: 'rule 24: two placeholders say nothing either',
    versions: [{ version: 'unspecified', lessThan: 'n/a' }],
    want: {},
  },
  {
    name: 'rule 24: * and all alone mean a range from "0" without end',
    versions: [{ version: '*' }, { version: 'All' }],
    want: { affected_ranges: [range('0', null), range('0', null)] },
  },
  {
    name: 'rule 24: comparators in version are parsed into the range they state',
    versions: [
      { version: '< 1.2.3' },
      { version: '<= 2' },
      { version: '>= 1.0, < 1.2.3' },
      { version: '>=3.0' },
      { version: '= 1.4' },
      { version: '< V1.15(ACCC.3)C0' },
      { version: 'All versions < V4.1.1 Patch04' },
      { version: 'All versions >= V7.0 < V7.2' },
    ],
    want: {
      affected_versions: ['1.4'],
      affected_ranges: [
        range('0', '1.2.3'),
        until('0', '2'),
        range('1.0', '1.2.3'),
        range('3.0', null),
        range('0', 'V1.15(ACCC.3)C0'),
        range('0', 'V4.1.1 Patch04'),
        range('V7.0', 'V7.2'),
      ],
    },
  },
  {
    name: 'rule 24: a bound of * or a placeholder is none within comparators either',
    versions: ['>= 1.0, < n/a', '>= 1.0, <= *', '>=1.0 <unspecified'].map((version) => ({ version })),
    want: { affected_ranges: Array.from({ length: 3 }, () => range('1.0', null)) },
  },
  {
    name: 'rule 24: a comparator to a placeholder alone says nothing, one to * means a range from "0" without end',
    versions: ['< n/a', '<= unknown', '>= n/a', '= -', '< *', '<= *', '>= *', '= all', '>= 0, < n/a'].map(
      (version) => ({ version }),
    ),
    want: { affected_ranges: Array.from({ length: 5 }, () => range('0', null)) },
  },
  {
    name: 'rule 24: the comparator written into a bound does not make a placeholder one',
    versions: ['< n/a', '<= *', '<-'].map((lessThan) => ({ version: '1.0', lessThan })),
    want: { affected_ranges: Array.from({ length: 3 }, () => range('1.0', null)) },
  },
  {
    name: 'rule 24: a bound that is no upper one is none, and stays as text behind the version',
    versions: [
      { version: '1.0', lessThan: '>= 2.0' },
      { version: '1.1', lessThanOrEqual: '= 2.0' },
      { version: '1.2', lessThan: '>= 1.2, < 2.0' },
      { version: '1.3', lessThan: '<' },
      { version: '> 1.4', lessThan: '>= 2.0' },
    ],
    want: { affected_versions: ['1.0 >= 2.0', '1.1 = 2.0', '1.2 >= 1.2, < 2.0', '1.3 <', '> 1.4 >= 2.0'] },
  },
  {
    name: 'rule 24: other text stays as it is',
    versions: [
      { version: 'before 7.0' },
      { version: '> 1.0, < 2.0' },
      { version: '5.0.0 <= version < 5.15.7' },
      { version: '< 2.0, 3.1' },
      { version: '< 2.0 or > 3' },
      { version: '< 2.0 (LTS only)' },
      { version: 'All versions' },
    ],
    want: {
      affected_versions: [
        'before 7.0',
        '> 1.0, < 2.0',
        '5.0.0 <= version < 5.15.7',
        '< 2.0, 3.1',
        '< 2.0 or > 3',
        '< 2.0 (LTS only)',
        'All versions',
      ],
    },
  },
  {
    name: 'rule 24: a bound beside a comparator completes or repeats it',
    versions: [
      { version: '>= 1.0', lessThan: '< 4.4' },
      { version: '<= 2.0.2', lessThanOrEqual: '2.0.2' },
      { version: '> 5.0', lessThan: '< 5.4' },
      { version: '2.9.4', lessThan: '<v2.9.5' },
      { version: '9.1.0', lessThan: '9.1 < 9.1.14-h4' },
    ],
    want: {
      affected_versions: ['> 5.0, < 5.4'],
      affected_ranges: [
        range('1.0', '4.4'),
        until('0', '2.0.2'),
        range('2.9.4', 'v2.9.5'),
        range('9.1.0', '9.1.14-h4'),
      ],
    },
  },
  {
    name: 'rule 24: where the default is affected, the range begins at the first affected version and a bound of * ends it',
    default: 'affected',
    versions: [
      { version: '4.6' },
      { ...unaffected, version: '0', lessThan: '4.6', versionType: 'semver' },
      { ...unaffected, version: '5.4.278', lessThanOrEqual: '5.4.*', versionType: 'semver' },
      { ...unaffected, version: '6.10', lessThanOrEqual: '*', versionType: 'original_commit_for_fix' },
    ],
    want: {
      affected_versions: ['4.6'],
      affected_ranges: [range('4.6', '6.10', 'original_commit_for_fix')],
      patched_versions: ['5.4.278', '6.10'],
    },
  },
  {
    name: 'rule 24: a text that cannot be read is the start of no range, whatever changes follow',
    versions: [{ version: '1.0', lessThan: '<', changes: [brokenAt('2.0'), fixedAt('3.0')] }],
    want: { affected_versions: ['1.0 <'], affected_ranges: [range('2.0', '3.0')] },
  },
  {
    name: 'rule 24: where the default is affected, an unaffected text that cannot be read is no fix',
    default: 'affected',
    versions: [
      { ...unaffected, version: '> 1.0' },
      { ...unaffected, version: '2.0', lessThan: '*' },
    ],
    want: { affected_ranges: [range('0', '2.0')], patched_versions: ['2.0'] },
  },
  {
    name: 'rule 24: where the default is affected and no affected version is listed, the range begins at "0"',
    default: 'affected',
    versions: [{ ...unaffected, version: '0:1.2-3.el8', lessThan: '*', versionType: 'rpm' }],
    want: { affected_ranges: [range('0', '0:1.2-3.el8', 'rpm')], patched_versions: ['0:1.2-3.el8'] },
  },
  {
    name: 'rule 24: where the default is affected but not what comes first, the range begins after that',
    default: 'affected',
    versions: [
      { ...unaffected, version: '0', lessThan: '2.50' },
      { ...unaffected, version: '2.424', lessThan: '*' },
      { ...unaffected, version: '2.414.2', lessThan: '2.414.*' },
    ],
    want: { affected_ranges: [range('2.50', '2.424')], patched_versions: ['2.424', '2.414.2'] },
  },
  {
    name: 'rule 24: where that first part ends inclusively, the version after it has no name',
    default: 'affected',
    versions: [
      { ...unaffected, version: '0', lessThanOrEqual: '2.5' },
      { ...unaffected, version: '3.0', lessThan: '*' },
    ],
    want: { affected_ranges: [range(null, '3.0')], patched_versions: ['3.0'] },
  },
  {
    name: 'rule 24: a range that would have neither start nor end is left to default_status',
    default: 'affected',
    versions: [{ ...unaffected, version: '0', lessThanOrEqual: '2.5' }],
    want: {},
  },
  {
    name: 'rule 24: where the default is affected but everything is unaffected, there is no range',
    default: 'affected',
    versions: [{ ...unaffected, version: '0', lessThan: '*' }],
    want: {},
  },
  {
    name: 'rule 24: where the default is affected, an unaffected branch is patched and leaves the range open',
    default: 'affected',
    versions: [{ ...unaffected, version: '2.462.3', lessThan: '2.462.*' }],
    want: { affected_ranges: [range('0', null)], patched_versions: ['2.462.3'] },
  },
  {
    name: 'rule 24: where the default is affected, stated ranges stand for it unless something ends it',
    default: 'affected',
    versions: [
      { version: '1.0', lessThan: '1.5' },
      { ...unaffected, version: '1.5' },
    ],
    want: { affected_ranges: [range('1.0', '1.5')], patched_versions: ['1.5'] },
  },
  {
    name: 'rule 24: a range is not stated twice',
    default: 'affected',
    versions: [
      { version: '1.0', lessThan: '1.5' },
      { ...unaffected, version: '1.5', lessThan: '*' },
    ],
    want: { affected_ranges: [range('1.0', '1.5')], patched_versions: ['1.5'] },
  },
  {
    name: 'rule 24: version_type is as given, else null, and texts lose their padding',
    versions: [{ version: ' 10.2.0', lessThan: '10.2.9-h1 ' }],
    want: { affected_ranges: [range('10.2.0', '10.2.9-h1')] },
  },
  {
    name: 'an address is no version: the statement stays as text',
    versions: [
      { version: '19.0.0', lessThan: 'https://aka.ms/OfficeSecurityReleases' },
      { version: 'http://example.org/2.0', lessThanOrEqual: '3.0' },
      { version: '>= 1.0, < https://example.org/2.0' },
      { version: 'www.example.org' },
      { version: 'pkg:npm/sysend', lessThan: '2.0' },
      { version: '4.0', lessThan: '*', changes: [fixedAt('https://example.org/4.5')] },
    ],
    want: {
      affected_versions: [
        '19.0.0 https://aka.ms/OfficeSecurityReleases',
        'http://example.org/2.0 3.0',
        '>= 1.0, < https://example.org/2.0',
        'www.example.org',
        'pkg:npm/sysend 2.0',
        '4.0 * https://example.org/4.5',
      ],
    },
  },
  {
    name: 'an address is no patched version',
    default: 'affected',
    versions: [{ version: '1.0' }, { ...unaffected, version: 'https://example.org/2.0' }],
    want: { affected_versions: ['1.0'] },
  },
  {
    name: 'a package URL states its version',
    versions: [
      { version: 'pkg:npm/sysend@0', lessThan: 'pkg:npm/sysend@1.10.0', versionType: 'purl' },
      { version: 'pkg:npm/%40angular/core@2.0%2Bb?arch=x#a', changes: [fixedAt('pkg:npm/@angular/core@3')] },
      { version: 'pkg:rpm/redhat/perl@distro=redhat-6.0' },
    ],
    want: {
      affected_ranges: [range('0', '1.10.0', 'purl'), range('2.0+b', '3')],
      affected_versions: ['pkg:rpm/redhat/perl@distro=redhat-6.0'],
    },
  },
]

for (const { name, versions, want, default: defaultStatus = null } of CASES) {
  test(name, () => {
    const nothing = { affected_versions: null, affected_ranges: null, patched_versions: null }
    assert.equal(versionLists(versions.map(statement), defaultStatus), { ...nothing, ...want })
  })
}

test.run()
