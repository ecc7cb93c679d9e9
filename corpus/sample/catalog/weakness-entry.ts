/** Writes an entry of the CWE catalog. Each kind of field of upstream's entries occurs in a share of them. */
import * as phrases from '../phrases.ts'
import type { Random } from '../random.ts'
import { weaknessPhrase } from '../record/text.ts'
import { contentHistory, RELEASED_AT, sentences } from './history.ts'
import { PATTERNS } from './pattern-table.ts'
import { consequence, example, LEVELS, mitigation, PHASES } from './weakness-parts.ts'
import type { Weakness } from './weakness-table.ts'
import { group, structured, type XmlElement, xml } from './xml.ts'

const METHODS = ['Automated Static Analysis', 'Manual Review', 'Fuzzing', 'Black Box'] as const
const STATUSES = ['Draft', 'Draft', 'Draft', 'Incomplete', 'Incomplete', 'Stable'] as const

/** The elements in upstream's order. */
type Part = (weakness: Weakness, random: Random) => XmlElement | null

const PARTS: readonly Part[] = [
  ({ number, deprecated }) => {
    const { effect } = weaknessPhrase(number)
    return xml('Description', {}, deprecated ? 'This entry is no longer in use.' : `The product lets others ${effect}.`)
  },
  often(0.7, (_, random) => {
    const said = sentences(phrases.OUTCOMES, random.between(1, 3), random)
    return structured('Extended_Description', said, random.chance(0.3) ? sentences(phrases.FIXES, 3, random) : [])
  }),
  ({ relations }) =>
    group(
      'Related_Weaknesses',
      relations.flatMap(({ nature, to }) => {
        const related = { Nature: nature, CWE_ID: String(to) }
        const inResearch = xml('Related_Weakness', { ...related, View_ID: '1000', Ordinal: ordinal(nature) })
        // The relation is repeated for each view. Only that of view 1000 is served (rule 27).
        return nature === 'ChildOf'
          ? [inResearch, xml('Related_Weakness', { ...related, View_ID: '1003', Ordinal: 'Primary' })]
          : [inResearch]
      }),
    ),
  often(0.2, (_, random) =>
    xml(
      'Weakness_Ordinalities',
      {},
      xml('Weakness_Ordinality', {}, xml('Ordinality', {}, random.pick(['Primary', 'Resultant']))),
    ),
  ),
  often(0.75, (_, random) =>
    xml(
      'Applicable_Platforms',
      {},
      random.chance(0.5)
        ? xml('Language', { Class: 'Not Language-Specific', Prevalence: 'Undetermined' })
        : [
            xml('Language', { Name: 'C', Prevalence: 'Often' }),
            xml('Language', { Name: 'Java', Prevalence: 'Sometimes' }),
          ],
      random.chance(0.2) ? xml('Operating_System', { Class: 'Not OS-Specific', Prevalence: 'Undetermined' }) : null,
      random.chance(0.2) ? xml('Architecture', { Name: 'x86', Prevalence: 'Rarely' }) : null,
      random.chance(0.4) ? xml('Technology', { Class: 'Web Based', Prevalence: 'Undetermined' }) : null,
    ),
  ),
  often(0.08, (_, random) =>
    xml('Background_Details', {}, structured('Background_Detail', sentences(phrases.OUTCOMES, 2, random))),
  ),
  often(0.2, ({ number }, random) =>
    xml(
      'Alternate_Terms',
      {},
      xml(
        'Alternate_Term',
        {},
        xml('Term', {}, `${weaknessPhrase(number).name} (Short)`),
        random.chance(0.6) ? xml('Description', {}, random.pick(phrases.OUTCOMES)) : null,
      ),
    ),
  ),
  often(0.85, (_, random) =>
    xml(
      'Modes_Of_Introduction',
      {},
      sentences(PHASES, random.between(1, 2), random).map((phase) =>
        xml(
          'Introduction',
          {},
          xml('Phase', {}, phase),
          random.chance(0.4) ? xml('Note', {}, random.pick(phrases.OUTCOMES)) : null,
        ),
      ),
    ),
  ),
  often(0.3, (_, random) => xml('Likelihood_Of_Exploit', {}, random.pick(LEVELS))),
  often(0.9, (_, random) =>
    xml(
      'Common_Consequences',
      {},
      Array.from({ length: random.between(1, 2) }, () => consequence(random)),
    ),
  ),
  often(0.35, (_, random) =>
    xml(
      'Detection_Methods',
      {},
      xml(
        'Detection_Method',
        { Detection_Method_ID: random.chance(0.5) ? `DM-${random.between(1, 20)}` : null },
        xml('Method', {}, random.pick(METHODS)),
        structured('Description', sentences(phrases.OUTCOMES, 2, random), random.chance(0.3) ? [...METHODS] : []),
        random.chance(0.9) ? xml('Effectiveness', {}, random.pick(LEVELS)) : null,
        random.chance(0.2) ? xml('Effectiveness_Notes', {}, random.pick(phrases.OUTCOMES)) : null,
      ),
    ),
  ),
  often(0.75, (_, random) =>
    xml(
      'Potential_Mitigations',
      {},
      Array.from({ length: random.between(1, 3) }, () => mitigation(random)),
    ),
  ),
  often(0.6, (_, random) => xml('Demonstrative_Examples', {}, example(random))),
  often(0.6, ({ number }, random) =>
    xml(
      'Observed_Examples',
      {},
      Array.from({ length: random.between(1, 3) }, () => {
        const id = `CVE-${random.between(2001, 2024)}-${random.between(1000, 9999)}`
        return xml(
          'Observed_Example',
          {},
          xml('Reference', {}, id),
          xml('Description', {}, `${weaknessPhrase(number).name} ${random.pick(phrases.CAUSES)}.`),
          xml('Link', {}, `https://records.example.org/${id}`),
        )
      }),
    ),
  ),
  often(0.05, () => xml('Functional_Areas', {}, xml('Functional_Area', {}, 'Session Management'))),
  often(0.06, () => xml('Affected_Resources', {}, xml('Affected_Resource', {}, 'Memory'))),
  often(0.6, ({ number }, random) =>
    xml(
      'Taxonomy_Mappings',
      {},
      xml(
        'Taxonomy_Mapping',
        { Taxonomy_Name: random.pick(['Harbour List', 'Seven Seas', 'Coding Rules 2024']) },
        random.chance(0.7) ? xml('Entry_ID', {}, `A${random.between(1, 40)}`) : null,
        xml('Entry_Name', {}, weaknessPhrase(number).name),
        random.chance(0.3) ? xml('Mapping_Fit', {}, random.pick(['Exact', 'Imprecise'])) : null,
      ),
    ),
  ),
  ({ number }) =>
    group(
      'Related_Attack_Patterns',
      PATTERNS.filter(({ weaknesses }) => weaknesses.includes(number)).map((pattern) =>
        xml('Related_Attack_Pattern', { CAPEC_ID: String(pattern.number) }),
      ),
    ),
  often(0.5, (_, random) =>
    xml('References', {}, xml('Reference', { External_Reference_ID: `REF-${random.between(1, 3)}` })),
  ),
]

