/** gateway/API.md, sections 21 and 22: the fields of the whole catalog, against its STIX objects. */
import * as assert from 'uvu/assert'
import type { CapecEntry } from '../../../corpus/model/catalog.ts'
import { contractSuite } from '../support/contract.ts'
import {
  alternateTerm,
  consequence,
  executionStep,
  expectField,
  expectNullable,
  expectSeen,
  type Is,
  integer,
  listOf,
  matching,
  nullable,
  object,
  relatedPattern,
  relatedWeakness,
  string,
  taxonomyMapping,
  text,
  textOrNull,
  texts,
  timestamp,
} from '../support/field-types.ts'
import { aboutEach, byKey } from '../support/rows.ts'
import { type StixJson, sampleFeeds } from '../support/sample-feeds.ts'
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
const stix = feeds.stix()
const numberOf = (pattern: StixJson) => pattern.external_references[0]!.external_id!.replace('CAPEC-', '')
const upstream = byKey(
  stix.filter(({ type }) => type === 'attack-pattern'),
  numberOf,
)
const list = (pattern: StixJson, field: string) => (pattern[`x_capec_${field}`] ?? []) as string[]

const names = new Map(
  (await service.all<{ cwe_id: string; name: string }>('/cwes')).map(({ cwe_id: id, name }) => [id, name]),
)
/** Each field of a row: its type, and what the pattern of STIX makes it. */
const ROW: Partial<Record<keyof Row, [Is, (pattern: StixJson) => unknown]>> = {
  capec_id: [integer, (pattern) => Number(numberOf(pattern))],
  capec_id_string: [string, (pattern) => `CAPEC-${numberOf(pattern)}`],
  name: [text, (pattern) => pattern.name],
  description: [text, (pattern) => pattern.description],
  abstraction: [string, (pattern) => pattern.x_capec_abstraction],
  status: [string, (pattern) => pattern.x_capec_status],
  likelihood_of_attack: [textOrNull, (pattern) => pattern.x_capec_likelihood_of_attack ?? null],
  typical_severity: [textOrNull, (pattern) => pattern.x_capec_typical_severity ?? null],
  // The sample gives all scopes of a pattern the same impacts.
  consequences: [
    listOf(consequence),
    (pattern) => {
      const stated = Object.entries((pattern.x_capec_consequences ?? {}) as Record<string, string[]>)
      const scopes = stated.map(([scope]) => scope.replaceAll('_', ' '))
      const impacts = (stated[0]?.[1] ?? []).map((one) => /^([^(]+?)(?: \((.+)\))?$/.exec(one)!)
      const note = impacts[0]?.[2] ?? null
      const separate = impacts.map(([, impact]) => ({ scopes, impacts: [impact!], note }))
      return note === null ? separate : [{ scopes, impacts: separate.flatMap(({ impacts: [one] }) => one!), note }]
    },
  ],
  related_weaknesses: [
    listOf(relatedWeakness),
    ({ external_references: references }) =>
      references
        .filter(({ source_name: source }) => source === 'cwe')
        .map(({ external_id: id = '' }) => ({ id: id.toLowerCase(), display: id, name: names.get(id) ?? null })),
  ],
}

states('21.7, 21.8, 21.9, 21.10, 21.11, 21.12, 21.14, 21.16', 'the fields of a row, as the catalog states them', () => {
  assert.equal(rows.map(({ capec_id: id }) => String(id)).sort(), [...upstream.keys()].sort())
  for (const [name, [is, expected]] of Object.entries(ROW)) {
    expectField(rows, name, is)
    for (const row of rows) {
      const pattern = upstream.get(String(row.capec_id))!
      assert.equal(row[name as keyof Row], expected(pattern), `${name} of ${row.capec_id_string}`)
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

/** Lists of texts: the field of the row, that of the full entry, and the texts of STIX. */
const TEXT_LISTS = [
  ['prerequisites', 'prerequisites', (pattern: StixJson) => list(pattern, 'prerequisites')],
  [
    'skills_required',
    'skills',
    (pattern: StixJson) =>
      Object.entries(pattern.x_capec_skills_required ?? {}).map(([level, what]) => `${level}: ${what}`),
  ],
  ['resources_required', 'resources', (pattern: StixJson) => list(pattern, 'resources_required')],
  [
    'mitigations',
    'mitigations',
    ({ id }: StixJson) =>
      stix
        .filter(({ target_ref }) => target_ref === id)
        .map(({ source_ref }) => stix.find((one) => one.id === source_ref)!.description),
  ],
] as const

states('21.13', 'lists of texts', () => {
  for (const [name, , statedBy] of TEXT_LISTS) {
    expectField(rows, name, texts)
    assert.ok(rows.some((row) => row[name].length > 0) && rows.some((row) => row[name].length === 0), name)
    for (const row of rows) {
      const stated = statedBy(upstream.get(String(row.capec_id))!)
      assert.equal(row[name], stated, `${name} of CAPEC-${row.capec_id}`)
    }
  }
})

states('21.15', 'the steps in order', () => {
  expectField(rows, 'execution_flow', listOf(executionStep))
  for (const { capec_id: id, execution_flow: flow } of rows) {
    const stated = String(upstream.get(String(id))!.x_capec_execution_flow ?? '')
      .split('<h3>')
      .slice(1)
    assert.equal(
      flow.map(({ phase, techniques }) => [phase, techniques.length]),
      stated.map((one) => [one.split('<', 1)[0], one.split('<td>').length - 1]),
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
    const parents = list(upstream.get(String(id))!, 'child_of_refs').map((ref) => stix.find((one) => one.id === ref)!)
    assert.equal(
      related.flatMap(({ nature, capec_id }) => (nature === 'Parent' ? capec_id : [])).sort(),
      parents.map((one) => `CAPEC-${numberOf(one)}`).sort(),
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
  const lists = ['extended_description', 'examples', 'alternate_terms', 'taxonomy_mappings'] as const
  for (const name of lists) assert.ok(entries.filter((entry) => entry[name].length > 0).length > 5, name)
  for (const [i, entry] of entries.entries()) {
    const row = rows[i]!
    const pattern = upstream.get(String(row.capec_id))!
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
    assert.equal(entry.indicators, [])
    assert.equal(
      entry.alternate_terms.map(({ term }) => term),
      list(pattern, 'alternate_terms'),
    )
    assert.equal(
      entry.taxonomy_mappings.map(({ taxonomy, entry_name: name }) => [taxonomy, name]),
      pattern.external_references
        .filter(({ source_name: source }) => !/^(capec|cwe|reference_from_CAPEC)$/.test(source))
        .map((one) => [one.source_name, one.description]),
    )
    assert.is(entry.updated_at, pattern.modified)
  }
})

after(() => service.remove())
run()
