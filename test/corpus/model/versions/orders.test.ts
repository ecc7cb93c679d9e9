/** The version order of each ecosystem, by the examples of its specification. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { comparatorOf } from '../../../../corpus/model/versions/comparator.ts'
import { debian } from '../../../../corpus/model/versions/debian.ts'
import { hasReleases, releaseOf } from '../../../../corpus/model/versions/ecosystems.ts'
import { MAX_VERSION_LENGTH } from '../../../../corpus/model/versions/order.ts'
import { rubygems } from '../../../../corpus/model/versions/rubygems.ts'

interface Case {
  ecosystem: string
  source: string
  /** Versions in ascending order, such as `1 < 1.1 = 1.1.0`. */
  ascending: string
  /** Not versions of the ecosystem. */
  rejected: string[]
  /** Have a position, but decide no range. */
  undecided?: string[]
}

const CASES: Case[] = [
  {
    ecosystem: 'npm',
    source: 'SemVer 2.0.0, section 11',
    ascending: `
      0.0.0-alpha < 0 = 0.0.0 = v0 < 1.0.0-0 < 1.0.0-alpha < 1.0.0-alpha.1 < 1.0.0-alpha.beta < 1.0.0-beta
      < 1.0.0-beta.2 < 1.0.0-beta.11 < 1.0.0-rc.1 < 1.0.0 = 1 = 1.0 = v1.0.0 = 1.0.0+build < 1.0.1 < 1.10.0
      < 2.0.0-20200131131040-063a3fb69896 < 2.0.0+incompatible < 18446744073709551616.0.0
      < 18446744073709551617.0.0
    `,
    rejected: ['', 'abc', '1.2.3-', '1.2.3-a..b', '1.2.x', '^1.2.3', '1.2.3rc1', ' 1.2.3'],
  },
  {
    ecosystem: 'NuGet',
    source: 'NuGet, "Package versioning"',
    ascending: `
      1.0.1-alpha < 1.0.1-alpha10 < 1.0.1-alpha2 = 1.0.1-ALPHA2+x < 1.0.1 = 1.0.1.0 = 1.0.01 < 1.0.1.1 < 1.1
    `,
    rejected: ['', '1.0-', 'latest'],
  },
  {
    ecosystem: 'Pub',
    source: 'Dart, pub_semver',
    ascending: '1.2.3-pre < 1.2.3-pre+1 < 1.2.3 < 1.2.3+1 < 1.2.3+2 < 1.2.3+10 < 1.2.3+a < 1.2.4',
    rejected: ['', '1.2.3+'],
  },
  {
    ecosystem: 'PyPI',
    source: 'PyPA, "Version specifiers", "Summary of permitted suffixes and relative ordering"',
    ascending: `
      trunk < 1.0.dev1 < 1.0a1.dev1 < 1.0a1 = 1.0.ALPHA-1 = 1.0-a.1 < 1.0b2.post345.dev456 < 1.0b2.post345
      < 1.0rc1.dev456 < 1.0rc1 = 1.0c1 = 1.0preview1 < 1.0 = v1 = 1.0.0 < 1.0+abc.5 = 1.0+ABC-5 < 1.0+abc.7
      < 1.0+5 < 1.0.post456.dev34 < 1.0.post456 = 1.0-456 = 1.0.rev456 < 1.0.15 < 1.1.dev1 < 1!0.1
    `,
    rejected: ['', ' '],
    undecided: ['trunk', '2.0.0-final', '7.2.0-12.1'],
  },
  {
    ecosystem: 'Maven',
    source: 'Maven POM reference, "Version Order Specification"',
    ascending: `
      1-alpha-1 = 1a1 = 1.0.0-ALPHA-1 = 1.alpha1 < 1-beta-2 < 1-milestone-3 = 1m3 < 1-rc-1 = 1cr1 < 1-snapshot
      < 1 = 1.0 = 1-ga = 1.0.Final = 1.0.0-release < 1-sp < 1-jre < 1-1 < 1.0.1 = 1.0.01 < 1.1 < 2-1 < 2.0.1
      < 12345678901234567890 < 12345678901234567891
    `,
    rejected: ['', '[1.0,2.0)', '1 2', 'LATEST', `\${version}`],
  },
  {
    ecosystem: 'RubyGems',
    source: 'Gem::Version, "How Sections are compared"',
    ascending: `
      0.9 < 1.0.a.2 = 1.a2 = 1.0.0.a2 < 1.0.a10 < 1.0.b1 < 1 = 1.0 = 1.0.0 < 1.0.1-rc1 = 1.0.1.pre.rc1 < 1.0.1
      < 3.2 < 3.10
    `,
    rejected: ['', 'junk', '1..0', '1_0'],
  },
  {
    ecosystem: 'Packagist',
    source: 'PHP, version_compare',
    ascending: `
      dev-main < 1.0-dev < 1.0a1 = 1.0alpha1 < 1.0b1 < 1.0RC1 = 1.0rc1 = v1.0-rc1 < 1.0 < 1.0.0 < 1.0pl1 < 1.1
      < 10
    `,
    rejected: ['', '^1.0', '1.0 || 2.0'],
    undecided: ['dev-main', 'master', '1.0-foo', '4.3-2RC1', '3.20-test2'],
  },
  {
    ecosystem: 'Debian:12',
    source: 'deb-version(7)',
    ascending: `
      1.0~~ < 1.0~~a < 1.0~ < 1.0 = 0:1.0 = 1.0-0 < 1.0-1~deb12u1 < 1.0-1 < 1.0-1+b1 < 1.0a-1 < 1.0+a < 1.0.1
      < 1.10 < 1:0.1
    `,
    rejected: ['', 'a:1', '1.0_1', '1 2', '-1', '1:', '1a:2', '1:1-2:3', '1-', 'latest'],
  },
  {
    ecosystem: 'Alpine:v3.20',
    source: 'apk-package(5)',
    ascending: `
      1.0_alpha < 1.0_alpha1 < 1.0_beta < 1.0_rc1 < 1.0 < 1.0-r1 = 1.0-r01 < 1.0-r10 < 1.0_p1 < 1.0a < 1.0.1
      < 1.01 < 1.1 < 1.10 < 20050718
    `,
    rejected: ['', '1 2'],
    undecided: ['1.2.0A', '1-ruff', '1.2_blah', '1..2', 'a', '1.0-r1-1'],
  },
  {
    ecosystem: 'Rocky Linux:9',
    source: 'rpm-version(7)',
    ascending: `
      1.0~rc1-1.el9 < 1.0 = 0:1.0 = 1_0 < 1.0-1.el9 < 1.0-1.el9_2 < 1.0-2.el9 < 1.0^git1-1 < 1.0a-1 < 1.0.1-1
      < 1.0.10-1 < 1:0.1-1
    `,
    rejected: ['', '1 2'],
    undecided: ['latest'],
  },
  {
    ecosystem: 'CRAN',
    source: 'R, package_version',
    ascending: '0.9 < 0.75 < 1.0 < 1.0-0 = 1.0.0 < 1.0-1 < 1.10',
    rejected: ['', '1.0a'],
  },
  {
    ecosystem: 'Hackage',
    source: 'Haskell PVP',
    ascending: '0 < 1.0 < 1.0.0 < 1.1 < 1.10',
    rejected: ['', '1-0', '1.0a'],
  },
]

