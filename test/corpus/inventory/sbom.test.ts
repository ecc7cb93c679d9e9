/**
 * SBOMs in all formats. The files `lock-files/sbom/image.*` state the same packages of an image, by hand. Those in
 * CycloneDX are valid by the schemas of 1.3 to 1.7, and without properties by those of 1.2.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inventoryOf, type ReadInventory } from '../../../corpus/inventory/read.ts'

const folder = join(import.meta.dirname, 'lock-files/sbom')
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const read = (name: string, content: unknown): ReadInventory =>
  inventoryOf(name, name, Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)))

/** Lines such as `npm lodash 4.17.15 dev` and `Debian:12 libssl3 3.0.11-1 from openssl`, sorted. */
const componentsOf = ({ components }: ReadInventory): string[] =>
  components
    .map(({ ecosystem, name, version, source, groups }) => {
      const words = [
        ecosystem,
        name,
        version,
        ...(source === null ? [] : ['from', source]),
        ...(groups?.includes('dev') ? ['dev'] : []),
      ]
      return words.join(' ')
    })
    .sort()

const skippedOf = ({ skipped }: ReadInventory): string[] => skipped.map(({ name, reason }) => `${reason} ${name}`)

/** The purl of libssl3 has neither a distribution nor a source package: the documents state them elsewhere. */
const COMPONENTS = [
  'Debian:12 libssl3 3.0.11-1~deb12u2 from openssl@3.0.11-1~deb12u2',
  'Maven org.apache.logging.log4j:log4j-core 2.14.1',
  'PyPI django 2.2.0',
  'Rocky Linux:9 bash 5.1.8-6.el9_1 from bash-5.1.8-6.el9_1.src.rpm',
  'npm @babel/core 7.20.0',
  'npm lodash 4.17.15',
  'npm mocha 10.2.0 dev',
]
/** The image, its operating system and its file are no packages. */
const SKIPPED = [
  'no-version pkg:npm/left-pad',
  'malformed-purl pkg:maven/log4j@2.14.0',
  'not-pinned pkg:githubactions/actions/checkout@4.%2A.%2A',
  'no-purl nginx',
]

const FILES: [name: string, format: string][] = [
  ['image.cdx.json', 'CycloneDX JSON'],
  ['image.cdx.xml', 'CycloneDX XML'],
  ['image.spdx.json', 'SPDX JSON'],
  ['image.spdx.yaml', 'SPDX YAML'],
  ['image.spdx', 'SPDX tag-value'],
  ['image.spdx3.json', 'SPDX JSON'],
  ['image.syft.json', 'syft JSON'],
  ['image.cdx.intoto.json', 'statement of in-toto'],
  ['image.spdx.intoto.jsonl', 'statement of in-toto'],
]

for (const [name, format] of FILES) {
  test(`${name} has the packages of the image, by its name and by its content`, () => {
    // syft states no groups.
    const expected = format.startsWith('syft') ? COMPONENTS.map((one) => one.replace(' dev', '')) : COMPONENTS
    for (const found of [read(name, textOf(name)), read('image', textOf(name))]) {
      assert.is(found.format, format)
      assert.equal(componentsOf(found), expected)
      assert.equal(skippedOf(found), SKIPPED)
    }
  })
  test(`${name} states the line of each package`, () => {
    const lines = textOf(name).split('\n')
    for (const { line, name: component } of read(name, textOf(name)).components) {
      // The lines of an envelope are not those of its payload.
      if (name.endsWith('jsonl')) assert.is(line, 2)
      else assert.match(lines.slice(line! - 1, line! + 3).join('\n'), component.split(/[/:]/).at(-1)!.slice(1))
    }
  })
}

for (const version of ['1.2', '1.3', '1.4', '1.5', '1.6', '1.7']) {
  test(`CycloneDX ${version} in JSON and XML`, () => {
    const json = JSON.parse(textOf('image.cdx.json'), (key, value) =>
      key === 'properties' && version === '1.2' ? undefined : key === 'specVersion' ? version : value,
    )
    const xml = textOf('image.cdx.xml').replace('bom/1.6', `bom/${version}`)
    const withoutProperties = xml.replace(/<properties>.*?<\/properties>/gs, '')
    const expected = version === '1.2' ? COMPONENTS.map((one) => one.replace(/ from openssl.*/, '')) : COMPONENTS
    assert.equal(componentsOf(read('bom.json', json)), expected)
    assert.equal(componentsOf(read('bom.xml', version === '1.2' ? withoutProperties : xml)), expected)
  })
}

