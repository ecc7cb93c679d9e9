/** The larger parts of a CWE entry: consequences, mitigations, and examples with code. */
import * as phrases from '../phrases.ts'
import type { Random } from '../random.ts'
import { IMPACTS, SCOPES, sentences } from './history.ts'
import { structured, type XmlElement, xml } from './xml.ts'

export const PHASES = ['Architecture and Design', 'Implementation', 'Operation', 'Build and Compilation'] as const
export const LEVELS = ['High', 'Medium', 'Low'] as const

export function consequence(random: Random): XmlElement {
  return xml(
    'Consequence',
    {},
    sentences(SCOPES, random.between(1, 3), random).map((scope) => xml('Scope', {}, scope)),
    sentences(IMPACTS, random.between(1, 2), random).map((impact) => xml('Impact', {}, impact)),
    random.chance(0.1) ? xml('Likelihood', {}, random.pick(LEVELS)) : null,
    random.chance(0.5) ? xml('Note', {}, random.pick(phrases.OUTCOMES)) : null,
  )
}

export function mitigation(random: Random): XmlElement {
  const bullets = random.chance(0.15) ? sentences(phrases.WORKAROUNDS, 3, random) : []
  return xml(
    'Mitigation',
    { Mitigation_ID: random.chance(0.3) ? `MIT-${random.between(1, 60)}` : null },
    sentences(PHASES, random.between(1, 2), random).map((phase) => xml('Phase', {}, phase)),
    random.chance(0.3) ? xml('Strategy', {}, random.pick(['Input Validation', 'Attack Surface Reduction'])) : null,
    structured('Description', sentences(phrases.WORKAROUNDS, random.between(1, 2), random), bullets),
    random.chance(0.2) ? xml('Effectiveness', {}, random.pick([...LEVELS, 'Defense in Depth'])) : null,
    random.chance(0.1) ? xml('Effectiveness_Notes', {}, random.pick(phrases.OUTCOMES)) : null,
  )
}

/** Returns an introduction, then alternating code and comments. */
export function example(random: Random): XmlElement {
  return xml(
    'Demonstrative_Example',
    { Demonstrative_Example_ID: random.chance(0.5) ? `DX-${random.between(1, 200)}` : null },
    structured('Intro_Text', sentences(phrases.OUTCOMES, random.between(1, 2), random)),
    code('Bad', random),
    xml('Body_Text', {}, `It fails ${random.pick(phrases.CAUSES)}.`),
    code('Good', random),
    random.chance(0.3) ? xml('Body_Text', {}, random.pick(phrases.OUTCOMES)) : null,
  )
}

/** Formats code as upstream does: lines end in `br`, indented lines are in a `div`. */
function code(nature: 'Bad' | 'Good', random: Random): XmlElement {
  const value = random.pick(phrases.PARAMETERS)
  const check = nature === 'Good' ? `length(${value}) < 64 && ${value} != ""` : 'true'
  const br = xml('xhtml:br', {})
  const inner = xml('xhtml:div', { style: 'margin-left:1em;' }, `use(${value});`, br, 'return OK;')
  return xml(
    'Example_Code',
    { Nature: nature, Language: random.chance(0.85) ? random.pick(['C', 'Java', 'PHP']) : null },
    xml('xhtml:div', {}, `${value} = read_request();`, br, `if (${check}) {`, inner, '}'),
  )
}
