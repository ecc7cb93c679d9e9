/** Which versions an entry of `affected[]` affects. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type AffectedStatement,
  askedVersion,
  type EvaluateOptions,
  evaluate,
  parseAffected,
  type Verdict,
} from '../../../../corpus/model/versions/affected.ts'

type Events = NonNullable<AffectedStatement['ranges']>[number]['events']

const entry = (ecosystem: string, events: Events | null, versions: string[] = [], type = 'ECOSYSTEM') =>
  parseAffected({ package: { ecosystem }, ranges: events ? [{ type, events }] : [], versions })

const verdictOf = (
  affected: ReturnType<typeof entry>,
  version: string,
  ecosystem = affected.ecosystem,
  options?: EvaluateOptions,
): Verdict => evaluate(affected, askedVersion(ecosystem, version), options)

/** Returns the verdict, and the reason if there is none. */
const short = (...parameters: Parameters<typeof verdictOf>): string => {
  const verdict = verdictOf(...parameters)
  return verdict.verdict === 'undecided' ? verdict.reason : verdict.verdict
}

const ranges = suite('ranges')

ranges('the last event at or before a version decides, in any order of events', () => {
  const events: Events = [
    { fixed: '4.2.8' },
    { introduced: '5.0' },
    { introduced: '0' },
    { fixed: '5.1.2' },
    { introduced: '4.0' },
    { fixed: '3.9' },
  ]
  const django = entry('PyPI', events)
  const affected = (version: string) => short(django, version) === 'affected'
  assert.equal(['0.1', '3.8.9', '4.0', '4.2.7', '5.0', '5.1.1'].map(affected), Array(6).fill(true))
  assert.equal(['3.9', '3.9.5', '4.2.8', '4.9', '5.1.2', '6.0'].map(affected), Array(6).fill(false))
})

ranges('the match states where the range begins and ends', () => {
  const two = entry(
    'npm',
    [{ introduced: '0' }, { fixed: '1.2.0' }, { introduced: '2.0.0' }, { last_affected: '2.3.0' }],
    [],
    'SEMVER',
  )
  const matched = (version: string) => {
    const verdict = verdictOf(two, version)
    return verdict.verdict === 'affected' ? verdict.matched : null
  }
  assert.equal(matched('1.1.0'), { kind: 'range', introduced: '0', fixed: '1.2.0', last_affected: null })
  const second = { kind: 'range', introduced: '2.0.0', fixed: null, last_affected: '2.3.0' }
  assert.equal(matched('2.0.0'), second)
  assert.equal(matched('2.3.0'), second)
  assert.is(matched('2.3.1'), null)
  const open = entry('npm', [{ introduced: '2.0.0' }])
  assert.equal(verdictOf(open, '3.0.0'), {
    verdict: 'affected',
    matched: { kind: 'range', introduced: '2.0.0', fixed: null, last_affected: null },
  })
})

ranges('0 precedes every version; pre-releases take part', () => {
  const npm = entry('npm', [{ introduced: '0' }, { fixed: '1.0.0' }])
  for (const version of ['0.0.0-alpha', '0.0.0', '1.0.0-rc.1']) assert.is(short(npm, version), 'affected')
  assert.is(short(npm, '1.0.0'), 'not_affected')
  assert.is(short(entry('Debian:12', [{ introduced: '0' }, { fixed: '1' }]), '0~~'), 'affected')
  assert.is(short(entry('Debian:12', [{ introduced: '0' }, { fixed: '0' }]), '0~~'), 'not_affected')
})

ranges('a version that is introduced and fixed is not affected', () => {
  const both = entry('npm', [{ fixed: '1.0.0' }, { introduced: '1.0.0' }])
  assert.is(short(both, '1.0.0'), 'not_affected')
  const one = entry('npm', [{ last_affected: '1.0.0' }, { introduced: '1.0.0' }])
  assert.equal(
    ['1.0.0', '1.0.1'].map((version) => short(one, version)),
    ['affected', 'not_affected'],
  )
  assert.is(short(entry('npm', [{ introduced: '3.0.0' }, { last_affected: '2.0.0' }]), '2.0.0'), 'not_affected')
})

ranges('a version at or after every limit is not affected', () => {
  const limited = entry('npm', [{ introduced: '1.0.0' }, { limit: '2.0.0' }, { limit: '3.0.0' }])
  assert.equal(
    ['1.0.0', '2.9.9', '3.0.0'].map((one) => short(limited, one)),
    ['affected', 'affected', 'not_affected'],
  )
  assert.is(short(entry('npm', [{ introduced: '1.0.0' }, { limit: '*' }]), '3.0.0'), 'affected')
  assert.is(short(entry('npm', [{ introduced: '1.0.0' }, { limit: 'x' }]), '3.0.0'), 'event')
})

