/** Writes the CAPEC catalog as one STIX 2.1 bundle, `stix-capec.json`: one edition for all nights. */
import { timeOf } from '../calendar.ts'
import { COMPLETE_PATTERN, type Pattern } from '../catalogs.ts'
import { finalOutput, type SampleFeed, writeFile } from '../outputs.ts'
import { Random } from '../random.ts'
import { filled, weaknessPhrase, word } from '../text.ts'
import type { World } from '../world.ts'
import { FIRST_ENTRY, historyOf, RELEASED_AT } from './cwe.ts'

const REF_FIELDS: Record<string, string> = {
  ChildOf: 'x_capec_child_of_refs',
  PeerOf: 'x_capec_peer_of_refs',
  CanPrecede: 'x_capec_can_precede_refs',
}

const STEP = (phase: string) =>
  `<div><h3>${phase}</h3><ol><li> <p> <b>{act}: </b>{outcome}</p></li><table><tbody><tr><th>Techniques</th></tr><tr><td>Try it {cause}.</td></tr></tbody></table></ol></div>`

/** Members of a pattern, the share of the patterns that have them, and their JSON as a template. */
const MEMBERS: readonly [name: string, share: number, template: string][] = [
  ['extended_description', 0.25, '"<xhtml:p>{outcome}</xhtml:p><xhtml:p>{outcome}</xhtml:p>"'],
  ['alternate_terms', 0.15, '["{act} Twice"]'],
  ['likelihood_of_attack', 0.6, '"{level}"'],
  ['typical_severity', 0.85, '"{severity}"'],
  ['execution_flow', 0.5, `"<h2> Execution Flow </h2>${STEP('Explore')}${STEP('Exploit')}"`],
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

function bundleOf({ seed, catalogs: { patterns } }: World): string {
  const id = (type: string, ...names: (string | number)[]) => `${type}--${new Random(seed, type, ...names).uuid()}`
  const dates = { created: timeOf(FIRST_ENTRY), modified: timeOf(RELEASED_AT) }
  const common = {
    spec_version: '2.1',
    created_by_ref: id('identity'),
    object_marking_refs: [id('marking-definition')],
  }
  const objects: object[] = []
  for (const pattern of patterns) {
    const random = new Random(seed, 'capec', pattern.number)
    const target_ref = id('attack-pattern', pattern.number)
    const changed = { ...common, ...dates, modified: `${historyOf(random).at(-1)}T00:00:00.000Z` }
    const relations = pattern.relations.map(({ nature, to }) => ({ [REF_FIELDS[nature]!]: [id('attack-pattern', to)] }))
    const own = { type: 'attack-pattern', id: target_ref, ...changed, ...membersOf(pattern, random) }
    objects.push(Object.assign(own, ...relations))
    const mitigations = pattern.retired ? 0 : random.between(1, 3)
    for (let i = 0; i < mitigations; i++) {
      const source_ref = id('course-of-action', pattern.number, i)
      const action = { name: `coa-${pattern.number}-${i}`, description: `${i + 1}. ${word('workaround', random)}` }
      const link = { relationship_type: 'mitigates', source_ref, target_ref }
      objects.push({ type: 'course-of-action', id: source_ref, ...common, ...dates, ...action })
      objects.push({ type: 'relationship', id: id('relationship', pattern.number, i), ...common, ...dates, ...link })
    }
  }
  return JSON.stringify({ type: 'bundle', id: id('bundle'), objects }, null, 4)
}

/** Returns the members of a pattern. Retired patterns have only a description. */
function membersOf({ number, abstraction, retired, weaknesses }: Pattern, random: Random): object {
  const about = weaknesses[0] === undefined ? null : weaknessPhrase(weaknesses[0])
  const name = filled(`{act} the {component} (${about?.name ?? 'Reconnaissance'})`, random)
  const reference = (source_name: string, external_id: string) => {
    return { source_name, external_id, description: name, url: `https://catalogue.example.org/${external_id}` }
  }
  const has = (share: number) => random.chance(share) || number === COMPLETE_PATTERN
  const stated = {
    name: retired === 'Deprecated' ? `DEPRECATED: ${name}` : name,
    description: filled(`An attacker tries to ${about?.effect ?? 'learn about the target'} {cause}.`, random),
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
  const further = MEMBERS.flatMap(([name, share, template]) =>
    has(share) ? [[`x_capec_${name}`, JSON.parse(filled(template, random, { severity, consequence, other }))]] : [],
  )
  return { ...stated, ...Object.fromEntries(further) }
}
