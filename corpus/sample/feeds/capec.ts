/** Writes the CAPEC catalog as XML, `capec_v<version>.xml`, the form with indicators and notes. */
import { dateOf } from '../calendar.ts'
import { contentHistory, IMPACTS, RELEASED_AT, SCOPES, sentences } from '../catalog/history.ts'
import { PATTERNS, type Pattern } from '../catalog/pattern-table.ts'
import { document, group, structured, type XmlElement, xml } from '../catalog/xml.ts'
import * as phrases from '../phrases.ts'
import { Random } from '../random.ts'
import { weaknessPhrase } from '../record/text.ts'
import type { SampleFeed } from './feed.ts'

const VERSION = '3.10'
const STATUSES = ['Draft', 'Draft', 'Draft', 'Stable', 'Stable', 'Usable'] as const
const SEVERITIES = ['Very High', 'High', 'High', 'Medium', 'Low', 'Very Low'] as const
const LEVELS = ['High', 'Medium', 'Low'] as const

export const capec: SampleFeed = {
  name: 'capec',
  write: async (world, folder) => {
    const root = xml(
      'Attack_Pattern_Catalog',
      {
        Name: 'CAPEC',
        Version: VERSION,
        Date: dateOf(RELEASED_AT),
        xmlns: 'http://capec.mitre.org/capec-3',
        'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
        'xmlns:xhtml': 'http://www.w3.org/1999/xhtml',
        'xsi:schemaLocation': 'http://capec.mitre.org/capec-3 http://capec.mitre.org/data/xsd/ap_schema_v3.5.xsd',
      },
      xml(
        'Attack_Patterns',
        {},
        PATTERNS.map((pattern) => entry(pattern, new Random(world.seed, 'capec', pattern.number))),
      ),
      xml('Categories', {}, category()),
      xml('Views', {}, view()),
      xml('External_References', {}, reference()),
    )
    return [await folder.write(`capec_v${VERSION}.xml`, document(root), PATTERNS.length)]
  },
}

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

/** Returns the elements in upstream's order. Retired patterns have only a description and their history. */
function entry(pattern: Pattern, random: Random): XmlElement {
  const { number, abstraction, retired } = pattern
  const name = patternName(pattern)
  return xml(
    'Attack_Pattern',
    {
      ID: String(number),
      Name: retired === 'Deprecated' ? `DEPRECATED: ${name}` : name,
      Abstraction: abstraction,
      Status: retired ?? random.pick(STATUSES),
    },
    xml('Description', {}, retired ? 'This pattern is no longer in use.' : descriptionOf(pattern, random)),
    retired ? null : parts(pattern, random),
    contentHistory(random, RELEASED_AT),
  )
}

function descriptionOf({ weaknesses }: Pattern, random: Random): string {
  const effect = weaknesses[0] === undefined ? 'learn how the target is built' : weaknessPhrase(weaknesses[0]).effect
  return `${random.pick(phrases.ATTACKERS)} tries to ${effect} ${random.pick(phrases.CAUSES)}.`
}

