import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { vendorRoot } from '../../../corpus/sample/names.ts'
import { type CveRecord, cveRecord } from '../../../corpus/sample/records/record.ts'
import { createWorld } from '../../../corpus/sample/world.ts'
import { REAL_FEEDS, suiteNeeding } from '../../support/needs.ts'
import { schemaFaults } from './json-schema.ts'

const schemaFile = join(REAL_FEEDS, 'cve-schema/CVE_Record_Format_bundled.json')
const world = createWorld(3, 3000, 2)

function recordAt(index: number, night: number): CveRecord {
  return cveRecord(world, world.facts(index), night)
}

const compared = suiteNeeding('sample records', 'real feeds')

compared("records are valid by upstream's own schema, in both nights", () => {
  const schema = JSON.parse(readFileSync(schemaFile, 'utf8'))
  let judged = 0
  for (let index = 0; index < world.records; index += 3) {
    for (const night of [0, 1]) {
      const facts = world.facts(index)
      if (facts.born > night) continue
      const record = JSON.parse(JSON.stringify(recordAt(index, night)))
      // The schema has no RESERVED records.
      if (record.cveMetadata.state === 'RESERVED') continue
      assert.equal(schemaFaults(schema, record).slice(0, 5), [], record.cveMetadata.cveId)
      judged++
    }
  }
  assert.ok(judged > 1900, `${judged}`)
})

test('the judge of the schema finds faults', () => {
  const schema = {
    $ref: '#/definitions/a',
    definitions: {
      a: {
        type: 'object',
        required: ['x'],
        properties: { x: { type: 'string', pattern: '^b' } },
        additionalProperties: false,
      },
    },
  }
  assert.equal(schemaFaults(schema, { x: 'b' }), [])
  assert.equal(schemaFaults(schema, {}), [': lacks x'])
  assert.equal(schemaFaults(schema, { x: 'c' }), ['/x: does not match ^b'])
  assert.equal(schemaFaults(schema, { x: 'b', y: 1 }), ['/y: is not allowed'])
})

test('what each state has to have is there', () => {
  const seen = new Set<string>()
  for (let index = 0; index < 3000; index++) {
    const { cveMetadata: meta, containers } = recordAt(index, 0)
    seen.add(meta.state)
    assert.match(meta.assignerOrgId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    if (meta.state === 'REJECTED') assert.ok(meta.dateRejected && containers.cna.rejectedReasons)
    if (meta.state === 'RESERVED') assert.not.ok(meta.datePublished)
    if (meta.state === 'PUBLISHED') {
      assert.ok(
        meta.datePublished && containers.cna.descriptions && containers.cna.affected && containers.cna.references,
      )
    }
  }
  assert.equal([...seen].sort(), ['PUBLISHED', 'REJECTED', 'RESERVED'])
})

test('dates ascend, and none is after the night', () => {
  for (let index = 0; index < world.records; index++) {
    for (const [night, cut] of [
      [0, '2026-05-31T22:13:00.000Z'],
      [1, '2026-06-01T22:13:00.000Z'],
    ] as const) {
      if (world.facts(index).born > night) continue
      const { cveMetadata: meta, containers } = recordAt(index, night)
      const dates = [meta.dateReserved, meta.datePublished ?? meta.dateReserved, meta.dateUpdated, cut]
      assert.equal(dates, dates.toSorted(), meta.cveId)
      for (const { providerMetadata } of containers.adp ?? []) {
        assert.ok(providerMetadata.dateUpdated <= meta.dateUpdated, meta.cveId)
      }
    }
  }
})

test('addresses use reserved names only (RFC 2606)', () => {
  for (let index = 0; index < 500; index++) {
    for (const [, host] of JSON.stringify(recordAt(index, 1)).matchAll(/https?:\/\/([^/"]+)/g)) {
      assert.match(host!, /(^|\.)(example|example\.(com|org|net|gov))$/)
    }
  }
})

test('a record does not depend on those before it', () => {
  const alone = createWorld(3, 3000, 2)
  assert.equal(cveRecord(alone, alone.facts(2500), 1), recordAt(2500, 1))
})

test('60,000 vendors have as many names', () => {
  assert.is(new Set(Array.from({ length: 60_000 }, (_, rank) => vendorRoot(1, rank))).size, 60_000)
})

compared.run()
test.run()
