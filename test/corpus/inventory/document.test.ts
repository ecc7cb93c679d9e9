/** What files have whose role nobody states: packages, decisions, both, or faults. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readDocument } from '../../../corpus/inventory/document.ts'

const read = (name: string, content: unknown) =>
  readDocument(name, name, Buffer.from(typeof content === 'string' ? content : JSON.stringify(content, null, 1)))

/** Returns format and number of the packages and decisions. */
function found(name: string, content: unknown): string[] {
  const { inventory, decisions, faults } = read(name, content)
  return [
    ...(inventory ? [`${inventory.format}: ${inventory.components.length}`] : []),
    ...(decisions ? [`${decisions.role} ${decisions.format}: ${decisions.statements.length}`] : []),
    ...faults,
  ]
}

const ignore = { ignore: [{ id: 'CVE-2024-1', reason: 'r' }] }
const openVex = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  statements: [{ vulnerability: { name: 'CVE-2024-1' }, status: 'fixed', products: [{ '@id': 'pkg:npm/a' }] }],
}
const csaf = {
  document: { csaf_version: '2.0' },
  vulnerabilities: [{ cve: 'CVE-2024-1', product_status: { fixed: ['p'] } }],
}
const vulnerabilities = [{ id: 'CVE-2024-1', analysis: { state: 'resolved' }, affects: [{ ref: 'pkg:npm/a' }] }]
const components = [{ type: 'library', name: 'a', purl: 'pkg:npm/a@1.0.0' }]
const bom = { bomFormat: 'CycloneDX', specVersion: '1.5' }

test('files with decisions are recognized by their content, whatever their name', () => {
  for (const name of ['vulnshelf.ignore.json', 'a.json', 'package-lock.json', '']) {
    assert.equal(found(name, ignore), ['ignore vulnshelf.ignore.json: 1'], name)
    assert.equal(found(name, { $schema: 'x', ...ignore }), ['ignore vulnshelf.ignore.json: 1'], name)
  }
  for (const name of ['a.json', 'package-lock.json', '']) {
    assert.equal(found(name, openVex), ['vex OpenVEX: 1'], name)
    assert.equal(found(name, csaf), ['vex CSAF VEX: 1'], name)
    assert.equal(found(name, { ...bom, vulnerabilities }), ['vex CycloneDX VEX: 1'], name)
  }
})

test('an SBOM has its packages, and the decisions that it states', () => {
  assert.equal(found('bom.json', { ...bom, components }), ['CycloneDX JSON: 1'])
  assert.equal(found('bom.json', { ...bom, components, vulnerabilities }), [
    'CycloneDX JSON: 1',
    'vex CycloneDX VEX: 1',
  ])
})

test('an SBOM whose decisions cannot be read is checked, with the fault', () => {
  const broken = [{ id: 'CVE-2024-1', analysis: { state: 'odd' } }]
  const { inventory, decisions, faults } = read('bom.json', { ...bom, components, vulnerabilities: broken })
  assert.is(inventory?.components.length, 1)
  assert.is(decisions, null)
  assert.match(faults.join(), /^bom\.json:\d+: 'analysis\.state' is none of /)
})

test('lock files that have a word of decisions in them stay lock files', () => {
  const packages = { 'node_modules/ignore': { version: '1.0.0' }, 'node_modules/a': { version: '1.0.0' } }
  const lock = { lockfileVersion: 3, packages, ignore: [], vulnerabilities: [], csaf_version: '2.0' }
  assert.equal(found('package-lock.json', lock), ['package-lock.json: 2'])
  assert.equal(found('', lock), ['package-lock.json: 2'])
})

test('a fault names file and line', () => {
  assert.match(read('vulnshelf.ignore.json', '{\n "ignore": [\n {} ]}').faults.join(), /^vulnshelf\.ignore\.json:3: /)
  assert.match(read('vulnshelf.ignore.json', '{').faults.join(), /^vulnshelf\.ignore\.json:1: it is not JSON/)
  assert.match(read('a.json', { ignore: [{ id: 'X' }] }).faults.join(), /^a\.json:3: .* has no reason/)
  assert.match(read('go.sum', 'broken').faults.join(), /^go\.sum:1: not a valid go\.sum/)
  assert.match(read('a.json', '{ "ignore": [').faults.join(), /in no known format/)
})

test.run()
