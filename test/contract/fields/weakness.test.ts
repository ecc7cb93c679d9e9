/** gateway/API.md, section 19: the fields of the whole catalog, against its XML. */
import * as assert from 'uvu/assert'
import type { CweEntry } from '../../../corpus/model/catalog.ts'
import { contractSuite } from '../support/contract.ts'
import {
  alternateTerm,
  attribute,
  consequence,
  expectField,
  expectNullable,
  expectSeen,
  type Is,
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
import { aboutEach, byKey } from '../support/rows.ts'
import { itemsOf, sampleFeeds, type XmlElement } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('full entries of weaknesses')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const rows = await service.all<Pick<CweEntry, 'cwe_id' | 'slug' | 'numeric_id' | 'name'>>('/cwes?sort=id')
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

after(() => service.remove())
run()
