/** Writes the CAPEC catalog as one STIX 2.1 bundle, `stix-capec.json`: one edition for all nights. */
import { timeOf } from '../calendar.ts'
import { COMPLETE_PATTERN, type Pattern } from '../catalogs.ts'
import { finalOutput, type SampleFeed, writeFile } from '../outputs.ts'
import { Random } from '../random.ts'
import { filled, several, weaknessPhrase, word } from '../text.ts'
import type { World } from '../world.ts'
import { FIRST_ENTRY, historyOf, RELEASED_AT } from './cwe.ts'

const REF_FIELDS: Record<string, string> = {
  ChildOf: 'x_capec_child_of_refs',
  PeerOf: 'x_capec_peer_of_refs',
  CanPrecede: 'x_capec_can_precede_refs',
}

/** Members of a pattern, the share of the patterns that have them, and their JSON as a template. */
const MEMBERS: readonly [name: string, share: number, template: string][] = [
  ['extended_description', 0.25, '"<xhtml:p>{outcome}</xhtml:p><xhtml:p>{outcome}</xhtml:p>"'],
  ['alternate_terms', 0.15, '["{act} Twice"]'],
  ['likelihood_of_attack', 0.6, '"{level}"'],
  ['typical_severity', 0.85, '"{severity}"'],
  ['execution_flow', 0.5, '"<h2> Execution Flow </h2>{flow}"'],
  ['prerequisites', 0.8, '["{outcome}","{outcome}"]'],
  ['skills_required', 0.6, '{"{level}":"{outcome}"}'],
  ['resources_required', 0.5, '["A value for {parameter}"]'],
  ['consequences', 0.7, '{"Confidentiality":["{consequence}"],"{other}":["{consequence}"]}'],
  ['example_instances', 0.5, '["{outcome} {outcome}"]'],
]

export const capec: SampleFeed = (world, folder) => [
  finalOutput(async () => [
    await writeFile(folder, 'capec/stix-capec.json', bundleOf(world), world.catalogs.patterns.length),
  ]),
]

function bundleOf(world: World): string {
  const id = (type: string, ...names: (string | number)[]) =>
    `${type}--${new Random(world.seed, type, ...names).uuid()}`
  const { patterns } = world.catalogs
  const [marking, identity] = [id('marking-definition'), id('identity')]
  const dates = { created: timeOf(FIRST_ENTRY), modified: timeOf(RELEASED_AT) }
  const common = { spec_version: '2.1', created_by_ref: identity, object_marking_refs: [marking], ...dates }
  const statement = { definition_type: 'statement', definition: { statement: 'A synthetic catalog' } }
  const owner = { name: 'Sample Works', identity_class: 'organization' }
  const objects: object[] = [
    { type: 'marking-definition', id: marking, spec_version: '2.1', created: dates.created, ...statement },
    { type: 'identity', id: identity, spec_version: '2.1', ...dates, ...owner },
  ]
  for (const pattern of patterns) {
    const random = new Random(world.seed, 'capec', pattern.number)
    const target_ref = id('attack-pattern', pattern.number)
    const changed = { ...common, modified: `${historyOf(random).at(-1)}T00:00:00.000Z` }
    const relations = pattern.relations.map(({ nature, to }) => ({ [REF_FIELDS[nature]!]: [id('attack-pattern', to)] }))
    const own = { type: 'attack-pattern', id: target_ref, ...changed, ...membersOf(pattern, random) }
    objects.push(Object.assign(own, ...relations))
    const mitigations = pattern.retired ? [] : several('workaround', random.between(1, 3), random)
    for (const [i, description] of mitigations.entries()) {
      const source_ref = id('course-of-action', pattern.number, i)
      const action = { name: `coa-${pattern.number}-${i}`, description }
      const link = { relationship_type: 'mitigates', source_ref, target_ref }
      objects.push({ type: 'course-of-action', id: source_ref, ...common, ...action })
      objects.push({ type: 'relationship', id: id('relationship', pattern.number, i), ...common, ...link })
    }
  }
  return JSON.stringify({ type: 'bundle', id: id('bundle'), objects }, null, 4)
}

/** Returns the members of a pattern. Retired patterns have only a description. */
function membersOf({ number, abstraction, retired, weaknesses }: Pattern, random: Random): object {
  const about = weaknesses[0] === undefined ? null : weaknessPhrase(weaknesses[0])
  const target = word('component', random).replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
  const name = `${word('act', random)} the ${target} (${about?.name ?? 'Reconnaissance'})`
  const reference = (source_name: string, external_id: string) => {
    return { source_name, external_id, description: name, url: `https://catalogue.example.org/${external_id}` }
  }
  const has = (share: number) => random.chance(share) || number === COMPLETE_PATTERN
  const stated = {
    name: retired === 'Deprecated' ? `DEPRECATED: ${name}` : name,
    description: filled(`{Attacker} tries to ${about?.effect ?? 'learn how the target is built'} {cause}.`, random),
    external_references: [
      reference('capec', `CAPEC-${number}`),
      ...weaknesses.map((weakness) => reference('cwe', `CWE-${weakness}`)),
      ...(has(0.4) ? [reference('ATTACK', `T${random.between(1000, 1600)}`)] : []),
    ],
    x_capec_abstraction: abstraction,
    x_capec_status: retired ?? random.pick(['Draft', 'Draft', 'Draft', 'Stable', 'Stable', 'Usable']),
    x_capec_version: '3.10',
  }
  if (retired) return { ...stated, description: 'This pattern is no longer in use.' }
  const severity = random.pick(['Very High', 'High', 'High', 'Medium', 'Low', 'Very Low'])
  const consequence = filled(random.pick(['{impact}', '{impact} ({outcome})']), random)
  const other = random.pick(['Integrity', 'Availability', 'Access_Control'])
  const values = { severity, flow: executionFlow(random), consequence, other }
  const further = MEMBERS.flatMap(([name, share, template]) =>
    has(share) ? [[`x_capec_${name}`, JSON.parse(filled(template, random, values))]] : [],
  )
  return { ...stated, ...Object.fromEntries(further) }
}

/** Returns steps in upstream's HTML. */
function executionFlow(random: Random): string {
  const phases = ['Explore', 'Experiment', 'Exploit'].slice(0, random.between(1, 3)).map((phase) => {
    const techniques = Array.from({ length: random.int(4) }, () => '<tr><td>Try it {cause}.</td></tr>').join('')
    const table = techniques && `<table><tbody><tr><th>Techniques</th></tr>${techniques}</tbody></table>`
    return `<div><h3>${phase}</h3><ol><li> <p> <b>{act}: </b>{outcome}</p></li>${table}</ol></div>`
  })
  return filled(phases.join(''), random)
}
