/** Both catalogs: the use of their names, and the rows of their lists. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CapecEntry, CweEntry } from '../../../corpus/model/catalog.ts'
import { capecListEntry, cweListEntry, joinCatalogs } from '../../../corpus/model/catalog-names.ts'

const weakness = (id: number, patterns: number[] = []): CweEntry => ({
  cwe_id: `CWE-${id}`,
  slug: `cwe-${id}`,
  numeric_id: id,
  name: `Weakness ${id}`,
  abstraction: 'Base',
  structure: 'Simple',
  status: 'Stable',
  likelihood: id % 2 ? 'High' : null,
  description: 'A weakness.',
  extended_description: [],
  background: [],
  alternate_terms: [],
  consequences: [],
  mitigations: [],
  detection_methods: [],
  demonstrative_examples: [],
  observed_examples: [],
  modes_of_introduction: [],
  platforms: [],
  taxonomy_mappings: [],
  attack_patterns: patterns.map((pattern) => `CAPEC-${pattern}`),
  attack_patterns_detailed: patterns.map((pattern) => ({
    capec_id: `CAPEC-${pattern}`,
    slug: `capec-${pattern}`,
    name: null,
  })),
  relationships: [],
  catalog_version: '4.15',
  updated_at: '2024-07-16T00:00:00.000Z',
})

const pattern = (id: number, weaknesses: number[] = [], name: string | null = `Pattern ${id}`): CapecEntry => ({
  id: `capec-${id}`,
  display: `CAPEC-${id}`,
  numeric_id: id,
  name,
  abstraction: 'Meta',
  status: 'Draft',
  severity: 'Very Low',
  likelihood: 'Low',
  description: 'A pattern.',
  extended_description: ['More of it.'],
  execution_flow: [{ step: 1, phase: 'Explore', description: 'Look.', techniques: ['With a lamp.'] }],
  prerequisites: ['A lamp.'],
  skills: ['Low: To hold it.'],
  resources: ['Oil.'],
  indicators: ['Light.'],
  mitigations: ['Curtains.'],
  examples: [],
  alternate_terms: [],
  consequences: [{ scopes: ['Confidentiality'], impacts: ['Read Data'], note: null }],
  taxonomy_mappings: [],
  related_weaknesses: weaknesses.map((weakness) => ({
    id: `cwe-${weakness}`,
    display: `CWE-${weakness}`,
    name: null,
  })),
  related_attack_patterns: [{ capec_id: 'CAPEC-9', slug: 'capec-9', name: 'Nine', nature: 'Parent' }],
  catalog_version: '3.9',
  updated_at: '2023-01-24T00:00:00.000Z',
})

test('each catalog gets the names of the other; an id that the other lacks keeps null', () => {
  const { cwes, capecs } = joinCatalogs({
    cwes: [weakness(79, [63, 500]), weakness(80)],
    capecs: [pattern(63, [79, 9]), pattern(64, [], null)],
  })
  assert.equal(cwes[0]?.attack_patterns_detailed, [
    { capec_id: 'CAPEC-63', slug: 'capec-63', name: 'Pattern 63' },
    { capec_id: 'CAPEC-500', slug: 'capec-500', name: null },
  ])
  assert.equal(capecs[0]?.related_weaknesses, [
    { id: 'cwe-79', display: 'CWE-79', name: 'Weakness 79' },
    { id: 'cwe-9', display: 'CWE-9', name: null },
  ])
})

test('neither is completed from the other, nor changed otherwise', () => {
  const [stated, silent] = [weakness(79, [63]), weakness(80)]
  const { cwes, capecs } = joinCatalogs({ cwes: [stated, silent], capecs: [pattern(63, [80])] })
  assert.equal(cwes[1], silent)
  assert.equal(
    capecs[0]?.related_weaknesses.map(({ display }) => display),
    ['CWE-80'],
  )
  assert.equal({ ...cwes[0], attack_patterns_detailed: stated.attack_patterns_detailed }, stated)
  assert.is(stated.attack_patterns_detailed[0]?.name, null)
  assert.equal(Object.keys(cwes[0]!), Object.keys(stated))
})

test('without the other feed all names stay open', () => {
  assert.is(joinCatalogs({ cwes: [weakness(79, [63])], capecs: [] }).cwes[0]?.attack_patterns_detailed[0]?.name, null)
  assert.is(joinCatalogs({ cwes: [], capecs: [pattern(63, [79])] }).capecs[0]?.related_weaknesses[0]?.name, null)
})

test('a row of /cwes, keys in the order of the API', () => {
  assert.is(
    JSON.stringify(cweListEntry(weakness(79), { kev_count: 2, cve_count: 30 })),
    '{"cwe_id":"CWE-79","slug":"cwe-79","numeric_id":79,"name":"Weakness 79","abstraction":"Base","status":"Stable",' +
      '"likelihood":"High","cve_count":30,"kev_count":2}',
  )
})

test('a row of /capecs, keys in the order of the API', () => {
  const entry = pattern(63, [79])
  assert.is(
    JSON.stringify(capecListEntry(entry)),
    JSON.stringify({
      capec_id: 63,
      capec_id_string: 'CAPEC-63',
      name: 'Pattern 63',
      description: 'A pattern.',
      abstraction: 'Meta',
      status: 'Draft',
      likelihood_of_attack: 'Low',
      typical_severity: 'Very Low',
      prerequisites: ['A lamp.'],
      skills_required: ['Low: To hold it.'],
      resources_required: ['Oil.'],
      mitigations: ['Curtains.'],
      consequences: entry.consequences,
      execution_flow: entry.execution_flow,
      related_weaknesses: entry.related_weaknesses,
      related_attack_patterns: entry.related_attack_patterns,
    }),
  )
})

test.run()