ranges('several ranges add up; Git ranges are not evaluated', () => {
  const affected = parseAffected({
    package: { ecosystem: 'npm' },
    ranges: [
      { type: 'GIT', events: [{ introduced: '0' }] },
      { type: 'SEMVER', events: [{ introduced: '1.0.0' }, { fixed: '1.1.0' }] },
      { type: 'ECOSYSTEM', events: [{ introduced: '2.0.0' }, { fixed: '2.1.0' }] },
    ],
  })
  const verdicts = ['0.9.0', '1.0.0', '1.1.0', '2.0.0', '2.1.0'].map((version) => short(affected, version))
  assert.equal(verdicts, ['not_affected', 'affected', 'not_affected', 'affected', 'not_affected'])
})

const versions = suite('enumerated versions')

versions('they are compared after parsing, or as text', () => {
  const listed = entry('PyPI', null, ['1.0', '2.0.0-final'])
  assert.equal(verdictOf(listed, '1.0.0'), { verdict: 'affected', matched: { kind: 'version', version: '1.0.0' } })
  assert.is(short(listed, '2.0.0-final'), 'affected')
  assert.is(short(listed, '2.0.0'), 'not_affected')
  assert.is(short(entry('Packagist', null, ['v1.2']), '1.2.0.0'), 'affected')
})

versions('each of many is found, and nothing between them', () => {
  const even = Array.from({ length: 500 }, (_, i) => `1.${i * 2}`)
  const listed = entry('npm', null, even.toReversed())
  const found = Array.from({ length: 1002 }, (_, i) => short(listed, `1.${i}.0`) === 'affected')
  assert.equal(
    found,
    found.map((_, i) => i % 2 === 0 && i < 1000),
  )
})

versions('they add to the ranges', () => {
  const both = entry('npm', [{ introduced: '2.0.0' }, { fixed: '2.1.0' }], ['1.0.0'])
  const verdicts = ['1.0.0', '1.0.1', '2.0.5'].map((version) => short(both, version))
  assert.equal(verdicts, ['affected', 'not_affected', 'affected'])
})

versions('malicious packages: the list precedes a range of every version if the caller prefers it', () => {
  const malicious = entry('npm', [{ introduced: '0' }], ['1.0.1'])
  assert.is(short(malicious, '1.0.0'), 'affected')
  assert.equal(
    ['1.0.0', '1.0.1'].map((version) => short(malicious, version, 'npm', { preferList: true })),
    ['not_affected', 'affected'],
  )
  assert.is(short(entry('npm', [{ introduced: '0' }]), '1.0.0', 'npm', { preferList: true }), 'affected')
  const ended = entry('npm', [{ introduced: '0' }, { fixed: '2.0.0' }], ['3.0.0'])
  assert.is(short(ended, '1.0.0', 'npm', { preferList: true }), 'affected')
})

const undecided = suite('undecided')

undecided('a version that cannot be parsed, unless it is listed or every version is affected', () => {
  const range: Events = [{ introduced: '1.0.0' }, { fixed: '2.0.0' }]
  for (const version of ['latest', '', '1.x', '1'.repeat(5000)])
    assert.is(short(entry('npm', range), version), 'version')
  assert.is(short(entry('npm', range, ['latest']), 'latest'), 'affected')
  assert.is(short(entry('npm', null, ['1.0.0']), 'latest'), 'version')
  assert.is(short(entry('npm', [{ introduced: '0' }]), 'latest'), 'affected')
  assert.is(short(entry('Packagist', range), 'dev-main'), 'version')
  assert.is(short(entry('PyPI', range), '2.0.0-final'), 'version')
})

