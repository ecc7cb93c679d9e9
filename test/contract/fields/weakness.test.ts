/** gateway/API.md, sections 18 and 19: rows and entries of the whole catalog, against its XML and the mappings of the feeds. */
import * as assert from 'uvu/assert'
import type { CweEntry } from '../../../corpus/model/catalog.ts'
import { contractSuite } from '../support/contract.ts'
import { advisoriesOf, cisaOf, containerWeaknesses, nvdWeaknesses } from '../support/expected.ts'
import {
  alternateTerm,
  attribute,
  consequence,
  expectField,
  expectNullable,
  expectSeen,
  type Is,
  integer,
  lastChange,
  listOf,
  matching,
  nullable,
  object,
  string,
  taxonomyMapping,
  text,
  textOf,
  textOrNull,
  texts,
  textsOf,
  timestamp,
} from '../support/field-types.ts'
import { aboutEach, allDetails, byKey } from '../support/rows.ts'
import { itemsOf, sampleFeeds, type XmlElement } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('full entries of weaknesses')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
type Row = Pick<CweEntry, 'cwe_id' | 'slug' | 'numeric_id' | 'name' | 'abstraction' | 'status' | 'likelihood'> & {
  cve_count: number
  kev_count: number
}
const rows = await service.all<Row>('/cwes?sort=id')
const entries = await aboutEach(rows, ({ slug }) => service.json<CweEntry>(`/cwes/${slug}`))
const upstream = byKey(feeds.weaknesses(), (element) => attribute(element, 'ID')!)

states('19.6', 'identity, texts, version and date', () => {
  assert.equal(
    entries.map((entry) => [entry.cwe_id, entry.slug, entry.numeric_id]),
    rows.map((row) => [row.cwe_id, row.slug, row.numeric_id]),
  )
  for (const name of ['name', 'abstraction', 'structure', 'status', 'description']) expectField(entries, name, text)
  expectNullable(entries, 'likelihood', string)
  for (const name of ['extended_description', 'background']) {
    expectField(entries, name, texts)
    assert.ok(entries.some((entry) => entry[name as 'background'].length > 0))
  }
  expectField(entries, 'catalog_version', matching(/^\d+\.\d+$/))
  expectField(entries, 'updated_at', timestamp)
  for (const entry of entries) {
    const element = upstream.get(String(entry.numeric_id))!
    assert.is(entry.structure, attribute(element, 'Structure'), entry.cwe_id)
    assert.is(entry.description, textOf(element, 'Description'), entry.cwe_id)
    assert.is(entry.updated_at.slice(0, 10), lastChange(element), entry.cwe_id)
  }
})

/** The items of a list of the entries, all of this shape; and for each entry as many as its XML has. */
function expectList<K extends keyof CweEntry>(
  name: K,
  shape: Is,
  list: string,
  item: string,
): (CweEntry[K] & object)[keyof (CweEntry[K] & object) & number][] {
  const all = entries.flatMap((entry) => {
    const items = entry[name] as unknown[]
    const stated = itemsOf(upstream.get(String(entry.numeric_id))!, list, item)
    assert.is(items.length, stated.length, `${name} of ${entry.cwe_id}`)
    for (const one of items) assert.ok(shape(one), `${name} of ${entry.cwe_id}: ${JSON.stringify(one)}`)
    return items
  })
  assert.ok(all.length > 20, `there are ${all.length} of ${name}`)
  return all as (CweEntry[K] & object)[keyof (CweEntry[K] & object) & number][]
}

/** The elements of a list of all weaknesses, in the order of the entries. */
const statedOf = (list: string, item: string): XmlElement[] =>
  entries.flatMap(({ numeric_id: number }) => itemsOf(upstream.get(String(number))!, list, item))

states('19.7', 'other names', () => {
  const terms = expectList('alternate_terms', alternateTerm, 'Alternate_Terms', 'Alternate_Term')
  assert.equal(
    terms.map(({ term }) => term),
    statedOf('Alternate_Terms', 'Alternate_Term').map((one) => textOf(one, 'Term')),
  )
})

