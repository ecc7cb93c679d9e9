/** Writes the CAPEC catalog as its STIX 2.1 bundle, `stix-capec.json`. */
import { DAY_MS, timeOf } from '../calendar.ts'
import { IMPACTS, RELEASED_AT, SCOPES, sentences } from '../catalog/history.ts'
import { PATTERNS, type Pattern } from '../catalog/pattern-table.ts'
import * as phrases from '../phrases.ts'
import { Random } from '../random.ts'
import { weaknessPhrase } from '../record/text.ts'
import type { SampleFeed } from './feed.ts'

const VERSION = '3.10'
const FIRST_ENTRY = Date.UTC(2014, 5, 23)
const STATUSES = ['Draft', 'Draft', 'Draft', 'Stable', 'Stable', 'Usable'] as const
const SEVERITIES = ['Very High', 'High', 'High', 'Medium', 'Low', 'Very Low'] as const
const LEVELS = ['High', 'Medium', 'Low'] as const

type StixObject = Record<string, unknown>

export const capec: SampleFeed = {
  name: 'capec',
  write: async (world, folder) => {
    const objects = PATTERNS.flatMap((pattern) => stixOf(pattern, new Random(world.seed, 'capec', pattern.number)))
    const bundle = { id: stixId('bundle', 0), objects, type: 'bundle' }
    return [await folder.write('stix-capec.json', `${JSON.stringify(bundle, null, 4)}\n`, PATTERNS.length)]
  },
}