/** Returns the versions of each place in a chain. */
const placesOf = (ascending: string) => ascending.split(/\s<\s/).map((same) => same.trim().split(' = '))

function expectOrder<Key>(ascending: string, parse: (text: string) => Key, compare: (a: Key, b: Key) => number): void {
  const places = placesOf(ascending)
  for (const [i, left] of places.entries()) {
    for (const [j, right] of places.entries()) {
      for (const a of left) {
        for (const b of right) {
          const [x, y] = [parse(a), parse(b)]
          assert.ok(x !== null && y !== null, `${a} and ${b} are versions`)
          assert.is(Math.sign(compare(x, y)), Math.sign(i - j), `${a} and ${b}`)
        }
      }
    }
  }
}

const orders = suite('version orders')

for (const { ecosystem, source, ascending, rejected, undecided = [] } of CASES) {
  const order = comparatorOf(ecosystem)!

  orders(`${ecosystem}: ${source}`, () => {
    expectOrder(ascending, order.parse, order.compare)
  })

  orders(`${ecosystem}: other texts are no versions`, () => {
    for (const text of [...rejected, '1'.repeat(MAX_VERSION_LENGTH + 1)]) assert.is(order.parse(text), null, text)
    const parseStrict = order.parseStrict ?? order.parse
    for (const text of [...rejected, ...undecided, '1'.repeat(MAX_VERSION_LENGTH + 1)]) {
      assert.is(parseStrict(text), null, text)
    }
    assert.is.not(parseStrict(`1.${'1'.repeat(MAX_VERSION_LENGTH - 2)}`), null)
  })
}