states('19.8', 'scopes, impacts and note', () => {
  const all = expectList('consequences', consequence, 'Common_Consequences', 'Consequence')
  assert.equal(
    all.map(({ scopes, impacts, note }) => [scopes, impacts, note]),
    statedOf('Common_Consequences', 'Consequence').map((one) => [
      textsOf(one, 'Scope'),
      textsOf(one, 'Impact'),
      textOf(one, 'Note'),
    ]),
  )
})

const prose = { paragraphs: texts, bullets: texts, effectiveness: textOrNull, effectiveness_notes: textOrNull }

states('19.9', 'phases, text and effectiveness', () => {
  const shape = object({ phases: texts, strategy: textOrNull, ...prose })
  const all = expectList('mitigations', shape, 'Potential_Mitigations', 'Mitigation')
  assert.equal(
    all.map(({ phases, strategy, effectiveness }) => [phases, strategy, effectiveness]),
    statedOf('Potential_Mitigations', 'Mitigation').map((one) => [
      textsOf(one, 'Phase'),
      textOf(one, 'Strategy'),
      textOf(one, 'Effectiveness'),
    ]),
  )
  for (const name of ['strategy', 'effectiveness', 'effectiveness_notes']) expectNullable(all, name, text)
  assert.ok(all.every(({ paragraphs, bullets }) => paragraphs.length + bullets.length > 0))
  assert.ok(all.some(({ bullets }) => bullets.length > 1))
})

states('19.10', 'method, text and effectiveness', () => {
  const all = expectList(
    'detection_methods',
    object({ method: text, ...prose }),
    'Detection_Methods',
    'Detection_Method',
  )
  assert.equal(
    all.map(({ method, effectiveness }) => [method, effectiveness]),
    statedOf('Detection_Methods', 'Detection_Method').map((one) => [
      textOf(one, 'Method'),
      textOf(one, 'Effectiveness'),
    ]),
  )
})

const snippet = object({ code: text, language: textOrNull, nature: textOrNull })
const example = object({ intro: texts, body: texts, snippets: listOf(snippet) })
const examples = () => expectList('demonstrative_examples', example, 'Demonstrative_Examples', 'Demonstrative_Example')

states('19.11', 'text and code of examples', () => {
  const stated = statedOf('Demonstrative_Examples', 'Demonstrative_Example')
  for (const [i, { intro, body, snippets }] of examples().entries()) {
    const codes = itemsOf({ Example: [stated[i]!] }, 'Example', 'Example_Code')
    assert.equal(
      snippets.map(({ language, nature }) => [language, nature]),
      codes.map((one) => [attribute(one, 'Language'), attribute(one, 'Nature')]),
    )
    assert.ok(intro.length > 0 && body.length >= textsOf(stated[i]!, 'Body_Text').length)
  }
})

states('19.12', 'bad and good code', () => {
  expectSeen(
    examples().flatMap(({ snippets }) => snippets.map(({ nature }) => nature)),
    ['Bad', 'Good'],
  )
})

states('19.13', 'CVEs with a description', () => {
  const shape = object({ cve_id: text, description: textOrNull, link: nullable(matching(/^https?:/)) })
  const all = expectList('observed_examples', shape, 'Observed_Examples', 'Observed_Example')
  assert.equal(
    all.map(({ cve_id, link }) => [cve_id, link]),
    statedOf('Observed_Examples', 'Observed_Example').map((one) => [textOf(one, 'Reference'), textOf(one, 'Link')]),
  )
})

states('19.14', 'phase and note', () => {
  const shape = object({ phase: text, note: textOrNull })
  const all = expectList('modes_of_introduction', shape, 'Modes_Of_Introduction', 'Introduction')
  assert.equal(
    all.map(({ phase, note }) => [phase, note]),
    statedOf('Modes_Of_Introduction', 'Introduction').map((one) => [textOf(one, 'Phase'), textOf(one, 'Note')]),
  )
  expectNullable(all, 'note', text)
})

