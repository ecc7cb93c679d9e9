/** The names of both catalogs in each other's entries. The contract suite compares the rows of their lists. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CapecEntry, CweEntry } from '../../../corpus/model/catalog.ts'
import { capecListEntry, cweListEntry, joinCatalogs } from '../../../corpus/model/catalog-names.ts'

/** Entries with the fields that the names concern, and one more. */
const weakness = (id: number, patterns: number[] = []) =>
  ({
    cwe_id: `CWE-${id}`,
    slug: `cwe-${id}`,
    name: `Weakness ${id}`,
    description: 'A weakness.',
    attack_patterns_detailed: patterns.map((pattern) => {
      return { capec_id: `CAPEC-${pattern}`, slug: `capec-${pattern}`, name: null }
    }),
  }) as unknown as CweEntry

const pattern = (id: number, weaknesses: number[] = [], name: string | null = `Pattern ${id}`) =>
  ({
    id: `capec-${id}`,
    display: `CAPEC-${id}`,
    name,
    description: 'A pattern.',
    related_weaknesses: weaknesses.map((one) => ({ id: `cwe-${one}`, display: `CWE-${one}`, name: null })),
  }) as unknown as CapecEntry

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

test('rows of lists have their keys in the order of the API', () => {
  const row = cweListEntry(weakness(79), { kev_count: 2, cve_count: 30 })
  const cwe = 'cwe_id slug numeric_id name abstraction status likelihood cve_count kev_count'
  assert.is(Object.keys(row).join(' '), cwe)
  assert.equal([row.cve_count, row.kev_count], [30, 2])
  const capec =
    'capec_id capec_id_string name description abstraction status likelihood_of_attack typical_severity prerequisites ' +
    'skills_required resources_required mitigations consequences execution_flow related_weaknesses related_attack_patterns'
  assert.is(Object.keys(capecListEntry(pattern(63))).join(' '), capec)
})

test.run()
