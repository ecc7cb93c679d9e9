/** Verdicts for package URLs as tools write them, by minimal advisories. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { matchAdvisories } from '../../../../corpus/model/packages/match.ts'
import { packageKey } from '../../../../corpus/model/packages/name.ts'
import { packageStatements } from '../../../../corpus/model/packages/package-advisory.ts'
import { packageOfPurl } from '../../../../corpus/model/packages/purl.ts'
import { advisoryNames } from '../../../../corpus/model/packages/source-package.ts'

/** Each entry: ecosystem, name, fixed version or null. Each advisory affects every version before the fix. */
type Advisory = readonly [ecosystem: string, name: string, fixed: string | null][]

const recordOf = (advisory: Advisory, i: number) => ({
  id: `A-${i}`,
  affected: advisory.map(([ecosystem, name, fixed]) => ({
    package: { ecosystem, name },
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, ...(fixed === null ? [] : [{ fixed }])] }],
  })),
})

type Verdict = 'affected' | 'undecided' | 'none' | 'no ecosystem'

/** Returns the strictest verdict of all advisories. */
function verdictOf(advisories: readonly Advisory[], purl: string): Verdict {
  const { ecosystem, ...named } = packageOfPurl(purl)
  if (ecosystem === null) return 'no ecosystem'
  const { names, version } = advisoryNames({ ecosystem, ...named })
  const keys = names.map((name) => packageKey(ecosystem, name))
  const stated = advisories.map(recordOf).flatMap((record) => packageStatements(record))
  const found = stated.filter((one) => keys.includes(packageKey(one.ecosystem, one.folded)))
  const matches = found.flatMap(({ advisory }) =>
    matchAdvisories([advisory], { ecosystem, version }, { preferList: true }),
  )
  const verdicts = matches.map(({ verdict }) => verdict)
  return verdicts.includes('affected') ? 'affected' : (verdicts[0] ?? 'none')
}

