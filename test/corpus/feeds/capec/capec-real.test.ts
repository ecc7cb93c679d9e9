/** The real CAPEC catalogs, one file per object (3.9) and one file (3.6): no data is lost. */
import { unzipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findCapec, readCapec } from '../../../../corpus/feeds/capec/capec.ts'
import { chooseFiles } from '../../../../corpus/feeds/files/choice.ts'
import type { CapecEntry } from '../../../../corpus/model/catalog.ts'
import { needs, REAL_FEEDS } from '../../../support/needs.ts'
import { bytesOf, entries, told, UNKNOWN, versions } from '../catalog/catalog-items.ts'
import { itemsOf } from '../reading.ts'

needs('real feeds')

type Pattern = Record<string, unknown> & { type: string; external_references: Record<string, string>[] }

/** Returns the number of members of a field of any kind. */
const size = (value: unknown) => (typeof value === 'object' && value !== null ? Object.keys(value).length : 0)
const count = (text: unknown, mark: string) => (typeof text === 'string' ? text.split(mark).length - 1 : 0)

const files = await findCapec(REAL_FEEDS)

test('the newest edition is read, before it was published the older one', () => {
  assert.equal(versions(files), [
    ['capec/capec-3.9-stix-2.1-objects.zip', '2023-01-24T00:00:00.000Z', '3.9'],
    ['capec/stix-capec-3.6.zip', '2021-10-21T00:00:00.000Z', '3.6'],
  ])
  const chosen = (asOf: string | null) => chooseFiles(files, asOf).map(({ version }) => version)
  assert.equal([chosen(null), chosen('2022-12-31')], [['3.9'], ['3.6']])
})

for (const [index, patterns] of [615, 601].entries()) {
  const file = files[index]!
  const items = await itemsOf(readCapec(file, UNKNOWN))
  const found = [...entries<CapecEntry>(items).values()]
  const objects = Object.values(unzipSync(bytesOf(file.path))).flatMap(
    (bytes) => (JSON.parse(Buffer.from(bytes).toString('utf8')) as { objects: Pattern[] }).objects,
  )
  const upstream = objects.filter(({ type }) => type === 'attack-pattern')

  test(`${file.version}: every attack pattern is there, none is skipped`, () => {
    assert.is(found.length, patterns)
    const ids = upstream.map(({ external_references: [first] }) => first!.external_id!)
    assert.equal(told(items).sort(), ids.sort())
    assert.ok(found.every(({ catalog_version }) => catalog_version === file.version))
  })

  test(`${file.version}: there are as many items as upstream has`, () => {
    const references = (pattern: Pattern, name: RegExp) =>
      pattern.external_references.filter(({ source_name }) => name.test(source_name!))
    const lists: Record<string, [(entry: CapecEntry) => readonly unknown[], (pattern: Pattern) => number]> = {
      steps: [(entry) => entry.execution_flow, (pattern) => count(pattern.x_capec_execution_flow, '<li> <p>')],
      techniques: [
        (entry) => entry.execution_flow.flatMap(({ techniques }) => techniques),
        (pattern) => count(pattern.x_capec_execution_flow, '<tr><td>'),
      ],
      prerequisites: [(entry) => entry.prerequisites, (pattern) => size(pattern.x_capec_prerequisites)],
      skills: [(entry) => entry.skills, (pattern) => size(pattern.x_capec_skills_required)],
      resources: [(entry) => entry.resources, (pattern) => size(pattern.x_capec_resources_required)],
      examples: [(entry) => entry.examples, (pattern) => size(pattern.x_capec_example_instances)],
      terms: [(entry) => entry.alternate_terms, (pattern) => size(pattern.x_capec_alternate_terms)],
      impacts: [
        (entry) => entry.consequences.flatMap(({ impacts }) => impacts),
        (pattern) => new Set(Object.values(pattern.x_capec_consequences ?? {}).flat()).size,
      ],
      patterns: [
        (entry) => entry.related_attack_patterns,
        (pattern) =>
          ['child_of', 'parent_of', 'peer_of', 'can_precede', 'can_follow']
            .map((relation) => size(pattern[`x_capec_${relation}_refs`]))
            .reduce((a, b) => a + b),
      ],
      weaknesses: [
        (entry) => entry.related_weaknesses,
        (pattern) => new Set(references(pattern, /^cwe$/).map(({ external_id }) => external_id)).size,
      ],
      taxonomies: [
        (entry) => entry.taxonomy_mappings,
        (pattern) => references(pattern, /^(ATTACK|WASC|OWASP Attacks)$/).length,
      ],
    }
    for (const [name, [of, given]] of Object.entries(lists)) {
      const expected = upstream.reduce((total, pattern) => total + given(pattern), 0)
      assert.is(found.flatMap(of).length, expected, name)
    }
    assert.is(
      found.flatMap((entry) => entry.mitigations).length,
      objects.filter(({ relationship_type }) => relationship_type === 'mitigates').length,
    )
  })

  test(`${file.version}: no markup is left in a text, every relation has its name`, () => {
    assert.not.match(JSON.stringify(found), /<\/?xhtml|<\/?(h3|td|tbody)>/)
    assert.ok(found.flatMap((entry) => entry.related_attack_patterns).every(({ name }) => name !== null))
    assert.ok(found.flatMap((entry) => entry.execution_flow).every(({ phase, description }) => phase && description))
  })
}

test.run()