test('SPDX 2.2 has no purposes: packages of Trivy for systems and lock files are known by their ids', () => {
  const named = (name: string, id: string, rest: object = {}) => ({ name, SPDXID: `SPDXRef-${id}`, ...rest })
  const purl = (referenceLocator: string) => ({ externalRefs: [{ referenceType: 'purl', referenceLocator }] })
  const document = {
    spdxVersion: 'SPDX-2.2',
    packages: [
      named('alpine', 'OperatingSystem-70c2a0b1c7d3f6e5', { versionInfo: '3.19.1' }),
      named('app/package-lock.json', 'Application-9ff7e0a1b2c3d4e5'),
      named('openssl', 'Package-1', purl('pkg:apk/alpine/openssl@3.1.4-r5')),
    ],
  }
  const found = read('a.spdx.json', document)
  assert.equal([componentsOf(found), skippedOf(found)], [['Alpine:v3.19 openssl 3.1.4-r5'], []])
})

const cycloneDx = (components: object[], rest: object = {}) => ({ bomFormat: 'CycloneDX', components, ...rest })
const apk = { name: 'a', purl: 'pkg:apk/alpine/a@1' }

test('the operating system of a document is the distribution of purls that state none', () => {
  const system = (name: string, version?: string) => ({ type: 'operating-system', name, version })
  const ecosystems = (...systems: object[]) =>
    read('bom.json', cycloneDx([apk, ...systems])).components.map(({ ecosystem }) => ecosystem)
  assert.equal(ecosystems(), ['Alpine'])
  assert.equal(ecosystems(system('alpine', '3.19.1')), ['Alpine:v3.19'])
  assert.equal(ecosystems(system('alpine', '3.19.1'), system('alpine', '3.19.1')), ['Alpine:v3.19'])
  // With several, it is unknown which one has the package.
  assert.equal(ecosystems(system('alpine', '3.19.1'), system('alpine', '3.18.0')), ['Alpine'])
  assert.equal(ecosystems(system('debian', '12')), ['Alpine'])
  const properties = [
    { name: 'syft:distro:id', value: 'alpine' },
    { name: 'syft:distro:versionID', value: '3.19.1' },
  ]
  assert.equal(ecosystems({ ...system('Alpine Linux', 'v3.19'), properties }), ['Alpine:v3.19'])
  const subject = cycloneDx([apk], { metadata: { component: system('alpine', '3.20.0') } })
  assert.is(read('bom.json', subject).components[0]!.ecosystem, 'Alpine:v3.20')
  const stated = cycloneDx([{ ...apk, purl: `${apk.purl}?distro=alpine-3.17.0` }, system('alpine', '3.19.1')])
  assert.is(read('bom.json', stated).components[0]!.ecosystem, 'Alpine:v3.17')
  // The names of Trivy.
  const rpm = (purl: string, name: string, version: string) =>
    read('bom.json', cycloneDx([{ name: 'a', purl }, system(name, version)])).components[0]!.ecosystem
  assert.is(rpm('pkg:rpm/suse/a@1-1', 'suse linux enterprise server', '15.4'), 'SUSE:Linux Enterprise Server 15 SP4')
  assert.is(rpm('pkg:rpm/redhat/a@1-1', 'redhat', '9.3'), 'Red Hat:enterprise_linux:9')
  assert.is(rpm('pkg:rpm/a@1-1', 'rocky', '9.3'), 'Rocky Linux:9')
})

test('the distribution of syft JSON is in os-release', () => {
  const of = (distro: object) =>
    read('syft.json', { artifacts: [{ name: 'a', purl: 'pkg:deb/debian/a@1' }], distro }).components[0]!.ecosystem
  assert.is(of({ id: 'debian', versionID: '12', version: '12 (bookworm)' }), 'Debian:12')
  assert.is(of({ id: 'debian', versionCodename: 'trixie' }), 'Debian:13')
  assert.is(of({ name: 'debian', version: '11' }), 'Debian:11')
  assert.is(of({}), 'Debian')
})

