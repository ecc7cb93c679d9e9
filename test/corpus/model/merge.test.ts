import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { mergeCve, NO_OTHER_CLAIMS } from '../../../corpus/model/merge.ts'
import { PART_NAMES } from '../../../corpus/model/record.ts'
import { affected, claim, merged, record } from './fixture.ts'

const CORE_KEYS = [
  'cve_id',
  'state',
  'title',
  'description',
  'severity',
  'cvss_score',
  'cvss_score_source',
  'date_published',
  'date_updated',
  'assigner',
  'kev',
  'ssvc',
  'has_patch',
  'has_workaround',
  'has_exploit',
  'has_detection',
  'detection_layers',
  'primary_cwe_id',
]

test('parts and fields have the order of their interfaces, so that the text is canonical', () => {
  const parts = merged([claim({ source: 'cna' })])
  assert.equal(
    Object.keys(parts),
    PART_NAMES.filter((name) => name !== 'timeline'),
  )
  assert.equal(Object.keys(parts.core), CORE_KEYS)
  assert.equal(Object.keys(parts.core.ssvc), ['exploitation', 'automatable', 'technical_impact', 'decision'])
})

test('the order in which claims of other feeds come makes no difference', () => {
  const of = (source: 'nvd' | 'advisory', name: string) =>
    claim({
      source,
      sourceName: name,
      affected: [affected({ source, product: name })],
      references: [{ url: `https://${name}.example`, name: null, tags: [] }],
    })
  const others = [of('advisory', 'GHSA-b'), of('nvd', 'nvd'), of('advisory', 'GHSA-a')]
  const cna = claim({ source: 'cna', description: 'Text.' })
  assert.is(JSON.stringify(merged([cna, ...others])), JSON.stringify(merged([...others.reverse(), cna])))
})

test('rule 24: affected entries are listed by claim, CNA, ADP, then the others, and never merged', () => {
  const entry = (source: 'cna' | 'adp' | 'nvd' | 'osv') =>
    claim({ source, affected: [affected({ source, vendor: 'Acme', product: 'Widget' })] })
  const sources = merged([entry('osv'), entry('nvd'), entry('adp'), entry('cna')]).affected.map((one) => one.source)
  assert.equal(sources, ['cna', 'adp', 'nvd', 'osv'])
})

test('rule 29: date_updated is the record’s own date, whatever other feeds say', () => {
  const { core } = merged([claim({ source: 'nvd', updatedAt: '2030-01-01T00:00:00.000Z' })])
  assert.is(core.date_updated, '2024-05-06T07:08:09.000Z')
})

test('rule 10: a reserved record without claims is served, a rejected one is not merged', () => {
  const input = { kev: null, kevFeed: true, ...NO_OTHER_CLAIMS, catalog: null, mission: 'medium' } as const
  const reserved = mergeCve({
    ...input,
    record: record([], { state: 'RESERVED', datePublished: null }),
  })
  assert.is(reserved.core.state, 'RESERVED')
  assert.is(reserved.core.title, null)
  assert.throws(() => mergeCve({ ...input, record: record([], { state: 'REJECTED' }) }), /CVE-2024-1234 is rejected/)
})

test.run()
