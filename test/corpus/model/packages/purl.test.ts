/** Package URLs: the package that a purl names, and the purl of a package. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { foldName } from '../../../../corpus/model/packages/name.ts'
import { PurlError, packageOfPurl, packageUrl } from '../../../../corpus/model/packages/purl.ts'
import { ECOSYSTEMS } from '../../../../corpus/model/versions/ecosystems.ts'

const read = suite('packageOfPurl')

function names(cases: readonly [purl: string, ecosystem: string | null, name: string, version?: string][]) {
  for (const [purl, ecosystem, name, version = null] of cases) {
    assert.equal(packageOfPurl(purl), { ecosystem, name, version, source: null }, purl)
  }
}

read('a type names an ecosystem; the namespace is a part of the name', () => {
  names([
    ['pkg:npm/lodash@4.17.20', 'npm', 'lodash', '4.17.20'],
    ['pkg:npm/%40angular/core@17.0.0', 'npm', '@angular/core', '17.0.0'],
    ['pkg:npm/@angular/core@17.0.0', 'npm', '@angular/core', '17.0.0'],
    ['pkg:npm/@angular/core', 'npm', '@angular/core'],
    ['pkg:npm/%40angular%2Fcore@17', 'npm', '@angular/core', '17'],
    ['pkg:pypi/Django@4.2', 'PyPI', 'Django', '4.2'],
    ['pkg:maven/org.apache.commons/commons-text@1.9', 'Maven', 'org.apache.commons:commons-text', '1.9'],
    ['pkg:golang/github.com/gin-gonic/gin@v1.9.0', 'Go', 'github.com/gin-gonic/gin', 'v1.9.0'],
    ['pkg:golang/stdlib@1.20.1', 'Go', 'stdlib', '1.20.1'],
    ['pkg:golang/x/y@v1.2', 'Go', 'x/y', 'v1.2'],
    ['pkg:cargo/time@0.2', 'crates.io', 'time', '0.2'],
    ['pkg:gem/rails@7.0.0', 'RubyGems', 'rails', '7.0.0'],
    ['pkg:nuget/Newtonsoft.Json@12', 'NuGet', 'Newtonsoft.Json', '12'],
    ['pkg:composer/symfony/http-kernel@5', 'Packagist', 'symfony/http-kernel', '5'],
    ['pkg:hex/phoenix@1', 'Hex', 'phoenix', '1'],
    ['pkg:hex/acme/phoenix@1', 'Hex', 'acme/phoenix', '1'],
    ['pkg:pub/http@1', 'Pub', 'http', '1'],
    ['pkg:swift/github.com/vapor/vapor@4', 'SwiftURL', 'github.com/vapor/vapor', '4'],
    ['pkg:swift/github.com/vapor/vapor', 'SwiftURL', 'github.com/vapor/vapor'],
    ['pkg:bitnami/wordpress@6.2.0?arch=arm64', 'Bitnami', 'wordpress', '6.2.0'],
    ['pkg:hackage/aeson@2', 'Hackage', 'aeson', '2'],
    ['pkg:cran/A3', 'CRAN', 'A3'],
    ['pkg:conan/bincrafters/openssl@3.0?channel=stable', 'ConanCenter', 'openssl', '3.0'],
    ['pkg:conan/openssl.org/openssl@3.0', 'ConanCenter', 'openssl', '3.0'],
    ['pkg:github/actions/cache@v4#save', 'GitHub Actions', 'actions/cache/save', 'v4'],
    ['pkg:githubactions/actions/checkout@v4', 'GitHub Actions', 'actions/checkout', 'v4'],
    ['pkg:vscode-extension/esbenp/prettier-vscode@1', 'VSCode', 'esbenp.prettier-vscode', '1'],
    ['pkg:julia/Dates?uuid=ade2ca70', 'Julia', 'Dates'],
    ['pkg:generic/openssl@1.1', 'OSS-Fuzz', 'openssl', '1.1'],
  ])
})

read('the subpath of Go is a part of the module, and of no other type', () => {
  names([
    ['pkg:golang/github.com/acme/widget@v2.0.0#v2', 'Go', 'github.com/acme/widget/v2', 'v2.0.0'],
    ['pkg:golang/github.com/acme/widget@v1#sdk/./core', 'Go', 'github.com/acme/widget/sdk/core', 'v1'],
    ['pkg:npm/lodash@4#lib/x', 'npm', 'lodash', '4'],
  ])
})

read('versions keep plus signs, colons and slashes', () => {
  names([
    ['pkg:npm/a@1.0.0+build.5', 'npm', 'a', '1.0.0+build.5'],
    ['pkg:npm/a@1.0.0%2Bbuild', 'npm', 'a', '1.0.0+build'],
    ['pkg:deb/debian/bind9@1%3A9.18.1-1', 'Debian', 'bind9', '1:9.18.1-1'],
    ['pkg:generic/a@release/1', 'OSS-Fuzz', 'a', 'release/1'],
    ['pkg:npm/a@', 'npm', 'a'],
    ['pkg:npm/a%401@2', 'npm', 'a@1', '2'],
  ])
})

read('scheme and type match in any case; slashes and empty parts do not count', () => {
  names([
    ['PKG:NPM/a@1', 'npm', 'a', '1'],
    ['pkg://npm/a@1', 'npm', 'a', '1'],
    ['pkg:///npm//%40s//a/', 'npm', '@s/a'],
    ['pkg:npm/a?&arch=&#', 'npm', 'a'],
    ['pkg:deb/Debian/curl@7?Distro=Debian-12', 'Debian:12', 'curl', '7'],
  ])
})

read('a distribution is a type and a namespace', () => {
  names([
    ['pkg:deb/debian/curl@7', 'Debian', 'curl', '7'],
    ['pkg:deb/echo/curl@7', 'Echo', 'curl', '7'],
    ['pkg:apk/wolfi/curl@8-r0', 'Wolfi', 'curl', '8-r0'],
    ['pkg:apk/chainguard/curl', 'Chainguard', 'curl'],
    ['pkg:rpm/rhel/curl@7.76', 'Red Hat', 'curl', '7.76'],
    ['pkg:rpm/suse/curl@8', 'SUSE', 'curl', '8'],
    ['pkg:deb/raspbian/curl@7', 'Debian', 'curl', '7'],
    ['pkg:rpm/fedora/curl@7?distro=fedora-39', null, 'fedora/curl', '7'],
    ['pkg:deb/curl@7', null, 'curl', '7'],
  ])
})

read('the qualifier distro names a release; an unknown one names none', () => {
  const releases: [string, string, string][] = [
    ['deb/debian', 'debian-12', 'Debian:12'],
    ['deb/debian', 'debian-12.5', 'Debian:12'],
    ['deb/debian', '12', 'Debian:12'],
    ['deb/debian', 'bookworm', 'Debian:12'],
    ['deb/debian', 'debian-sid', 'Debian:sid'],
    ['deb/debian', 'ubuntu-22.04', 'Debian'],
    ['deb/debian', 'debian-nonesuch', 'Debian'],
    ['deb/debian', 'constructor', 'Debian'],
    ['deb/ubuntu', 'ubuntu-22.04', 'Ubuntu:22.04'],
    ['deb/ubuntu', '22.04.3', 'Ubuntu:22.04'],
    ['deb/ubuntu', 'jammy', 'Ubuntu:22.04'],
    ['deb/ubuntu', 'debian-12', 'Ubuntu'],
    ['apk/alpine', 'alpine-3.20.3', 'Alpine:v3.20'],
    ['apk/alpine', '3.24.0_alpha20260127', 'Alpine:v3.24'],
    ['apk/alpine', 'v3.18', 'Alpine:v3.18'],
    ['apk/alpine', 'edge', 'Alpine:edge'],
    ['rpm/almalinux', 'almalinux-9.3', 'AlmaLinux:9'],
    ['rpm/alma', 'alma-9', 'AlmaLinux:9'],
    ['rpm/rocky-linux', 'rocky-8.10', 'Rocky Linux:8'],
    ['rpm/rocky', 'rocky-8.10', 'Rocky Linux:8'],
    ['rpm/mageia', 'mageia-9', 'Mageia:9'],
    ['rpm/opensuse', 'opensuse-leap-15.5', 'openSUSE:Leap 15.5'],
    ['rpm/opensuse', 'opensuse-tumbleweed', 'openSUSE:Tumbleweed'],
    ['rpm/openeuler', 'openeuler-24.03', 'openEuler'],
    ['rpm/openEuler', 'openEuler-22.03-LTS-SP1', 'openEuler:22.03-LTS-SP1'],
    ['rpm/opensuse', 'opensuse.leap-15.5', 'openSUSE:Leap 15.5'],
    ['rpm/opensuse-leap', 'opensuse-leap-15.5', 'openSUSE:Leap 15.5'],
    ['rpm/opensuse.leap', 'opensuse.leap-15.5', 'openSUSE:Leap 15.5'],
    ['rpm/opensuse.tumbleweed', 'opensuse.tumbleweed-20231010', 'openSUSE:Tumbleweed'],
    ['rpm/opensuse', 'openSUSE%20Leap%2015.5', 'openSUSE:Leap 15.5'],
    ['rpm/opensuse-tumbleweed', 'opensuse-tumbleweed-20231010', 'openSUSE:Tumbleweed'],
    ['rpm/redhat', 'redhat-8.6', 'Red Hat:enterprise_linux:8'],
    ['rpm/rhel', 'rhel-8.6', 'Red Hat:enterprise_linux:8'],
    ['rpm/suse', 'sles-15.4', 'SUSE:Linux Enterprise Server 15 SP4'],
    ['rpm/sles', 'sles-15', 'SUSE:Linux Enterprise Server 15'],
    ['rpm/suse', 'SUSE%20Linux%20Enterprise%20Server%2015%20SP4', 'SUSE:Linux Enterprise Server 15 SP4'],
    ['rpm/azurelinux', 'azurelinux-3.0', 'Azure Linux:3'],
    ['rpm/mariner', 'mariner-2.0', 'Azure Linux:2'],
    ['rpm/photon', 'photon-5.0', 'Photon OS:5.0'],
    ['deb/raspbian', 'raspbian-11', 'Debian:11'],
    ['deb/ubuntu', 'resolute', 'Ubuntu:26.04'],
    // Without a namespace, the qualifier names the distribution.
    ['deb', 'debian-11', 'Debian:11'],
    ['rpm', 'rocky-8.8', 'Rocky Linux:8'],
    ['apk', 'alpine-3.18.4', 'Alpine:v3.18'],
  ]
  for (const [path, distro, ecosystem] of releases) {
    const purl = `pkg:${path}/curl@1?arch=x86_64&distro=${distro}`
    assert.equal(packageOfPurl(purl), { ecosystem, name: 'curl', version: '1', source: null }, purl)
  }
})

read('the tag of a build names the release where distro does not, and the distribution where nothing else does', () => {
  names([
    ['pkg:rpm/rocky/git@2.39-1.el8_8', 'Rocky Linux:8', 'git', '2.39-1.el8_8'],
    ['pkg:rpm/redhat/git@2.39-1.el10?distro=rhel', 'Red Hat:enterprise_linux:10', 'git', '2.39-1.el10'],
    ['pkg:rpm/azure-linux/curl@8.8.0-1.azl3', 'Azure Linux:3', 'curl', '8.8.0-1.azl3'],
    [
      'pkg:rpm/openeuler/curl@7-20.oe2203sp1?distro=openeuler-22.03',
      'openEuler:22.03-LTS-SP1',
      'curl',
      '7-20.oe2203sp1',
    ],
    ['pkg:rpm/curl@7-20.oe2203', 'openEuler:22.03-LTS', 'curl', '7-20.oe2203'],
    ['pkg:rpm/curl@7-4.mga9', 'Mageia:9', 'curl', '7-4.mga9'],
    ['pkg:rpm/curl@7-4.ph5', 'Photon OS:5.0', 'curl', '7-4.ph5'],
    // Several distributions have this tag.
    ['pkg:rpm/git@2.39.1-1.el8', null, 'git', '2.39.1-1.el8'],
  ])
})

read('upstream and source name the source package of a package of a distribution', () => {
  const sourceOf = (purl: string) => packageOfPurl(purl).source
  assert.is(sourceOf('pkg:deb/debian/libssl3@3?upstream=openssl%403.0-1'), 'openssl@3.0-1')
  assert.is(sourceOf('pkg:deb/debian/libssl3@3?source=openssl'), 'openssl')
  assert.is(sourceOf('pkg:npm/a@1?upstream=b'), null)
})

read('the epoch of an rpm precedes its version', () => {
  names([
    ['pkg:rpm/almalinux/bind@9.16-1.el9?epoch=32&distro=almalinux-9', 'AlmaLinux:9', 'bind', '32:9.16-1.el9'],
    ['pkg:rpm/almalinux/bind?epoch=32', 'AlmaLinux', 'bind'],
    ['pkg:rpm/almalinux/bind@32:9.16?epoch=32', 'AlmaLinux', 'bind', '32:9.16'],
    ['pkg:deb/debian/bind9@9?epoch=1', 'Debian', 'bind9', '9'],
  ])
})

read('a type of no ecosystem names a package without one', () => {
  names([
    ['pkg:docker/library/cassandra@sha256:244f', null, 'library/cassandra', 'sha256:244f'],
    ['pkg:constructor/a', null, 'a'],
    ['pkg:huggingface/a/b@c', null, 'a/b', 'c'],
  ])
})

read('a malformed purl is refused with its fault', () => {
  const faults: [string, RegExp][] = [
    ['', /does not begin with 'pkg:'/],
    ['npm/a@1', /does not begin with 'pkg:'/],
    ['https://example.com', /does not begin with 'pkg:'/],
    ['pkg:', /no type/],
    ['pkg:/?a=b', /no type/],
    ['pkg:__proto__/a', /its type/],
    ['pkg:1npm/a', /its type/],
    ['pkg:n%70m/a', /its type/],
    ['pkg:npm', /no name/],
    ['pkg:npm/', /no name/],
    ['pkg:npm/%zz@1', /name has malformed percent-encoding/],
    ['pkg:npm/a@%e0%80', /version has malformed percent-encoding/],
    ['pkg:npm/a?b=%', /qualifiers has malformed percent-encoding/],
    ['pkg:golang/a#%', /subpath has malformed percent-encoding/],
    ['pkg:npm/a b@1', /a blank or a control character/],
    ['pkg:npm/a\nb@1', /a blank or a control character/],
    ['pkg:npm/a%00b@1', /name has a control character/],
    ['pkg:npm/a%20b@1', /name has a blank/],
    ['pkg:npm/%40a%20b/c@1', /name has a blank/],
    ['pkg:npm/a?=b', /pairs of the form key=value/],
    ['pkg:npm/a?b', /pairs of the form key=value/],
    ['pkg:npm/a?__proto__=b', /pairs of the form key=value/],
    ['pkg:npm/a?b=c&B=d', /qualifier twice/],
    ['pkg:maven/log4j-core@2.14', /'maven' requires a namespace, as in pkg:maven\/namespace\/name/],
    ['pkg:composer/monolog', /'composer' requires a namespace/],
    ['pkg:pypi/acme/widget', /'pypi' has no namespace/],
  ]
  for (const [purl, fault] of faults) {
    assert.throws(
      () => packageOfPurl(purl),
      (error: unknown) => error instanceof PurlError && error.code === 'malformed' && fault.test(error.message),
      purl,
    )
  }
})

read.run()

const write = suite('packageUrl')

write('a package has the type of its ecosystem and the form that the type asks for', () => {
  const urls: [string, string, string | null][] = [
    ['npm', '@scope/name', 'pkg:npm/%40scope/name'],
    ['npm', 'left-pad', 'pkg:npm/left-pad'],
    ['PyPI', 'Django_Rest', 'pkg:pypi/django-rest'],
    ['Maven', 'org.acme:widget-core', 'pkg:maven/org.acme/widget-core'],
    ['Maven', 'no-group', null],
    ['Go', 'github.com/Acme/widget/v2', 'pkg:golang/github.com/Acme/widget/v2'],
    ['Go', 'stdlib', 'pkg:golang/stdlib'],
    ['crates.io', 'widget', 'pkg:cargo/widget'],
    ['RubyGems', 'widget', 'pkg:gem/widget'],
    ['NuGet', 'Acme.Widget', 'pkg:nuget/Acme.Widget'],
    ['Packagist', 'Acme/Widget', 'pkg:composer/acme/widget'],
    ['Packagist', 'no-vendor', null],
    ['PyPI', 'acme/widget', 'pkg:pypi/acme%2Fwidget'],
    ['SwiftURL', 'https://github.com/acme/widget.git', 'pkg:swift/github.com/acme/widget'],
    ['Debian', 'libstdc++6', 'pkg:deb/debian/libstdc%2B%2B6'],
    ['Rocky Linux', 'curl', 'pkg:rpm/rocky-linux/curl'],
    ['Debian:12', 'widget', null],
    ['GitHub Actions', 'acme/widget', null],
    ['Android', 'platform/art', null],
    ['constructor', 'widget', null],
  ]
  for (const [ecosystem, name, url] of urls) assert.is(packageUrl(ecosystem, name), url, `${ecosystem} ${name}`)
})

write('the purl of a package leads back to it', () => {
  let found = 0
  for (const ecosystem of ECOSYSTEMS) {
    const name = { Maven: 'org.acme:a', SwiftURL: 'https://github.com/acme/a.git', VSCode: 'acme.a' }[ecosystem] ?? 'a'
    // Purls of these separate namespace and name in another way.
    for (const one of ['ConanCenter', 'VSCode'].includes(ecosystem) ? [name] : [name, '@acme/a+b']) {
      const purl = packageUrl(ecosystem, one)
      if (purl === null) continue
      const back = packageOfPurl(purl)
      assert.equal([back.ecosystem, foldName(ecosystem, back.name)], [ecosystem, foldName(ecosystem, one)], purl)
      found++
    }
  }
  assert.ok(found > 30, String(found))
})

write.run()
