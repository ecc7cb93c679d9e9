/** Rule 27 of RULES.md on catalogs and exploit modules. */
import * as assert from 'uvu/assert'
import { kevJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import {
  archiveCsv,
  capecBundle,
  capecPattern,
  container,
  cveList,
  cweXml,
  cweXmlEntry,
  frameworkJson,
  nvdPage,
  nvdRecord,
  patternRefs,
} from '../support/upstream.ts'

type Json = Record<string, unknown>

const contract = contractSuite('rules, catalogs')
const { states, rule } = contract

const related = (...all: [nature: string, id: number, view?: number][]) =>
  `<Related_Weaknesses>${all
    .map(([nature, id, view = 1000]) => `<Related_Weakness Nature="${nature}" CWE_ID="${id}" View_ID="${view}"/>`)
    .join('')}</Related_Weaknesses>`
const mapsTo = (cweId: string) => ({ problemTypes: [{ descriptions: [{ lang: 'en', cweId, description: cweId }] }] })

const CAPEC = {
  external_references: [
    { source_name: 'capec', external_id: 'CAPEC-248' },
    { source_name: 'WASC', external_id: '1', description: 'x' },
  ],
  x_capec_execution_flow:
    '<div><h3>Explore</h3><ol><li> <p>Look.</p></li><table><tbody><tr><td>Left.</td></tr><tr><td>Right.</td></tr>' +
    '</tbody></table></ol></div><div><h3></h3><ol><li> <p>Go.</p></li></ol></div>',
  x_capec_example_instances: ['It was done.'],
  x_capec_alternate_terms: ['Other'],
}

const world = await openWorld({
  ...cveList([
    { id: 'CVE-2024-0001', cna: mapsTo('CWE-79'), adp: [container('CISA-ADP', mapsTo('CWE-74'))] },
    { id: 'CVE-2024-0002', cna: mapsTo('CWE-79') },
    { id: 'CVE-2024-0003' },
  ]),
  'kev/known_exploited_vulnerabilities.json': kevJson(['CVE-2024-0001', 'CVE-2024-0003']),
  'nvd/page.json': nvdPage([
    nvdRecord('CVE-2024-0003', {
      weaknesses: [{ source: 'x', type: 'Primary', description: [{ lang: 'en', value: 'CWE-74' }] }],
    }),
  ]),
  'cwe/cwec_v4.15.xml': cweXml(
    [
      cweXmlEntry(74),
      cweXmlEntry(
        79,
        related(['ChildOf', 74], ['PeerOf', 352], ['CanPrecede', 494], ['ChildOf', 352, 1003]) +
          `<Related_Attack_Patterns><Related_Attack_Pattern CAPEC_ID="66"/></Related_Attack_Patterns>
           <Common_Consequences><Consequence><Scope>Integrity</Scope></Consequence></Common_Consequences>
           <Potential_Mitigations><Mitigation><Description>Do not.</Description></Mitigation></Potential_Mitigations>
           <Alternate_Terms><Alternate_Term><Term>XSS</Term></Alternate_Term></Alternate_Terms>
           <Modes_Of_Introduction><Introduction><Phase>Implementation</Phase></Introduction></Modes_Of_Introduction>`,
      ),
      cweXmlEntry(352),
      cweXmlEntry(494),
      cweXmlEntry(1, '', 'Abstraction="Base" Status="Deprecated"'),
    ].join(''),
    `<Categories><Category ID="16" Name="A category" Status="Draft"/></Categories>
     <Views><View ID="1000" Name="A view" Status="Draft"/></Views>`,
  ),
  'capec/stix-capec.json': capecBundle([
    capecPattern(66, {
      external_references: [
        { source_name: 'capec', external_id: 'CAPEC-66' },
        { source_name: 'cwe', external_id: 'CWE-79' },
      ],
      x_capec_child_of_refs: patternRefs(248),
      x_capec_can_precede_refs: patternRefs(7),
    }),
    capecPattern(248, CAPEC),
    capecPattern(7, { x_capec_status: 'Deprecated' }),
    capecPattern(8, { x_capec_status: 'Obsolete' }),
  ]),
  'exploitdb/files_exploits.csv': archiveCsv([
    { id: 42, description: 'Acme Widget 1.0 - Overflow', published: '2024-01-01', verified: true, cves: [] },
    { id: 43, description: 'x', published: '2024-01-02', verified: false, cves: ['CVE-2024-0001'] },
  ]),
  'metasploit/modules_metadata_base.json': frameworkJson({
    'exploit/windows/smb/x': { description: 'A description.', disclosure_date: '2024-01-03' },
  }),
})

const ids = async (path: string, key: string) => (await world.all<Json>(path)).map((row) => row[key])

rule(27, 'catalogs are complete: deprecated and obsolete entries are served with that status', async () => {
  assert.equal(await ids('/cwes?sort=id', 'numeric_id'), [1, 74, 79, 352, 494])
  assert.equal(await ids('/cwes?status=Deprecated', 'numeric_id'), [1])
  assert.is((await world.json<Json>('/cwes/1')).status, 'Deprecated')
  assert.equal(await ids('/capecs', 'capec_id'), [7, 8, 66, 248])
  assert.is((await world.json<Json>('/capecs/7')).status, 'Deprecated')
  assert.is((await world.json<Json>('/capecs/8')).status, 'Obsolete')
})

rule(27, 'categories and views are not served', async () => {
  for (const path of ['/cwes/16', '/cwes/1000']) {
    assert.is((await world.ask(path)).status, 404, path)
  }
})

rule(27, '`/exploits` has every module, with or without a CVE', async () => {
  assert.equal(await ids('/exploits', 'source_id'), ['exploit/windows/smb/x', '43', '42'])
})

rule(
  27,
  'a source id is the number in the archive or the full name in the framework; the text of the archive is the name',
  async () => {
    const archived = await world.json<Json>('/exploits/exploit_archive/42')
    assert.equal([archived.name, archived.description, archived.cve_ids], ['Acme Widget 1.0 - Overflow', null, []])
    const module = await world.json<Json>('/exploits/exploit_framework/exploit%2Fwindows%2Fsmb%2Fx')
    assert.equal([module.source_id, module.description], ['exploit/windows/smb/x', 'A description.'])
  },
)

rule(27, 'ChildOf becomes Parent, its inverse Child, PeerOf Peer; other relationships keep their name', async () => {
  const { relationships } = await world.json<{ relationships: Json[] }>('/cwes/79')
  assert.equal(
    relationships.map(({ cwe_id, slug, name, nature }) => [cwe_id, slug, name, nature]),
    [
      ['CWE-74', 'cwe-74', 'Weakness 74', 'Parent'],
      ['CWE-352', 'cwe-352', 'Weakness 352', 'Peer'],
      ['CWE-494', 'cwe-494', 'Weakness 494', 'CanPrecede'],
    ],
  )
  const inverse = await world.json<{ relationships: Json[] }>('/cwes/74')
  assert.equal(inverse.relationships, [{ cwe_id: 'CWE-79', slug: 'cwe-79', name: 'Weakness 79', nature: 'Child' }])
})

rule(27, 'relationships come from view 1000', async () => {
  const { relationships } = await world.json<{ relationships: Json[] }>('/cwes/79')
  assert.equal(
    relationships.filter(({ cwe_id }) => cwe_id === 'CWE-352').map(({ nature }) => nature),
    ['Peer'],
  )
})

rule(27, 'the counts of a weakness include every mapping', async () => {
  const rows = await world.all<{ numeric_id: number; cve_count: number; kev_count: number }>('/cwes')
  const counts = Object.fromEntries(rows.map((row) => [row.numeric_id, [row.cve_count, row.kev_count]]))
  assert.equal(
    [counts[79], counts[74], counts[352]],
    [
      [2, 1],
      [2, 2],
      [0, 0],
    ],
  )
})

rule(27, 'ids in nested items are the strings CAPEC-<n> and CWE-<n>', async () => {
  const cwe = await world.json<Json>('/cwes/79')
  assert.equal(cwe.attack_patterns, ['CAPEC-66'])
  assert.equal(cwe.attack_patterns_detailed, [{ capec_id: 'CAPEC-66', slug: 'capec-66', name: 'Pattern 66' }])
  const capec = await world.json<Json>('/capecs/66')
  assert.equal(capec.related_attack_patterns, [
    { capec_id: 'CAPEC-248', slug: 'capec-248', name: 'Pattern 248', nature: 'Parent' },
    { capec_id: 'CAPEC-7', slug: 'capec-7', name: 'Pattern 7', nature: 'CanPrecede' },
  ])
  assert.equal(capec.related_weaknesses, [{ id: 'cwe-79', display: 'CWE-79', name: 'Weakness 79' }])
})

rule(27, 'missing values of an entry are null or an empty list', async () => {
  const cwe = await world.json<Json>('/cwes/79')
  assert.equal(cwe.consequences, [{ scopes: ['Integrity'], impacts: [], note: null }])
  assert.equal(cwe.mitigations, [
    {
      phases: [],
      strategy: null,
      paragraphs: ['Do not.'],
      bullets: [],
      effectiveness: null,
      effectiveness_notes: null,
    },
  ])
  assert.equal(cwe.alternate_terms, [{ term: 'XSS', description: null }])
  assert.equal(cwe.modes_of_introduction, [{ phase: 'Implementation', note: null }])
  assert.equal([cwe.likelihood, cwe.background, cwe.observed_examples], [null, [], []])
  const capec = await world.json<Json>('/capecs/66')
  assert.equal([capec.severity, capec.likelihood, capec.examples, capec.mitigations], [null, null, [], []])
  assert.equal([capec.indicators, capec.consequences], [[], []])
})

states('22.6', 'items of nested lists', async () => {
  const { execution_flow, examples, indicators, alternate_terms, taxonomy_mappings } =
    await world.json<Json>('/capecs/248')
  assert.equal(execution_flow, [
    { step: 1, phase: 'Explore', description: 'Look.', techniques: ['Left.', 'Right.'] },
    { step: 2, phase: null, description: 'Go.', techniques: [] },
  ])
  assert.equal([examples, indicators], [['It was done.'], []])
  assert.equal(alternate_terms, [{ term: 'Other', description: null }])
  assert.equal(taxonomy_mappings, [{ taxonomy: 'WASC', entry_name: 'x', entry_id: '1', fit: null }])
})

contract.after(world.remove)
contract.run()