const stixId = (type: string, number: number) => `${type}--00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const patternId = (number: number) => stixId('attack-pattern', number)

/** The number of the entry that has every part. */
const COMPLETE = 66

const VERBS = ['Probing', 'Bending', 'Flooding', 'Replaying', 'Forging', 'Tracing', 'Staging', 'Luring'] as const

/** Returns a name such as `Replaying the Message Queue (SQL Injection)`. */
function patternName({ number, weaknesses }: Pattern): string {
  const random = new Random('capec-name', number)
  const target = random.pick(phrases.COMPONENTS).replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
  const about = weaknesses[0] === undefined ? `Class ${number}` : weaknessPhrase(weaknesses[0]).name
  return `${random.pick(VERBS)} the ${target} (${about})`
}

/** Returns the pattern and what mitigates it. Retired patterns have only a description. */
function stixOf(pattern: Pattern, random: Random): StixObject[] {
  const { number, abstraction, retired } = pattern
  const name = patternName(pattern)
  const stated = (field: string, numbers: readonly number[]) =>
    numbers.length > 0 ? { [`x_capec_${field}_refs`]: numbers.map(patternId) } : {}
  const common = {
    created: timeOf(FIRST_ENTRY),
    // The entry that has every part is the newest one.
    modified: timeOf(number === COMPLETE ? RELEASED_AT : RELEASED_AT - random.int(4000) * DAY_MS),
    spec_version: '2.1',
    x_capec_version: VERSION,
  }
  const object = {
    ...common,
    type: 'attack-pattern',
    id: patternId(number),
    name: retired === 'Deprecated' ? `DEPRECATED: ${name}` : name,
    description: retired ? 'This pattern is no longer in use.' : descriptionOf(pattern, random),
    external_references: [
      { external_id: `CAPEC-${number}`, source_name: 'capec' },
      ...(retired ? [] : pattern.weaknesses.map((id) => ({ external_id: `CWE-${id}`, source_name: 'cwe' }))),
      ...(retired ? [] : otherReferences(number, random)),
    ],
    x_capec_abstraction: abstraction,
    x_capec_status: retired ?? random.pick(STATUSES),
  }
  if (retired) return [object]
  const relations = {
    ...stated('child_of', related(pattern.relations, 'ChildOf')),
    ...stated('peer_of', related(pattern.relations, 'PeerOf')),
    ...stated('can_precede', related(pattern.relations, 'CanPrecede')),
    ...stated('parent_of', statedBy(number, 'ChildOf')),
    ...stated('can_follow', statedBy(number, 'CanPrecede')),
  }
  const mitigations = often(number, random, 0.8) ? sentences(phrases.WORKAROUNDS, random.between(1, 3), random) : []
  const actions = mitigations.flatMap((text, i): StixObject[] => {
    const id = stixId('course-of-action', number * 10 + i)
    const link = { relationship_type: 'mitigates', source_ref: id, target_ref: patternId(number) }
    return [
      { ...common, type: 'course-of-action', id, name: `coa-${number}-${i}`, description: text },
      { ...common, type: 'relationship', id: stixId('relationship', number * 10 + i), ...link },
    ]
  })
  return [{ ...object, ...relations, ...parts(number, random) }, ...actions]
}

const related = (relations: Pattern['relations'], of: string) =>
  relations.flatMap(({ nature, to }) => (nature === of ? to : []))

/** Returns the patterns that state this relation to the pattern. */
const statedBy = (number: number, of: string) =>
  PATTERNS.flatMap((one) => (!one.retired && related(one.relations, of).includes(number) ? one.number : []))

const often = (number: number, random: Random, share: number) => random.chance(share) || number === COMPLETE

function otherReferences(number: number, random: Random): StixObject[] {
  if (!often(number, random, 0.4)) return []
  const id = random.between(1000, 1600)
  const name = random.pick(VERBS)
  return [
    random.chance(0.5)
      ? { description: name, external_id: `T${id}`, source_name: 'ATTACK' }
      : { description: name, source_name: 'Harbour List' },
    { description: 'A book', external_id: 'REF-1', source_name: 'reference_from_CAPEC' },
  ]
}

function descriptionOf({ weaknesses }: Pattern, random: Random): string {
  const effect = weaknesses[0] === undefined ? 'learn how the target is built' : weaknessPhrase(weaknesses[0]).effect
  return `${random.pick(phrases.ATTACKERS)} tries to ${effect} ${random.pick(phrases.CAUSES)}.`
}

function parts(number: number, random: Random): StixObject {
  const listed = (said: readonly string[]) => sentences(said, random.between(1, 3), random)
  const paragraphs = (said: readonly string[]) => said.map((text) => `<xhtml:p>${text}</xhtml:p>`).join('')
  const fields: [field: string, share: number, value: () => unknown][] = [
    ['extended_description', 0.25, () => paragraphs(listed(phrases.OUTCOMES))],
    ['alternate_terms', 0.15, () => [`${random.pick(VERBS)} Twice`]],
    ['likelihood_of_attack', 0.6, () => random.pick(LEVELS)],
    ['typical_severity', 0.85, () => random.pick(SEVERITIES)],
    ['execution_flow', 0.5, () => executionFlow(random)],
    ['prerequisites', 0.8, () => listed(phrases.OUTCOMES)],
    ['skills_required', 0.6, () => ({ [random.pick(LEVELS)]: random.pick(phrases.OUTCOMES) })],
    ['resources_required', 0.5, () => listed(phrases.PATHS)],
    ['consequences', 0.7, () => consequences(random)],
    ['example_instances', 0.5, () => [paragraphs(listed(phrases.OUTCOMES))]],
  ]
  return Object.fromEntries(
    fields.flatMap(([field, share, value]) => (often(number, random, share) ? [[`x_capec_${field}`, value()]] : [])),
  )
}

/** Returns impacts by scope, some with a note: `Read Data (a note)`. */
function consequences(random: Random): Record<string, string[]> {
  const note = random.chance(0.4) ? ` (${random.pick(phrases.OUTCOMES)})` : ''
  const impacts = sentences(IMPACTS, random.between(1, 2), random).map((impact) => `${impact}${note}`)
  const scopes = sentences(SCOPES, random.between(1, 3), random)
  return Object.fromEntries(scopes.map((scope) => [scope.replaceAll(' ', '_'), impacts]))
}

const FLOW = ['Explore', 'Experiment', 'Exploit'] as const

/** Returns the steps as upstream's HTML. */
function executionFlow(random: Random): string {
  const steps = FLOW.slice(0, random.between(1, FLOW.length)).map((phase) => {
    const techniques = Array.from({ length: random.int(4) }, () => `Try it ${random.pick(phrases.CAUSES)}.`)
    const rows = techniques.map((text) => `<tr><td>${text}</td></tr>`).join('')
    const table = rows && `<table><tbody><tr><th>Techniques</th></tr>${rows}</tbody></table>`
    const text = `<b>${random.pick(VERBS)}: </b>${random.pick(phrases.OUTCOMES)}`
    return `<div><h3>${phase}</h3><ol><li> <p> ${text}</p></li>${table}</ol></div>`
  })
  return `<h2> Execution Flow </h2>${steps.join('')}`
}