const CASES: [what: string, advisories: readonly Advisory[], purls: Record<string, Verdict>][] = [
  [
    'the platform of a gem is not a part of its version',
    [[['RubyGems', 'nokogiri', '1.19.3']]],
    {
      'pkg:gem/nokogiri@1.19.3-x86_64-linux-gnu': 'none',
      'pkg:gem/nokogiri@1.19.3-aarch64-linux-musl': 'none',
      'pkg:gem/nokogiri@1.19.3-arm64-darwin-23': 'none',
      'pkg:gem/nokogiri@1.19.3-x64-mingw-ucrt': 'none',
      'pkg:gem/nokogiri@1.19.3-java': 'none',
      'pkg:gem/nokogiri@1.19.3?platform=x86_64-linux-gnu': 'none',
      'pkg:gem/nokogiri@1.19.2-x86_64-linux-gnu': 'affected',
      'pkg:gem/nokogiri@1.19.2-java': 'affected',
      'pkg:gem/nokogiri@1.19.3.rc1': 'affected',
      'pkg:gem/nokogiri@1.19.3-1': 'affected',
    },
  ],
  [
    'the standard library of Go has two names, and versions with v, go or neither',
    [[['Go', 'stdlib', '1.23.5']]],
    {
      'pkg:golang/stdlib@1.23.4': 'affected',
      'pkg:golang/std@1.23.4': 'affected',
      'pkg:golang/std@v1.23.4?type=module': 'affected',
      'pkg:golang/stdlib@go1.23.4': 'affected',
      'pkg:golang/std@go1.23rc1': 'affected',
      'pkg:golang/stdlib@go1.23.5': 'none',
    },
  ],
  [
    'modules of Go match in any case',
    [[['Go', 'github.com/Masterminds/goutils', '1.1.1']]],
    {
      'pkg:golang/github.com/Masterminds/goutils@v1.1.0': 'affected',
      'pkg:golang/github.com/masterminds/goutils@v1.1.0': 'affected',
      'pkg:golang/github.com/masterminds/goutils@v1.1.1': 'none',
    },
  ],
  [
    'a floating tag of an action is undecided where only some of its releases are affected',
    [[['GitHub Actions', 'tj-actions/changed-files', '46.0.1']]],
    {
      'pkg:github/tj-actions/changed-files@v46': 'undecided',
      'pkg:github/tj-actions/changed-files@v46.0': 'undecided',
      'pkg:github/tj-actions/changed-files@e0021407031f5be11a464abee9a0776171c79891': 'undecided',
      'pkg:github/tj-actions/changed-files@v46.1': 'none',
      'pkg:github/tj-actions/changed-files@v47': 'none',
      'pkg:githubactions/tj-actions/changed-files@v47.0.1': 'none',
      'pkg:githubactions/tj-actions/changed-files@v44': 'affected',
      'pkg:github/tj-actions/changed-files@v45.0.7': 'affected',
      'pkg:github/tj-actions/changed-files@7.1.2': 'affected',
    },
  ],
  [
    'an action in a folder has the versions of its repository; names on GitHub match in any case',
    [[['GitHub Actions', 'Acme/Tool', '3.1.0']], [['GitHub Actions', 'acme/tool/init', '2.1.0']]],
    {
      'pkg:github/acme/tool@v3.0.9': 'affected',
      'pkg:github/ACME/tool/other@v3.0.9': 'affected',
      'pkg:githubactions/acme/tool@v3.0.9#other': 'affected',
      'pkg:githubactions/acme/tool@v3.1.0#init': 'none',
      'pkg:github/acme/tools@v3.0.9': 'none',
    },
  ],
  [
    'a signed kernel matches by the source package of the kernel, and by its own version',
    [
      [
        ['Debian:12', 'linux', '6.1.90-1'],
        ['Ubuntu:24.04:LTS', 'linux-hwe-6.11', '6.11.0-17.17~24.04.2'],
      ],
    ],
    {
      'pkg:deb/debian/linux-image-6.1.0-21-amd64@6.1.85-1?upstream=linux-signed-amd64%406.1.85%2B1&distro=debian-12':
        'affected',
      'pkg:deb/debian/linux-image-6.1.0-21-arm64@6.1.90-1?upstream=linux-signed-arm64%406.1.90%2B1&distro=debian-12':
        'none',
      'pkg:deb/ubuntu/linux-image-6.11.0-9-generic@6.11.0-9.9~24.04.1?upstream=linux-signed-hwe-6.11&distro=ubuntu-24.04':
        'affected',
    },
  ],
  [
    'a build that Ubuntu Pro has fixed is not affected by the entry of the plain release',
    [
      [
        ['Ubuntu:24.04:LTS', 'freeglut', null],
        ['Ubuntu:Pro:24.04:LTS', 'freeglut', '3.4.0-1ubuntu0.1~esm1'],
      ],
    ],
    {
      'pkg:deb/ubuntu/freeglut@3.4.0-1ubuntu0.1~esm1?arch=amd64&distro=ubuntu-24.04': 'none',
      'pkg:deb/ubuntu/freeglut@3.4.0-1build1?arch=amd64&distro=ubuntu-24.04': 'affected',
      'pkg:deb/ubuntu/freeglut@3.4.0-1ubuntu0.1~esm1?distro=ubuntu-22.04': 'none',
    },
  ],
  [
    'binary packages of Debian, Ubuntu and apk distributions match by their source package',
    [
      [
        ['Debian:11', 'openssl', '1.1.1n-0+deb11u4'],
        ['Ubuntu:24.04:LTS', 'openssl', '3.0.13-0ubuntu3.7'],
        ['Alpine:v3.18', 'openssl', '3.1.4-r1'],
        ['Wolfi', 'openssl', '3.1.4-r5'],
      ],
    ],
    {
      'pkg:deb/debian/libssl1.1@1.1.1n-0%2Bdeb11u3?upstream=openssl&distro=debian-11': 'affected',
      'pkg:deb/debian/libssl1.1@1.1.1n-0%2Bdeb11u3?source=openssl&distro=bullseye': 'affected',
      'pkg:deb/debian/libssl1.1@1.1.1n-0%2Bdeb11u4%2Bb1?upstream=openssl%401.1.1n-0%2Bdeb11u3&distro=debian-11':
        'affected',
      'pkg:deb/debian/libssl1.1@1.1.1n-0%2Bdeb11u4?upstream=openssl&distro=debian-11': 'none',
      'pkg:deb/debian/libssl1.1@1.1.1n-0%2Bdeb11u3?distro=debian-11': 'none',
      'pkg:deb/debian/openssl@1.1.1n-0%2Bdeb11u3?upstream=other&distro=debian-11': 'none',
      'pkg:deb/ubuntu/libssl3t64@3.0.13-0ubuntu3.6?distro=ubuntu-24.04&upstream=openssl': 'affected',
      'pkg:apk/alpine/libssl3@3.1.4-r0?arch=x86_64&upstream=openssl&distro=alpine-3.18.4': 'affected',
      'pkg:apk/wolfi/libssl3@3.1.4-r4?arch=x86_64&upstream=openssl&distro=wolfi-20230201': 'affected',
    },
  ],
  [
    'packages of RPM distributions match by their own name and by that of their source package',
    [[['AlmaLinux:8', 'openssl-libs', '1:1.1.1k-9.el8_7']], [['Rocky Linux:8', 'openssl', '1:1.1.1k-9.el8_7']]],
    {
      'pkg:rpm/almalinux/openssl-libs@1.1.1k-7.el8_6?epoch=1&distro=almalinux-8.6&upstream=openssl-1.1.1k-7.el8_6.src.rpm':
        'affected',
      'pkg:rpm/rocky/openssl-libs@1.1.1k-7.el8_6?epoch=1&distro=rocky-8.6&upstream=openssl-1.1.1k-7.el8_6.src.rpm':
        'affected',
      'pkg:rpm/rocky/openssl-libs@1.1.1k-9.el8_7?epoch=1&distro=rocky-8.7&upstream=openssl-1.1.1k-9.el8_7.src.rpm':
        'none',
    },
  ],
  [
    'an epoch counts once, in the version or as a qualifier',
    [[['Rocky Linux:8', 'git', '0:2.39.3-1.el8_8']], [['Red Hat:enterprise_linux:8::baseos', 'git', '1:2.0-1.el8']]],
    {
      'pkg:rpm/rocky/git@0:2.39.3-1.el8_8?distro=rocky-8.8&epoch=0': 'none',
      'pkg:rpm/rocky/git@2.39.3-1.el8_8?distro=rocky-8.8&epoch=0': 'none',
      'pkg:rpm/rocky/git@0:2.39.1-1.el8?distro=rocky-8.8': 'affected',
      'pkg:rpm/rhel/git@1:2.0-1.el8?epoch=1&distro=rhel-8.6': 'none',
      'pkg:rpm/rhel/git@2.0-1.el8?distro=rhel-8.6': 'affected',
    },
  ],
  [
    'a module of SUSE Linux Enterprise counts for every product of its service pack',
    [[['SUSE:Linux Enterprise Module for Basesystem 15 SP4', 'curl', '8.0-150400.5.1']]],
    {
      'pkg:rpm/suse/curl@7.0-150400.1.1?distro=sles-15.4': 'affected',
      'pkg:rpm/sles/curl@8.0-150400.5.1?distro=sles-15.4': 'none',
      'pkg:rpm/suse/curl@7.0-150500.1.1?distro=sles-15.5': 'none',
    },
  ],
]

for (const [what, advisories, purls] of CASES) {
  test(what, () => {
    const found = Object.fromEntries(Object.keys(purls).map((purl) => [purl, verdictOf(advisories, purl)]))
    assert.equal(found, purls)
  })
}

test.run()