undecided(
  'a version that cannot be parsed, unless its leading numbers differ from those of each bound and version',
  () => {
    const range: Events = [{ introduced: '1.2.0' }, { fixed: '1.5.0' }, { introduced: '2.0rc1' }, { fixed: '2.2' }]
    const verdicts: Record<string, string> = {
      '1.1.9-custom': 'not_affected',
      '1.2.1-custom': 'affected',
      '1.4.9_vendor.2': 'affected',
      '1.6.0-custom': 'not_affected',
      '2.1-custom': 'affected',
      '3.0-custom': 'not_affected',
      // The numbers of a bound, or perhaps of one.
      '1.5.0-custom': 'version',
      '1.5-custom': 'version',
      '2.0-custom': 'version',
      '1.4x': 'version',
      // A date, a commit, an epoch.
      '2023-final-x': 'version',
      '7e3a912': 'version',
      '1!9.0-custom': 'version',
    }
    for (const [version, verdict] of Object.entries(verdicts)) {
      assert.is(short(entry('PyPI', range), version), verdict, version)
    }
    assert.is(short(entry('PyPI', null, ['1.0', '2.0.1']), '2.0.2-custom'), 'not_affected')
    assert.is(short(entry('PyPI', null, ['1.0', '2.0.1']), '2.0.1-custom'), 'version')
    assert.is(short(entry('PyPI', null, ['1.0', '1!1.0']), '2.0.2-custom'), 'version')
    assert.is(short(entry('npm', [{ introduced: '0' }, { limit: '9.0.0' }]), '1.2.3_4'), 'version')
  },
)

undecided('a build of FIPS counts for the entries of FIPS of its release', () => {
  const events: Events = [{ introduced: '0' }, { fixed: '1.1.1f-1ubuntu2.fips.2.19' }]
  const fips = entry('Ubuntu:Pro:FIPS-updates:20.04:LTS', events)
  assert.equal(
    ['1.1.1f-1ubuntu2.fips.2.18', '1.1.1f-1ubuntu2.fips.2.19', '1.1.1f-1ubuntu2.18'].map((version) =>
      short(fips, version, 'Ubuntu:20.04'),
    ),
    ['affected', 'not_affected', 'not_affected'],
  )
  assert.is(short(fips, '1.1.1f-1ubuntu2.fips.2.18', 'Ubuntu:22.04'), 'not_affected')
})

undecided('a range with an event that cannot be parsed; another range can still decide', () => {
  const broken = { type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2019-09-12-x' }] }
  const clear = { type: 'ECOSYSTEM', events: [{ introduced: '3.0' }] }
  const affected = parseAffected({ package: { ecosystem: 'PyPI' }, ranges: [broken, clear] })
  assert.equal(
    ['1.0', '3.0'].map((version) => short(affected, version)),
    ['event', 'affected'],
  )
})

undecided('a range that nothing introduces', () => {
  assert.is(short(entry('npm', [{ fixed: '1.0.0' }]), '0.1.0'), 'event')
  assert.is(short(entry('npm', []), '0.1.0'), 'event')
  assert.is(short(entry('npm', [{ limit: '1.0.0' }], ['1.0.1']), '1.0.1'), 'affected')
})

undecided('an ecosystem without a known order', () => {
  const affected = entry('Android', [{ introduced: '0' }, { fixed: '14' }], ['13'])
  assert.equal(
    ['13', '12'].map((version) => short(affected, version)),
    ['affected', 'no_order'],
  )
})

undecided('an entry without versions and without ranges of a type that has an order', () => {
  assert.is(short(entry('npm', null), '1.0.0'), 'no_versions')
  assert.is(short(entry('npm', [{ introduced: '0' }], [], 'GIT'), '1.0.0'), 'no_versions')
  assert.is(short(entry('npm', [{ introduced: '0' }], [], 'OTHER'), '1.0.0'), 'no_versions')
})

undecided('a distribution without its release: only enumerated versions count', () => {
  const events: Events = [{ introduced: '0' }, { fixed: '1.2-3' }]
  const debian = entry('Debian:12', events, ['1.1-1'])
  assert.is(short(debian, '1.2-1'), 'affected')
  assert.is(short(debian, '1.2-3'), 'not_affected')
  assert.is(short(debian, '1.2-1', 'Debian'), 'release')
  assert.is(short(debian, '9', 'Debian'), 'release')
  assert.is(short(debian, '1.1-1', 'Debian'), 'affected')
  assert.is(short(entry('Debian', events), '1.2-1', 'Debian:12'), 'release')
  assert.is(short(entry('Wolfi', [{ introduced: '0' }, { fixed: '1.2-r3' }]), '1.2-r1'), 'affected')
})

undecided('another release and another ecosystem are not affected', () => {
  const debian = entry('Debian:12', [{ introduced: '0' }], ['1.0'])
  assert.is(short(debian, '1.0', 'Debian:11'), 'not_affected')
  assert.is(short(debian, '1.0', 'Ubuntu:22.04'), 'not_affected')
  assert.is(short(entry('Ubuntu:22.04:LTS', [{ introduced: '0' }]), '1.0', 'Ubuntu:22.04'), 'affected')
})

ranges.run()
versions.run()
undecided.run()
