/** Names of packages and products: CPE 2.3, package URLs, and the order of semantic versions. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cpeText, parseCpe } from '../../../../corpus/model/affected/cpe.ts'
import { packageUrl } from '../../../../corpus/model/affected/purl.ts'
import { compareSemver } from '../../../../corpus/model/affected/semver.ts'

const cpe = suite('cpe')

cpe('a name has eleven attributes, as they are written', () => {
  assert.equal(parseCpe('cpe:2.3:a:acme:widget:1.2:p1:*:en:pro:node.js:x64:-'), {
    part: 'a',
    vendor: 'acme',
    product: 'widget',
    version: '1.2',
    update: 'p1',
    edition: '*',
    language: 'en',
    swEdition: 'pro',
    targetSw: 'node.js',
    targetHw: 'x64',
    other: '-',
  })
})

cpe('an escaped colon is part of a value, an escaped backslash escapes nothing', () => {
  assert.is(parseCpe('cpe:2.3:a:acme:a\\:b:1:*:*:*:*:*:*:*')?.product, 'a\\:b')
  const { vendor, product } = parseCpe('cpe:2.3:a:ac\\\\:me:1:*:*:*:*:*:*:*')!
  assert.equal([vendor, product], ['ac\\\\', 'me'])
})

cpe('what has other attributes is no name', () => {
  for (const name of ['', 'cpe:/a:acme:widget', 'cpe:2.3:a:acme', 'cpe:2.3:a:b:c:d:e:f:g:h:i:j:k:l', 'a:b:c']) {
    assert.is(parseCpe(name), null, name)
  }
})

cpe('text is unescaped; any and not applicable are no text', () => {
  assert.is(cpeText('yahoo\\!'), 'yahoo!')
  assert.is(cpeText('c\\+\\+'), 'c++')
  assert.is(cpeText('a\\\\b'), 'a\\b')
  assert.is(cpeText('*'), null)
  assert.is(cpeText('-'), null)
  assert.is(cpeText('\\-'), '-')
})

cpe.run()

const purl = suite('purl')

purl('a package has the type of its ecosystem and the form that the type asks for', () => {
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
    ['SwiftURL', 'https://github.com/acme/widget.git', 'pkg:swift/github.com/acme/widget'],
    ['Debian:12', 'widget', null],
    ['GitHub Actions', 'acme/widget', null],
    ['constructor', 'widget', null],
  ]
  for (const [ecosystem, name, url] of urls) assert.is(packageUrl(ecosystem, name), url, `${ecosystem} ${name}`)
})

purl.run()

const semver = suite('semver')

semver('versions have the order of the specification, and 0 comes before all of them', () => {
  const ascending = [
    '0',
    '0.0.0-0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    'v1.2.0+build',
    '1.10.0',
    '2.0.0-20200131131040-063a3fb69896',
    '18446744073709551617.0.0',
  ]
  const order = (a: string, b: string) => Math.sign(compareSemver(a, b)!)
  for (const [i, a] of ascending.entries()) {
    for (const [j, b] of ascending.entries()) assert.is(order(a, b), Math.sign(i - j), `${a} and ${b}`)
  }
})

semver('what is no semantic version has no place', () => {
  for (const text of ['1', '1.2', '1.2.3.4', 'abc', '1.2.3-', '']) assert.is(compareSemver('1.0.0', text), null, text)
})

semver.run()