orders('Packagist: ranges compare normalized versions, as Composer does', () => {
  const order = comparatorOf('Packagist')!
  const ascending = `
    1.0.0-dev = 1-dev < 1.0.0-alpha1 = 1.0a1 = V1.0-ALPHA.1 < 1.0.0-RC2-dev < 1.0.0-RC2
    < 1 = 1.0 = v1.0.0.0 = 1.0.0-stable = 1.0+build < 1.0-patch1 = 1.0pl1 < 1.0.1
    < 1.2.x-dev = 1.2.*-dev < 1.x-dev < 2.0 < 20130101
  `
  expectOrder(ascending, order.parseStrict!, order.compare)
})

orders('the order of an ecosystem does not depend on its suffix; others have none', () => {
  assert.is(comparatorOf('Debian:12'), comparatorOf('Debian'))
  assert.is(comparatorOf('Ubuntu:22.04:LTS'), comparatorOf('Ubuntu'))
  assert.is(comparatorOf('Maven:https://repo.example/maven'), comparatorOf('Maven'))
  for (const name of ['Linux', 'Android', 'OSS-Fuzz', 'GIT', 'debian', '', 'constructor'])
    assert.is(comparatorOf(name), null)
})

orders('a suffix is a release in distributions only', () => {
  assert.is(releaseOf('Debian:12'), '12')
  assert.is(releaseOf('Debian'), null)
  assert.is(releaseOf('Debian:'), null)
  assert.is(releaseOf('Ubuntu:Pro:22.04:LTS'), '22.04')
  assert.is(releaseOf('Red Hat:enterprise_linux:9::baseos'), 'enterprise_linux:9')
  assert.is(releaseOf('Red Hat:rhel_eus:9.2::appstream'), 'rhel_eus:9.2')
  assert.is(releaseOf('SUSE:Linux Enterprise Server 15 SP4'), '15 SP4')
  assert.is(releaseOf('SUSE:Linux Enterprise Module for Basesystem 15 SP4'), '15 SP4')
  assert.is(releaseOf('SUSE:Linux Enterprise Server 12 SP5-LTSS'), '12 SP5')
  assert.is(releaseOf('SUSE:Linux Enterprise Micro 5.3'), 'Linux Enterprise Micro 5.3')
  assert.equal(['Debian:12', 'Alpine', 'Wolfi', 'Maven:https://repo.example'].map(hasReleases), [
    true,
    true,
    false,
    false,
  ])
})

orders('texts of any length take linear time in the patterns of Debian and RubyGems', () => {
  const long = (part: string) => part.repeat(2e6 / part.length)
  for (const text of [`1-${long(':')}-x`, `1${long('-1')}:`, `1${long('-1')}-`]) {
    assert.is(debian.parse(text), null)
  }
  for (const text of [`1.0${long('-armv7')}:`, `1.0${long('-x86_64-a')}!`]) assert.is(rubygems.parse(text), null)
})

orders('hostile texts within the bound are compared with themselves', () => {
  const long = (part: string) => part.repeat(MAX_VERSION_LENGTH / part.length)
  for (const { ecosystem } of CASES) {
    const order = comparatorOf(ecosystem)!
    for (const part of ['1', '1.', '1-', '-', 'a', '1a', '.', '~', '1-a.', '_p1', '1.0-']) {
      for (const text of [long(part), `1${long(part).slice(1)}`, `1.0-${long(part).slice(5)}!`]) {
        const key = order.parse(text)
        if (key !== null) assert.is(order.compare(key, order.parse(text)), 0)
        order.parseStrict?.(text)
      }
    }
  }
})

orders.run()