states('19.15', 'platforms by kind', () => {
  const shape = object({ label: text, items: listOf(object({ name: text, prevalence: textOrNull })) })
  expectField(entries, 'platforms', listOf(shape))
  const labels = { Language: /^Lang/, Operating_System: /^Operating/, Architecture: /^Arch/, Technology: /^Tech/ }
  for (const { numeric_id: number, platforms, cwe_id: id } of entries) {
    for (const [kind, label] of Object.entries(labels)) {
      const stated = itemsOf(upstream.get(String(number))!, 'Applicable_Platforms', kind)
      const given = platforms.filter((one) => label.test(one.label)).flatMap(({ items }) => items)
      assert.equal(
        given.map(({ name, prevalence }) => [name, prevalence]),
        stated.map((one) => [attribute(one, 'Name') ?? attribute(one, 'Class'), attribute(one, 'Prevalence')]),
        `${kind} of ${id}`,
      )
    }
  }
  assert.ok(entries.some(({ platforms }) => platforms.length > 3))
})

states('19.16', 'entries in other taxonomies', () => {
  const all = expectList('taxonomy_mappings', taxonomyMapping, 'Taxonomy_Mappings', 'Taxonomy_Mapping')
  assert.equal(
    all.map(({ taxonomy, entry_name, entry_id, fit }) => [taxonomy, entry_name, entry_id, fit]),
    statedOf('Taxonomy_Mappings', 'Taxonomy_Mapping').map((one) => [
      attribute(one, 'Taxonomy_Name'),
      textOf(one, 'Entry_Name'),
      textOf(one, 'Entry_ID'),
      textOf(one, 'Mapping_Fit'),
    ]),
  )
  for (const name of ['entry_id', 'fit']) expectNullable(all, name, text)
})

states('19.17', 'ids of attack patterns', () => {
  expectField(entries, 'attack_patterns', listOf(matching(/^CAPEC-[1-9]\d*$/)))
  for (const { numeric_id: number, attack_patterns: patterns, cwe_id: id } of entries) {
    const stated = itemsOf(upstream.get(String(number))!, 'Related_Attack_Patterns', 'Related_Attack_Pattern')
    const ids = stated.map((one) => Number(attribute(one, 'CAPEC_ID')))
    assert.equal(
      patterns,
      ids.sort((a, b) => a - b).map((one) => `CAPEC-${one}`),
      id,
    )
  }
})

states('19.18', 'attack patterns with their names', async () => {
  const shape = object({ capec_id: matching(/^CAPEC-\d+$/), slug: matching(/^capec-\d+$/), name: text })
  expectField(entries, 'attack_patterns_detailed', listOf(shape))
  const patterns = await service.all<{ capec_id_string: string; name: string }>('/capecs')
  const names = new Map(patterns.map(({ capec_id_string: id, name }) => [id, name]))
  for (const { attack_patterns: ids, attack_patterns_detailed: detailed, cwe_id } of entries) {
    assert.equal(
      detailed,
      ids.map((id) => ({ capec_id: id, slug: id.toLowerCase(), name: names.get(id) })),
      cwe_id,
    )
  }
  assert.ok(entries.some(({ attack_patterns_detailed: detailed }) => detailed.length > 2))
})

states('19.19', 'related weaknesses', () => {
  const shape = object({ cwe_id: matching(/^CWE-\d+$/), slug: matching(/^cwe-\d+$/), name: text, nature: text })
  expectField(entries, 'relationships', listOf(shape))
  const names = new Map(rows.map(({ cwe_id: id, name }) => [id, name]))
  for (const { relationships } of entries) {
    for (const { cwe_id: id, slug, name } of relationships)
      assert.equal([slug, name], [id.toLowerCase(), names.get(id)])
  }
})

