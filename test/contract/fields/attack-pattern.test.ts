/** gateway/API.md, sections 21 and 22: the fields of the whole catalog, against its XML. */
import * as assert from 'uvu/assert'
import type { CapecEntry } from '../../../corpus/model/catalog.ts'
import { contractSuite } from '../support/contract.ts'
import {
  alternateTerm,
  attribute,
  consequence,
  executionStep,
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
  relatedPattern,
  relatedWeakness,
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

type InBoth = 'abstraction' | 'status' | 'description' | 'prerequisites' | 'mitigations' | 'consequences'
type Linked = 'execution_flow' | 'related_weaknesses' | 'related_attack_patterns'
type Row = Pick<CapecEntry, InBoth | Linked | 'name'> & {
  capec_id: number
  capec_id_string: string
  likelihood_of_attack: string | null
  typical_severity: string | null
  skills_required: string[]
  resources_required: string[]
}

const { states, after, run } = contractSuite('attack patterns')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const rows = await service.all<Row>('/capecs')
const entries = await aboutEach(rows, ({ capec_id: id }) => service.json<CapecEntry>(`/capecs/${id}`))
const upstream = byKey(feeds.patterns(), (element) => attribute(element, 'ID')!)

const names = new Map(
  (await service.all<{ cwe_id: string; name: string }>('/cwes')).map(({ cwe_id: id, name }) => [id, name]),
)
/** Each field of a row: its type, and what the XML of the pattern makes it. */
const ROW: Partial<Record<keyof Row, [Is, (element: XmlElement) => unknown]>> = {
  capec_id: [integer, (element) => Number(attribute(element, 'ID'))],
  capec_id_string: [string, (element) => `CAPEC-${attribute(element, 'ID')}`],
  name: [text, (element) => attribute(element, 'Name')],
  description: [text, (element) => textOf(element, 'Description')],
  abstraction: [string, (element) => attribute(element, 'Abstraction')],
  status: [string, (element) => attribute(element, 'Status')],
  likelihood_of_attack: [textOrNull, (element) => textOf(element, 'Likelihood_Of_Attack')],
  typical_severity: [textOrNull, (element) => textOf(element, 'Typical_Severity')],
  // Null where the catalog gives no note.
  consequences: [
    listOf(consequence),
    (element) =>
      itemsOf(element, 'Consequences', 'Consequence').map((one) => ({
        scopes: textsOf(one, 'Scope'),
        impacts: textsOf(one, 'Impact'),
        note: textOf(one, 'Note'),
      })),
  ],
  related_weaknesses: [
    listOf(relatedWeakness),
    (element) =>
      itemsOf(element, 'Related_Weaknesses', 'Related_Weakness').map((one) => {
        const display = `CWE-${attribute(one, 'CWE_ID')}`
        return { id: display.toLowerCase(), display, name: names.get(display) ?? null }
      }),
  ],
}

states('21.7, 21.8, 21.9, 21.10, 21.11, 21.12, 21.14, 21.16', 'the fields of a row, as the catalog states them', () => {
  assert.equal(rows.map(({ capec_id: id }) => String(id)).sort(), [...upstream.keys()].sort())
  for (const [name, [is, expected]] of Object.entries(ROW)) {
    expectField(rows, name, is)
    for (const row of rows) {
      const element = upstream.get(String(row.capec_id))!
      assert.equal(row[name as keyof Row], expected(element), `${name} of ${row.capec_id_string}`)
    }
  }
  const seen = (name: 'abstraction' | 'status' | 'likelihood_of_attack' | 'typical_severity', ...values: unknown[]) =>
    expectSeen(
      rows.map((row) => row[name]),
      values,
    )
  seen('abstraction', 'Meta', 'Standard', 'Detailed')
  seen('status', 'Draft', 'Stable')
  for (const name of ['likelihood_of_attack', 'typical_severity'] as const) seen(name, 'High', null)
  assert.ok(rows.some(({ consequences }) => consequences.some(({ note }) => note !== null)))
  assert.ok(rows.some(({ related_weaknesses: related }) => related.length > 1))
})

/** Lists of texts: the field of the row, that of the full entry, and the list and item of the XML. */
const TEXT_LISTS = [
  ['prerequisites', 'prerequisites', 'Prerequisites', 'Prerequisite'],
  ['skills_required', 'skills', 'Skills_Required', 'Skill'],
  ['resources_required', 'resources', 'Resources_Required', 'Resource'],
  ['mitigations', 'mitigations', 'Mitigations', 'Mitigation'],
] as const

states('21.13', 'lists of texts', () => {
  for (const [name, , list, item] of TEXT_LISTS) {
    expectField(rows, name, texts)
    assert.ok(rows.some((row) => row[name].length > 0) && rows.some((row) => row[name].length === 0), name)
    for (const row of rows) {
      const stated = itemsOf(upstream.get(String(row.capec_id))!, list, item)
      assert.is(row[name].length, stated.length, `${name} of CAPEC-${row.capec_id}`)
      if (name === 'prerequisites' || name === 'resources_required') assert.equal(row[name], stated.map(String))
    }
  }
})

states('21.15', 'the steps in order', () => {
  expectField(rows, 'execution_flow', listOf(executionStep))
  for (const { capec_id: id, execution_flow: flow } of rows) {
    const stated = itemsOf(upstream.get(String(id))!, 'Execution_Flow', 'Attack_Step')
    assert.equal(
      flow.map(({ step, phase, techniques }) => [step, phase, techniques.length]),
      stated.map((one) => [Number(textOf(one, 'Step')), textOf(one, 'Phase'), textsOf(one, 'Technique').length]),
      `CAPEC-${id}`,
    )
    assert.equal(
      flow.map(({ step }) => step),
      flow.map((_, i) => i + 1),
    )
  }
  assert.ok(rows.some(({ execution_flow: flow }) => flow.length > 1))
  assert.ok(rows.some(({ execution_flow: flow }) => flow.length === 0))
})

states('21.17', 'parents and children', () => {
  expectField(rows, 'related_attack_patterns', listOf(relatedPattern))
  for (const { capec_id: id, related_attack_patterns: related } of rows) {
    const stated = itemsOf(upstream.get(String(id))!, 'Related_Attack_Patterns', 'Related_Attack_Pattern')
    const parents = stated.filter((one) => attribute(one, 'Nature') === 'ChildOf')
    assert.equal(
      related.flatMap(({ nature, capec_id }) => (nature === 'Parent' ? capec_id : [])).sort(),
      parents.map((one) => `CAPEC-${attribute(one, 'CAPEC_ID')}`).sort(),
      `CAPEC-${id}`,
    )
    // What is a parent of one has that one as its child.
    for (const { nature, capec_id: other } of related) {
      if (nature !== 'Parent') continue
      const back = rows.find(({ capec_id_string: name }) => name === other)!.related_attack_patterns
      assert.ok(
        back.some((one) => one.nature === 'Child' && one.capec_id === `CAPEC-${id}`),
        `${other} of CAPEC-${id}`,
      )
    }
  }
})

/** Every field of a full entry, and no other. */
const FULL: Record<keyof CapecEntry, Is> = {
  id: matching(/^capec-[1-9]\d*$/),
  display: matching(/^CAPEC-[1-9]\d*$/),
  numeric_id: integer,
  name: nullable(text),
  abstraction: nullable(text),
  status: nullable(text),
  severity: nullable(text),
  likelihood: nullable(text),
  description: string,
  extended_description: texts,
  execution_flow: listOf(executionStep),
  prerequisites: texts,
  skills: texts,
  resources: texts,
  indicators: texts,
  mitigations: texts,
  examples: texts,
  alternate_terms: listOf(alternateTerm),
  consequences: listOf(consequence),
  taxonomy_mappings: listOf(taxonomyMapping),
  related_weaknesses: listOf(relatedWeakness),
  related_attack_patterns: listOf(relatedPattern),
  catalog_version: matching(/^\d+\.\d+$/),
  updated_at: timestamp,
}

states('22.5', 'every field and no other', () => {
  for (const entry of entries) assert.ok(object(FULL)(entry), JSON.stringify(entry).slice(0, 300))
  for (const name of ['severity', 'likelihood']) expectNullable(entries, name, string)
  const lists = ['extended_description', 'indicators', 'examples', 'alternate_terms', 'taxonomy_mappings'] as const
  for (const name of lists) assert.ok(entries.filter((entry) => entry[name].length > 0).length > 5, name)
  for (const [i, entry] of entries.entries()) {
    const row = rows[i]!
    const element = upstream.get(String(row.capec_id))!
    assert.equal([entry.id, entry.display], [`capec-${row.capec_id}`, row.capec_id_string])
    assert.equal(
      [entry.numeric_id, entry.name, entry.abstraction, entry.status, entry.description],
      [row.capec_id, row.name, row.abstraction, row.status, row.description],
    )
    assert.equal([entry.likelihood, entry.severity], [row.likelihood_of_attack, row.typical_severity])
    for (const [inRow, inFull] of TEXT_LISTS) assert.equal(entry[inFull], row[inRow])
    for (const name of ['consequences', 'execution_flow', 'related_weaknesses', 'related_attack_patterns'] as const) {
      assert.equal(entry[name], row[name])
    }
    assert.equal(entry.indicators, itemsOf(element, 'Indicators', 'Indicator').map(String))
    assert.equal(
      entry.alternate_terms.map(({ term }) => term),
      itemsOf(element, 'Alternate_Terms', 'Alternate_Term').map((one) => textOf(one, 'Term')),
    )
    assert.equal(
      entry.taxonomy_mappings.map(({ taxonomy, entry_name: name }) => [taxonomy, name]),
      itemsOf(element, 'Taxonomy_Mappings', 'Taxonomy_Mapping').map((one) => [
        attribute(one, 'Taxonomy_Name'),
        textOf(one, 'Entry_Name'),
      ]),
    )
    assert.is(entry.updated_at.slice(0, 10), lastChange(element))
  }
})

after(() => service.remove())
run()
