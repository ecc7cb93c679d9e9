/** A synthetic attack pattern and its relations: as the model has it, and as STIX objects. */
import type { CapecEntry } from '../../../../corpus/model/catalog.ts'

export const PATTERN: CapecEntry = {
  id: 'capec-40',
  display: 'CAPEC-40',
  numeric_id: 40,
  name: 'Widget Swapping',
  abstraction: 'Standard',
  status: 'Draft',
  severity: 'Very High',
  likelihood: 'Medium',
  description: 'One widget is put in place of <another>.',
  extended_description: ['Widgets look alike.', '- nuts\n- bolts', 'So nobody sees it.'],
  execution_flow: [
    {
      step: 1,
      phase: 'Explore',
      description: 'Find widgets: Look for widgets.',
      techniques: ['Look left.', 'Look right: <script>look()</script>'],
    },
    { step: 2, phase: 'Exploit', description: 'Swap them:\n\nTake one.\n\nPut another.', techniques: [] },
    { step: 3, phase: 'Exploit', description: 'Leave without a trace.', techniques: ['Walk & talk.'] },
  ],
  prerequisites: ['There are widgets.', 'Nobody looks.'],
  skills: ['Low: To tell widgets apart.', 'High: To make them.'],
  resources: ['Pockets.'],
  indicators: [],
  mitigations: ['Look.', 'Label widgets.', 'Count widgets.'],
  examples: ['A widget was swapped:\n\nif (widget)\n  swap();\n\nIt was missed.'],
  alternate_terms: [{ term: 'Widget Mixing', description: null }],
  consequences: [
    { scopes: ['Access Control', 'Integrity'], impacts: ['Gain Privileges'], note: null },
    { scopes: ['Integrity', 'Other'], impacts: ['Modify Data', 'Other'], note: 'Widgets (all of them) are data.' },
  ],
  taxonomy_mappings: [
    { taxonomy: 'ATTACK', entry_name: 'Swap: Widget', entry_id: 'T1999.001', fit: null },
    { taxonomy: 'OWASP Attacks', entry_name: 'Widget Swap', entry_id: null, fit: null },
  ],
  related_weaknesses: [
    { id: 'cwe-7', display: 'CWE-7', name: null },
    { id: 'cwe-1004', display: 'CWE-1004', name: null },
  ],
  related_attack_patterns: [
    { capec_id: 'CAPEC-3', slug: 'capec-3', name: 'Swapping', nature: 'Parent' },
    { capec_id: 'CAPEC-41', slug: 'capec-41', name: 'Nut Swapping', nature: 'Child' },
    { capec_id: 'CAPEC-3', slug: 'capec-3', name: 'Swapping', nature: 'Peer' },
    { capec_id: 'CAPEC-41', slug: 'capec-41', name: 'Nut Swapping', nature: 'CanFollow' },
    { capec_id: 'CAPEC-3', slug: 'capec-3', name: 'Swapping', nature: 'CanPrecede' },
  ],
  catalog_version: '3.9',
  updated_at: '2023-01-24T00:00:00.000Z',
}

export type StixObject = Record<string, unknown> & { type: string; id: string }

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
export const patternId = (number: number) => `attack-pattern--${uuid(number)}`

export function barePattern(number: number, name: string, more: object = {}): StixObject {
  return {
    type: 'attack-pattern',
    spec_version: '2.1',
    id: patternId(number),
    created: '2014-06-23T00:00:00.000Z',
    modified: '2021-06-24T00:00:00.000Z',
    name,
    description: `About ${name}.`,
    external_references: [
      { source_name: 'capec', external_id: `CAPEC-${number}`, url: `https://capec.example/${number}` },
    ],
    x_capec_abstraction: 'Meta',
    x_capec_status: 'Draft',
    x_capec_version: '3.9',
    ...more,
  }
}

function mitigation(number: number, name: string, description: string): StixObject[] {
  const action = `course-of-action--${uuid(number)}`
  const relationship = { relationship_type: 'mitigates', source_ref: action, target_ref: patternId(40) }
  return [
    { type: 'course-of-action', id: action, name, description },
    { type: 'relationship', id: `relationship--${uuid(number)}`, ...relationship },
  ]
}

const techniques = (...texts: string[]) =>
  `<table><tbody><tr><th>Techniques</th></tr>${texts.map((text) => `<tr><td>${text}</td></tr>`).join('')}</tbody></table>`