function parts(pattern: Pattern, random: Random): (XmlElement | null)[] {
  const often = (share: number, part: () => XmlElement) => {
    const has = random.chance(share) || pattern.number === COMPLETE
    return has ? part() : null
  }
  const listed = (name: string, each: string, said: readonly string[]) =>
    xml(
      name,
      {},
      sentences(said, random.between(1, 3), random).map((text) => xml(each, {}, text)),
    )
  return [
    often(0.25, () => structured('Extended_Description', sentences(phrases.OUTCOMES, random.between(1, 3), random))),
    often(0.15, () =>
      xml(
        'Alternate_Terms',
        {},
        xml(
          'Alternate_Term',
          {},
          xml('Term', {}, `${random.pick(VERBS)} Twice`),
          random.chance(0.5) ? xml('Description', {}, random.pick(phrases.OUTCOMES)) : null,
        ),
      ),
    ),
    often(0.6, () => xml('Likelihood_Of_Attack', {}, random.pick(LEVELS))),
    often(0.85, () => xml('Typical_Severity', {}, random.pick(SEVERITIES))),
    group(
      'Related_Attack_Patterns',
      pattern.relations.map(({ nature, to }) =>
        xml('Related_Attack_Pattern', { Nature: nature, CAPEC_ID: String(to) }),
      ),
    ),
    often(0.5, () => executionFlow(random)),
    often(0.8, () => listed('Prerequisites', 'Prerequisite', phrases.OUTCOMES)),
    often(0.6, () =>
      xml('Skills_Required', {}, xml('Skill', { Level: random.pick(LEVELS) }, random.pick(phrases.OUTCOMES))),
    ),
    often(0.5, () => listed('Resources_Required', 'Resource', phrases.PATHS)),
    often(0.3, () => listed('Indicators', 'Indicator', phrases.OUTCOMES)),
    often(0.7, () =>
      xml(
        'Consequences',
        {},
        xml(
          'Consequence',
          {},
          sentences(SCOPES, random.between(1, 3), random).map((scope) => xml('Scope', {}, scope)),
          sentences(IMPACTS, random.between(1, 2), random).map((impact) => xml('Impact', {}, impact)),
          random.chance(0.3) ? xml('Likelihood', {}, random.pick(LEVELS)) : null,
          random.chance(0.4) ? xml('Note', {}, random.pick(phrases.OUTCOMES)) : null,
        ),
      ),
    ),
    often(0.8, () => listed('Mitigations', 'Mitigation', phrases.WORKAROUNDS)),
    often(0.5, () =>
      xml('Example_Instances', {}, structured('Example', sentences(phrases.OUTCOMES, random.between(1, 2), random))),
    ),
    group(
      'Related_Weaknesses',
      pattern.weaknesses.map((number) => xml('Related_Weakness', { CWE_ID: String(number) })),
    ),
    often(0.4, () =>
      xml(
        'Taxonomy_Mappings',
        {},
        xml(
          'Taxonomy_Mapping',
          { Taxonomy_Name: random.pick(['ATTACK', 'Harbour List']) },
          xml('Entry_ID', {}, String(random.between(1000, 1600))),
          xml('Entry_Name', {}, random.pick(VERBS)),
        ),
      ),
    ),
    often(0.4, () => xml('References', {}, xml('Reference', { External_Reference_ID: 'REF-1' }))),
    often(0.2, () => xml('Notes', {}, xml('Note', { Type: 'Other' }, random.pick(phrases.OUTCOMES)))),
  ]
}

const FLOW = ['Explore', 'Experiment', 'Exploit'] as const

function executionFlow(random: Random): XmlElement {
  const steps = FLOW.slice(0, random.between(1, FLOW.length)).map((phase, i) =>
    xml(
      'Attack_Step',
      {},
      xml('Step', {}, String(i + 1)),
      xml('Phase', {}, phase),
      xml('Description', {}, `[${random.pick(VERBS)}] ${random.pick(phrases.OUTCOMES)}`),
      Array.from({ length: random.int(4) }, () => xml('Technique', {}, `Try it ${random.pick(phrases.CAUSES)}.`)),
    ),
  )
  return xml('Execution_Flow', {}, steps)
}

function category(): XmlElement {
  const meta = PATTERNS.filter(({ abstraction }) => abstraction === 'Meta')
  return xml(
    'Category',
    { ID: '152', Name: 'Patterns of Injection', Status: 'Stable' },
    xml('Summary', {}, 'Patterns that put in what does not belong there.'),
    xml(
      'Relationships',
      {},
      meta.slice(0, 5).map(({ number }) => xml('Has_Member', { CAPEC_ID: String(number) })),
    ),
  )
}

function view(): XmlElement {
  return xml(
    'View',
    { ID: '1000', Name: 'Mechanisms of Attack', Type: 'Graph', Status: 'Stable' },
    xml('Objective', {}, 'It orders patterns by what they do.'),
    xml('Members', {}, xml('Has_Member', { CAPEC_ID: '152' })),
  )
}

function reference(): XmlElement {
  return xml(
    'External_Reference',
    { Reference_ID: 'REF-1' },
    xml('Author', {}, 'The Sample Works'),
    xml('Title', {}, 'Notes on Attacks'),
    xml('URL', {}, 'https://research.example.net/attacks'),
  )
}