test('the databases of syft JSON state source packages', () => {
  const sourceOf = (purl: string, metadata: object) =>
    read('syft.json', { artifacts: [{ name: 'a', purl, metadata }] }).components[0]!.source
  assert.is(sourceOf('pkg:deb/debian/a@1', { source: 'b', sourceVersion: '2' }), 'b@2')
  assert.is(sourceOf('pkg:deb/debian/a@1', { source: 'b', sourceVersion: '' }), 'b')
  assert.is(sourceOf('pkg:deb/debian/a@1', { source: '', sourceVersion: '' }), null)
  assert.is(sourceOf('pkg:rpm/rocky/a@1-1', { sourceRpm: 'b-1-1.src.rpm' }), 'b-1-1.src.rpm')
  assert.is(sourceOf('pkg:apk/alpine/a@1', { originPackage: 'b' }), 'b')
  assert.is(sourceOf('pkg:deb/debian/a@1?upstream=c', { source: 'b' }), 'c')
})

test('components without a purl: files, systems, data and keys are no packages; others are skipped', () => {
  const types = ['file', 'operating-system', 'data', 'cryptographic-asset', 'library', 'application', 'container']
  const typed = types.map((type) => ({ type, name: type, cpe: 'cpe:2.3:a:a:a:1:*:*:*:*:*:*:*', purl: '' }))
  const target = {
    ...{ type: 'application', name: 'package-lock.json' },
    properties: [{ name: 'aquasecurity:trivy:Class', value: 'lang-pkgs' }],
  }
  const found = read('bom.json', cycloneDx([...typed, target, { type: 'file', name: 'jar', purl: 'pkg:npm/a@1' }]))
  assert.equal(skippedOf(found), ['no-purl library', 'no-purl application', 'no-purl container'])
  assert.equal(componentsOf(found), ['npm a 1'])
  const graph = ['software_Package', 'software_File', 'dataset_DatasetPackage', 'ai_AIPackage'].map((type) => ({
    ...{ type, name: type },
  }))
  const spdx = { '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld', '@graph': graph }
  assert.equal(skippedOf(read('a.spdx.json', spdx)), ['no-purl software_Package', 'no-purl ai_AIPackage'])
})

test('scopes: excluded components are for development, optional ones are checked; npm states a property', () => {
  const of = (rest: object) => read('bom.json', cycloneDx([{ name: 'a', purl: 'pkg:npm/a@1', ...rest }])).components[0]!
  const property = (value: string) => ({ properties: [{ name: 'cdx:npm:package:development', value }] })
  assert.equal(of({ scope: 'excluded' }).groups, ['dev'])
  assert.is(of({ scope: 'optional' }).groups, null)
  assert.is(of({ scope: 'required' }).groups, null)
  assert.equal(of({ scope: 'required', ...property('true') }).groups, ['dev'])
  assert.equal(of({ scope: 'excluded', ...property('false') }).groups, ['main'])
})

test('a package of SPDX is for development if all that is stated of it is', () => {
  const relation = (spdxElementId: string, relationshipType: string, relatedSpdxElement: string) => ({
    ...{ spdxElementId, relationshipType, relatedSpdxElement },
  })
  const packages = ['a', 'b', 'c', 'd'].map((name) => ({
    ...{ name, SPDXID: name },
    externalRefs: [{ referenceType: 'purl', referenceLocator: `pkg:npm/${name}@1` }],
  }))
  const relationships = [
    relation('a', 'DEV_DEPENDENCY_OF', 'root'),
    relation('b', 'TEST_DEPENDENCY_OF', 'root'),
    relation('b', 'OPTIONAL_DEPENDENCY_OF', 'root'),
    relation('root', 'DEPENDS_ON', 'c'),
    relation('c', 'TEST_DEPENDENCY_OF', 'root'),
    relation('d', 'TEST_DEPENDENCY_OF', 'root'),
  ]
  const { components } = read('a.spdx.json', { spdxVersion: 'SPDX-2.3', packages, relationships })
  assert.equal(
    components.map(({ groups }) => groups),
    [['dev'], null, null, ['dev']],
  )
})