/** The whole catalog; both sides state the relations of the pattern. */
export const CATALOG_STIX: StixObject[] = [
  { type: 'identity', id: `identity--${uuid(1)}`, name: 'The publisher', modified: '2099-01-01T00:00:00.000Z' },
  ...mitigation(1, 'coa-40-2', 'Count widgets.'),
  ...mitigation(2, 'coa-9-7', '<xhtml:p>Label widgets.</xhtml:p>'),
  ...mitigation(3, 'coa-40-0', 'Look.'),
  barePattern(41, 'Nut Swapping', {
    x_capec_child_of_refs: [patternId(40)],
    x_capec_can_precede_refs: [patternId(40)],
  }),
  barePattern(3, 'Swapping', {
    x_capec_parent_of_refs: [patternId(40)],
    x_capec_can_follow_refs: [patternId(40)],
  }),
  barePattern(40, 'Widget Swapping', {
    modified: '2023-01-24T00:00:00.000Z',
    description: 'One widget is put in place of <another>.',
    external_references: [
      { source_name: 'capec', external_id: 'CAPEC-40' },
      { source_name: 'cwe', external_id: 'CWE-7' },
      { source_name: 'cwe', external_id: 'CWE-1004' },
      { source_name: 'cwe', external_id: 'CWE-7' },
      { source_name: 'ATTACK', external_id: 'T1999.001', description: 'Swap: Widget' },
      { source_name: 'OWASP Attacks', description: 'Widget Swap' },
      { source_name: 'reference_from_CAPEC', external_id: 'REF-1', description: 'A book' },
    ],
    x_capec_abstraction: 'Standard',
    x_capec_typical_severity: 'Very High',
    x_capec_likelihood_of_attack: 'Medium',
    x_capec_alternate_terms: ['Widget Mixing'],
    x_capec_child_of_refs: [patternId(3)],
    x_capec_peer_of_refs: [patternId(3), patternId(99)],
    x_capec_parent_of_refs: [patternId(41)],
    x_capec_can_precede_refs: [patternId(3)],
    x_capec_can_follow_refs: [patternId(41)],
    x_capec_extended_description:
      '\n  <xhtml:p>Widgets look alike.</xhtml:p>\n  <xhtml:ul><xhtml:li>nuts</xhtml:li><xhtml:li>bolts</xhtml:li></xhtml:ul>So nobody sees it.',
    x_capec_execution_flow: [
      '<h2> Execution Flow </h2><div><h3>Explore</h3><ol><li> <p> <b>Find widgets: </b>Look for widgets.</p></li>',
      techniques('Look left.', 'Look right: <script>look()</script>'),
      '</ol></div><div><h3>Exploit</h3><ol><li> <p> <b>Swap them: </b>',
      '<xhtml:p>Take one.</xhtml:p><xhtml:p>Put another.</xhtml:p></p></li>',
      `<li> <p>Leave without a trace.</p></li>${techniques('Walk & talk.')}</ol></div>`,
    ].join(''),
    x_capec_prerequisites: ['There are widgets.', 'Nobody looks.'],
    x_capec_skills_required: { High: 'To make them.', Low: 'To tell widgets apart.' },
    x_capec_resources_required: ['Pockets.'],
    x_capec_consequences: {
      Access_Control: ['Gain Privileges'],
      Integrity: [
        'Gain Privileges',
        'Modify Data (Widgets (all of them) are data.)',
        'Other (Widgets (all of them) are data.)',
      ],
      Other: ['Modify Data (Widgets (all of them) are data.)', 'Other (Widgets (all of them) are data.)'],
    },
    x_capec_example_instances: [
      '<xhtml:p>A widget was swapped:</xhtml:p><xhtml:div style="margin-left:1em;" class="bad">if (widget)<xhtml:div style="margin-left:1em;">swap();</xhtml:div></xhtml:div><xhtml:p>It was missed.</xhtml:p>',
    ],
  }),
]

export const bundle = (objects: readonly StixObject[]) =>
  JSON.stringify({ type: 'bundle', id: `bundle--${uuid(0)}`, objects })

/** Returns one file per object: `2.1/attack-pattern/<id>.json` and so on. */
export function objectTree(objects: readonly StixObject[]): Record<string, string> {
  return Object.fromEntries(objects.map((object) => [`capec/2.1/${object.type}/${object.id}.json`, bundle([object])]))
}