/** The entry with the most mapped records has every part. */
const COMPLETE = 79

/** Returns a part that occurs in a share of the entries. Deprecated entries are nearly empty. */
function often(share: number, part: (weakness: Weakness, random: Random) => XmlElement): Part {
  return (weakness, random) => {
    const has = random.chance(share) || weakness.number === COMPLETE
    return has && !weakness.deprecated ? part(weakness, random) : null
  }
}

function ordinal(nature: string): string | null {
  return nature === 'ChildOf' ? 'Primary' : null
}

export function weaknessEntry(weakness: Weakness, random: Random): XmlElement {
  const { number, abstraction, structure, deprecated } = weakness
  const { name } = weaknessPhrase(number)
  const usage = deprecated ? 'Prohibited' : weakness.abstraction === 'Pillar' ? 'Discouraged' : 'Allowed'
  return xml(
    'Weakness',
    {
      ID: String(number),
      Name: deprecated ? `DEPRECATED: ${name}` : name,
      Abstraction: abstraction,
      Structure: structure,
      Status: deprecated ? 'Deprecated' : random.pick(STATUSES),
    },
    PARTS.map((part) => part(weakness, random)),
    mappingNotes(usage, deprecated ? 'Deprecated' : 'Acceptable-Use'),
    !deprecated && random.chance(0.35)
      ? xml('Notes', {}, xml('Note', { Type: 'Maintenance' }, random.pick(phrases.OUTCOMES)))
      : null,
    contentHistory(random, RELEASED_AT),
  )
}

export function mappingNotes(usage: string, reason: string): XmlElement {
  return xml(
    'Mapping_Notes',
    {},
    xml('Usage', {}, usage),
    xml('Rationale', {}, 'As the abstraction of the entry suggests.'),
    xml('Comments', {}, 'Read name and description before use.'),
    xml('Reasons', {}, xml('Reason', { Type: reason })),
  )
}