test('a document that states that it is incomplete is named as not checked', () => {
  const compositions = [
    { aggregate: 'incomplete', assemblies: ['1', '2', 'x'], dependencies: ['root'] },
    { aggregate: 'incomplete_third_party_only' },
    { aggregate: 'complete', assemblies: ['1'] },
    { aggregate: 'unknown', assemblies: ['1'] },
  ]
  const components = ['1', '2'].map((ref) => ({ 'bom-ref': ref, name: `a${ref}`, purl: `pkg:npm/a@${ref}` }))
  const metadata = { component: { 'bom-ref': 'root', name: 'app' } }
  const incomplete = ['parts of a1 and 2 others', 'dependencies of app', 'components']
  const json = read('bom.json', cycloneDx(components, { metadata, compositions }))
  assert.equal(
    skippedOf(json),
    incomplete.map((one) => `incomplete ${one}`),
  )
  const xml = `<bom xmlns="http://cyclonedx.org/schema/bom/1.4">
    <metadata><component bom-ref="root"><name>app</name></component></metadata>
    <components><component bom-ref="1"><name>a1</name><purl>pkg:npm/a@1</purl></component></components>
    <compositions>
      <composition><aggregate>incomplete</aggregate>
        <assemblies><assembly ref="1"/><assembly ref="2"/><assembly ref="x"/></assemblies>
        <dependencies><dependency ref="root"/></dependencies></composition>
      <composition><aggregate>incomplete_third_party_only</aggregate></composition>
    </compositions></bom>`
  assert.equal(read('bom.xml', xml).skipped, [
    { name: incomplete[0], reason: 'incomplete', line: 5 },
    { name: incomplete[1], reason: 'incomplete', line: 5 },
    { name: incomplete[2], reason: 'incomplete', line: 8 },
  ])
  const relation = (relationshipType: string, completeness: string) => ({
    ...{ type: 'Relationship', from: 'root', to: [], relationshipType, completeness },
  })
  const graph = [
    { type: 'software_Package', spdxId: 'root', name: 'app', software_packageUrl: 'pkg:npm/app@1' },
    ...['contains', 'dependsOn', 'hasDeclaredLicense'].map((type) => relation(type, 'incomplete')),
    relation('contains', 'noAssertion'),
  ]
  const spdx = { '@context': ['https://spdx.org/rdf/3.0.1/spdx-context.jsonld'], '@graph': graph }
  assert.equal(skippedOf(read('a.spdx3.json', spdx)), ['incomplete parts of app', 'incomplete dependencies of app'])
})

test('documents that SPDX refers to are named as not checked', () => {
  const reference = { externalDocumentId: 'DocumentRef-lib', spdxDocument: 'https://example.com/lib' }
  const json = { spdxVersion: 'SPDX-2.3', packages: [], externalDocumentRefs: [reference] }
  assert.equal(skippedOf(read('a.spdx.json', json)), ['not-followed https://example.com/lib'])
  const tags = 'SPDXVersion: SPDX-2.3\nExternalDocumentRef:DocumentRef-lib https://example.com/lib SHA1: 7\n'
  assert.equal(read('a.spdx', tags).skipped, [{ name: 'https://example.com/lib', reason: 'not-followed', line: 2 }])
  const graph = [{ type: 'SpdxDocument', import: [{ type: 'ExternalMap', externalSpdxId: 'https://example.com/a' }] }]
  const spdx3 = { '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld', '@graph': graph }
  assert.equal(skippedOf(read('a.spdx.json', spdx3)), ['not-followed elements of other documents (1)'])
})

test('a single described package without a purl is the subject of an SPDX document', () => {
  const named = (name: string, ...purls: string[]) => ({
    ...{ name, SPDXID: name },
    externalRefs: purls.map((referenceLocator) => ({ referenceType: 'purl', referenceLocator })),
  })
  const of = (documentDescribes: string[], ...packages: object[]) => {
    const found = read('a.spdx.json', { spdxVersion: 'SPDX-2.3', documentDescribes, packages })
    return [...componentsOf(found), ...skippedOf(found)]
  }
  assert.equal(of(['app'], named('app'), named('b', 'pkg:npm/b@1')), ['npm b 1'])
  assert.equal(of(['app'], named('app', 'pkg:npm/app@1')), ['npm app 1'])
  assert.equal(of(['app', 'b'], named('app'), named('b')), ['no-purl app', 'no-purl b'])
  assert.equal(of([], named('app')), ['no-purl app'])
})