states('19.20', 'parents and peers', () => {
  const natures = { ChildOf: 'Parent', PeerOf: 'Peer' }
  let [parents, peers] = [0, 0]
  for (const { numeric_id: number, relationships, cwe_id: id } of entries) {
    const stated = itemsOf(upstream.get(String(number))!, 'Related_Weaknesses', 'Related_Weakness')
    const inView = stated.filter((one) => attribute(one, 'View_ID') === '1000')
    for (const [upstreamNature, nature] of Object.entries(natures)) {
      const others = inView.filter((one) => attribute(one, 'Nature') === upstreamNature)
      const given = relationships.filter((one) => one.nature === nature).map(({ cwe_id }) => cwe_id)
      if (nature === 'Parent') parents += given.length
      else peers += given.length
      const ids = others.map((one) => `CWE-${attribute(one, 'CWE_ID')}`)
      for (const other of ids) assert.ok(given.includes(other), `${nature} ${other} of ${id}`)
      if (nature === 'Parent') assert.is(given.length, ids.length, id)
    }
  }
  assert.ok(parents > 100 && peers > 0, `${parents} and ${peers}`)
})

/** Each field of a row that the XML states: its type, its value, and the values that it has. */
const ROW: [keyof Row, Is, (element: XmlElement) => unknown, (string | null)[]?][] = [
  ['cwe_id', matching(/^CWE-[1-9]\d*$/), (element) => `CWE-${attribute(element, 'ID')}`],
  ['slug', string, (element) => `cwe-${attribute(element, 'ID')}`],
  ['numeric_id', integer, (element) => Number(attribute(element, 'ID'))],
  ['name', text, (element) => attribute(element, 'Name')],
  [
    'abstraction',
    text,
    (element) => attribute(element, 'Abstraction'),
    ['Pillar', 'Class', 'Base', 'Variant', 'Compound'],
  ],
  ['status', text, (element) => attribute(element, 'Status'), ['Stable', 'Draft', 'Incomplete', 'Deprecated']],
  ['likelihood', textOrNull, (element) => textOf(element, 'Likelihood_Of_Exploit'), ['High', 'Medium', 'Low', null]],
]

states('18.8, 18.9, 18.10, 18.11, 18.12, 18.13, 18.14', 'the fields of a row, as the catalog states them', () => {
  assert.equal(rows.map(({ numeric_id: number }) => String(number)).sort(), [...upstream.keys()].sort())
  for (const [name, is, expected, values] of ROW) {
    expectField(rows, name, is)
    for (const row of rows) assert.equal(row[name], expected(upstream.get(String(row.numeric_id))!), row.cwe_id)
    if (values)
      expectSeen(
        rows.map((row) => row[name]),
        values,
      )
  }
})

/** CVEs by the weaknesses that any source maps them to, as the feeds state it. */
const mapped = new Map<string, Set<string>>()
for (const { cve_id: id } of await allDetails(service)) {
  const record = feeds.records.find(({ cveMetadata }) => cveMetadata.cveId === id)!
  const advised = advisoriesOf(id, feeds).flatMap(({ database_specific: specific }) => specific?.cwe_ids ?? [])
  const all = [
    ...containerWeaknesses(record.containers.cna),
    ...containerWeaknesses(cisaOf(record)),
    ...nvdWeaknesses(feeds.nvd.get(id)),
    ...advised.map((cwe) => cwe.toLowerCase()),
  ]
  for (const slug of all) mapped.set(slug, (mapped.get(slug) ?? new Set()).add(id))
}

states('18.15', 'CVEs of any mapping', () => {
  expectField(rows, 'cve_count', integer)
  for (const { slug, cve_count: count } of rows) assert.is(count, mapped.get(slug)?.size ?? 0, slug)
  assert.ok(rows.some(({ cve_count: count }) => count > 5) && rows.some(({ cve_count: count }) => count === 0))
})

states('18.16', 'KEV-listed CVEs of any mapping', () => {
  expectField(rows, 'kev_count', integer)
  for (const { slug, kev_count: count } of rows) {
    assert.is(count, [...(mapped.get(slug) ?? [])].filter((id) => feeds.kev.has(id)).length, slug)
  }
  assert.ok(rows.some(({ kev_count: count }) => count > 0))
})

after(() => service.remove())
run()
