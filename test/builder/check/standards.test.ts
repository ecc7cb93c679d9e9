/** The schemas that the other tests of `check` validate by: each accepts a small document, and refuses its faults. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { assertStandard, type Standard, schemaFaults } from '../../support/schemas/validate.ts'

const SARIF = {
  version: '2.1.0',
  runs: [{ tool: { driver: { name: 'a' } }, results: [{ message: { text: 'b' }, kind: 'open', level: 'none' }] }],
}
const STATEMENT = { vulnerability: { name: 'CVE-2024-1' }, status: 'fixed', products: [{ '@id': 'pkg:npm/a@1' }] }
const OPENVEX = {
  ...{ '@context': 'https://openvex.dev/ns/v0.2.0', '@id': 'https://example.com/a', author: 'a', version: 1 },
  ...{ timestamp: '2026-01-01T00:00:00Z', statements: [STATEMENT] },
}
const IN_TOTO = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'a', digest: { sha256: '0'.repeat(64) } }],
  predicateType: 'urn:example:a',
  predicate: {},
}
const stating = (more: object) => ({ ...OPENVEX, statements: [{ ...STATEMENT, ...more }] })
const result = (more: object) => ({ ...SARIF, runs: [{ ...SARIF.runs[0], results: [{ message: {}, ...more }] }] })

const FAULTY: Partial<Record<Standard, [valid: object, ...faulty: object[]]>> = {
  'SARIF 2.1.0': [
    SARIF,
    { ...SARIF, version: '2.0.0' },
    { ...SARIF, runs: [{ results: [] }] },
    result({ kind: 'affected' }),
    result({ level: 'high' }),
    result({ locations: [{ physicalLocation: { region: { startLine: 0 } } }] }),
    result({ suppressions: [{ kind: 'elsewhere' }] }),
    result({ other: 1 }),
  ],
  'OpenVEX 0.2.0': [
    OPENVEX,
    { ...OPENVEX, '@context': 'https://openvex.dev/ns' },
    { ...OPENVEX, statements: [] },
    { ...OPENVEX, statements: [STATEMENT, STATEMENT] },
    { ...OPENVEX, timestamp: '2026-01-01' },
    { ...OPENVEX, version: '1' },
    stating({ status: 'ignored' }),
    stating({ status: 'affected' }),
    stating({ status: 'not_affected' }),
    stating({ status: 'not_affected', justification: 'component_not_present', impact_statement: 'a' }),
    stating({ justification: 'not needed' }),
    stating({ products: [{ '@id': 'npm a' }] }),
    stating({ vulnerability: {} }),
  ],
  'in-toto v1': [
    IN_TOTO,
    { ...IN_TOTO, _type: 'https://in-toto.io/Statement/v0.1' },
    { ...IN_TOTO, subject: [] },
    { ...IN_TOTO, subject: [{ name: 'a' }] },
    { ...IN_TOTO, subject: [{ digest: { sha256: '0' } }] },
    { ...IN_TOTO, predicateType: 'a' },
    { ...IN_TOTO, predicate: [] },
  ],
}

for (const [standard, [valid, ...faulty]] of Object.entries(FAULTY) as [Standard, [object, ...object[]]][]) {
  test(`${standard}: a valid document passes, ${faulty.length} faulty ones do not`, () => {
    assertStandard(standard, valid)
    const passed = faulty.filter((document) => schemaFaults(standard, document).length === 0)
    assert.equal(passed, [])
  })
}

test('the CycloneDX documents that the readers are tested with are valid', () => {
  const documentOf = (name: string) =>
    JSON.parse(readFileSync(join(import.meta.dirname, '../../corpus/inventory/lock-files/sbom', name), 'utf8'))
  assertStandard('CycloneDX 1.5', documentOf('bom.json'))
  assertStandard('CycloneDX 1.6', documentOf('image.cdx.json'))
  assert.is.not(schemaFaults('CycloneDX 1.6', { bomFormat: 'CycloneDX', specVersion: '1.6', components: {} }).length, 0)
})

test.run()