test('SPDX 3: elements inside others, references by id, and types that are IRIs', () => {
  const inner = { type: 'software_Package', spdxId: 'in', name: 'in', software_packageUrl: 'pkg:npm/in@1' }
  const document = {
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': [
      { '@id': '_:1', type: 'ExternalIdentifier', externalIdentifierType: 'packageUrl', identifier: 'pkg:npm/by-id@1' },
      { type: 'https://spdx.org/rdf/3.0.1/terms/Software/Package', name: 'a', externalIdentifier: '_:1' },
      { type: 'Relationship', relationshipType: 'contains', from: 'a', to: [inner] },
    ],
  }
  assert.equal(componentsOf(read('a.spdx.json', document)), ['npm by-id 1', 'npm in 1'])
})

const statement = (predicateType: string, predicate: unknown) => ({
  ...{ _type: 'https://in-toto.io/Statement/v1', subject: [], predicateType, predicate },
})
const envelope = (payload: unknown, rest: object = {}) => ({
  ...{ payloadType: 'application/vnd.in-toto+json', signatures: [] },
  payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)).toString('base64'),
  ...rest,
})

test('statements: predicates of cosign, with a version, in a bundle of Sigstore, and under the name of their document', () => {
  const bom = cycloneDx([{ name: 'a', purl: 'pkg:npm/a@1' }])
  const tags = 'SPDXVersion: SPDX-2.3\nPackageName: a\nExternalRef: PACKAGE-MANAGER purl pkg:npm/a@1\n'
  const statements = [
    statement('https://cyclonedx.org/bom', bom),
    statement('https://cyclonedx.org/bom/v1.6', bom),
    statement('https://cyclonedx.org/bom', { Data: bom, Timestamp: '' }),
    statement('https://cyclonedx.org/bom', JSON.stringify(bom)),
    statement('https://spdx.dev/Document', { Data: tags }),
    statement('https://spdx.dev/Document/v2.3', tags),
    statement('https://syft.dev/bom', { artifacts: bom.components }),
  ]
  for (const one of statements) {
    for (const wrapped of [one, envelope(one), { dsseEnvelope: envelope(one) }]) {
      assert.equal(componentsOf(read('a.sbom.intoto.json', wrapped)), ['npm a 1'], JSON.stringify(wrapped))
      assert.equal(componentsOf(read('a.cdx.json', wrapped)), ['npm a 1'], JSON.stringify(wrapped))
    }
  }
  const urlSafe = envelope(statements[0])
  urlSafe.payload = urlSafe.payload.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  assert.equal(componentsOf(read('a', urlSafe)), ['npm a 1'])
})

test('statements of several SBOMs in one file have the packages of all, each with its line', () => {
  const line = (name: string) =>
    JSON.stringify(envelope(statement('https://cyclonedx.org/bom', cycloneDx([{ name, purl: `pkg:npm/${name}@1` }]))))
  const { components } = read('a', `${line('a')}\n\n${line('b')}\n`)
  assert.equal(
    components.map(({ name, line }) => `${line} ${name}`),
    ['1 a', '3 b'],
  )
})

test("versions of GitHub's SBOM API that are ranges are not pinned", () => {
  const packages = [
    ['pkg:npm/a', '^4.17.0'],
    ['pkg:pypi/b', '>= 2.0, < 3'],
    ['pkg:npm/c@%5E1.0.0', '^1.0.0'],
    ['pkg:githubactions/actions/checkout@4.%2A.%2A', '4.*.*'],
    ['pkg:npm/d', '4.17.0'],
  ].map(([referenceLocator, versionInfo]) => ({
    ...{ name: referenceLocator, versionInfo },
    externalRefs: [{ referenceType: 'purl', referenceLocator }],
  }))
  const found = read('sbom.json', { sbom: { spdxVersion: 'SPDX-2.3', packages } })
  assert.equal(componentsOf(found), ['npm d 4.17.0'])
  assert.is(skippedOf(found).filter((one) => one.startsWith('not-pinned')).length, 4)
})

test.run()
