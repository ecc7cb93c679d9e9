/** The CWE catalog: the entry of each element, the relations of weaknesses, and rejected content. */
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findCwe, readCwe } from '../../../../corpus/feeds/cwe/cwe.ts'
import type { FeedItem } from '../../../../corpus/feeds/feed.ts'
import { chooseFiles } from '../../../../corpus/feeds/files/choice.ts'
import type { CweEntry } from '../../../../corpus/model/catalog.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { putFeeds } from '../../../support/feeds.ts'
import { claims, entries, told, UNKNOWN, versions } from '../catalog/catalog-items.ts'
import { errorOf, itemsOf } from '../reading.ts'

const folder = temporaryFolder('cwe')
let folders = 0

/** Creates a feeds folder with these files below `cwe/`. */
function feedsOf(files: Record<string, Uint8Array | string>): string {
  const paths = Object.entries(files).map(([name, content]) => [`cwe/${name}`, content])
  return putFeeds(join(folder.path, String(++folders)), Object.fromEntries(paths))
}

const NAMESPACES = 'xmlns="http://cwe.mitre.org/cwe-7" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
const catalog = (weaknesses: string, attributes = 'Version="4.15" Date="2024-07-16"') =>
  `<?xml version="1.0" encoding="UTF-8"?><Weakness_Catalog Name="CWE" ${attributes} ${NAMESPACES}>
    <Weaknesses>${weaknesses}</Weaknesses>
    <Categories><Category ID="900" Name="A category" Status="Draft"/></Categories>
    <Views><View ID="1000" Name="A view" Status="Draft"/></Views>
  </Weakness_Catalog>`

const weakness = (id: number | string, content = '', attributes = 'Abstraction="Base" Status="Draft"') =>
  `<Weakness ID="${id}" Name="Weakness ${id}" Structure="Simple" ${attributes}>
    <Description>About ${id}.</Description>${content}</Weakness>`

const related = (nature: string, id: number, view = 1000) =>
  `<Related_Weaknesses><Related_Weakness Nature="${nature}" CWE_ID="${id}" View_ID="${view}" Ordinal="Primary"/>
   </Related_Weaknesses>`

async function items(xml: string, options = UNKNOWN): Promise<FeedItem[]> {
  const [file] = await findCwe(feedsOf({ 'cwec_v4.15.xml': xml }))
  return itemsOf(readCwe(file!, options))
}

const FULL = `<Weakness ID="7" Name="Widget &lt;Confusion&gt;" Abstraction="Base" Structure="Simple" Status="Stable">
  <Description>A widget is confused.</Description>
  <Extended_Description>
    <xhtml:p>It takes one thing</xhtml:p><xhtml:p>for another:</xhtml:p>
    <xhtml:ul><xhtml:li>a nut</xhtml:li><xhtml:li>a bolt</xhtml:li></xhtml:ul>
  </Extended_Description>
  <Related_Weaknesses>
    <Related_Weakness Nature="ChildOf" CWE_ID="8" View_ID="1000" Ordinal="Primary"/>
  </Related_Weaknesses>
  <Weakness_Ordinalities><Weakness_Ordinality><Ordinality>Primary</Ordinality></Weakness_Ordinality></Weakness_Ordinalities>
  <Applicable_Platforms>
    <Operating_System Class="Unix" Prevalence="Rarely"/>
    <Language Name="C" Prevalence="Often"/>
    <Language Class="Not Language-Specific" Prevalence="Undetermined"/>
    <Technology Name="Web Server" Class="Web Based" Prevalence="Sometimes"/>
    <Architecture Name="x86"/>
  </Applicable_Platforms>
  <Background_Details><Background_Detail>Widgets are old.</Background_Detail></Background_Details>
  <Alternate_Terms>
    <Alternate_Term Role="Preferred"><Term>Mix-up</Term><Description>Colloquial.</Description></Alternate_Term>
    <Alternate_Term><Term>Muddle</Term></Alternate_Term>
  </Alternate_Terms>
  <Modes_Of_Introduction>
    <Introduction><Phase>Implementation</Phase><Note>By haste.</Note></Introduction>
    <Introduction><Phase>Operation</Phase></Introduction>
  </Modes_Of_Introduction>
  <Likelihood_Of_Exploit>High</Likelihood_Of_Exploit>
  <Common_Consequences>
    <Consequence>
      <Scope>Integrity</Scope><Scope>Access Control</Scope><Impact>Modify Memory</Impact><Impact>Other</Impact>
      <Likelihood>Low</Likelihood><Note>It depends.</Note>
    </Consequence>
  </Common_Consequences>
  <Detection_Methods>
    <Detection_Method Detection_Method_ID="DM-1">
      <Method>Manual Analysis</Method>
      <Description>Look at it.<xhtml:div style="margin-left:1em;"><xhtml:ul><xhtml:li>twice</xhtml:li></xhtml:ul></xhtml:div></Description>
      <Effectiveness>Moderate</Effectiveness>
      <Effectiveness_Notes>Eyes tire.</Effectiveness_Notes>
    </Detection_Method>
  </Detection_Methods>
  <Potential_Mitigations>
    <Mitigation Mitigation_ID="MIT-1">
      <Phase>Implementation</Phase><Phase>Testing</Phase>
      <Strategy>Labels</Strategy>
      <Description><xhtml:p>Label them:</xhtml:p><xhtml:ul><xhtml:li>nuts</xhtml:li></xhtml:ul></Description>
      <Effectiveness>High</Effectiveness>
      <Effectiveness_Notes>Labels stick.</Effectiveness_Notes>
    </Mitigation>
    <Mitigation><Description>Use fewer.</Description></Mitigation>
  </Potential_Mitigations>
  <Demonstrative_Examples>
    <Demonstrative_Example Demonstrative_Example_ID="DX-1">
      <Intro_Text>See here.</Intro_Text>
      <Example_Code Nature="Bad" Language="C"><xhtml:div>if (nut) {<xhtml:div style="margin-left:1em;">bolt();</xhtml:div>}</xhtml:div></Example_Code>
      <Body_Text>It is wrong.</Body_Text>
      <Example_Code Nature="Good">bolt(nut &amp;&amp; 1);</Example_Code>
      <Body_Text>It is right.</Body_Text>
      <References><Reference External_Reference_ID="REF-1"/></References>
    </Demonstrative_Example>
  </Demonstrative_Examples>
  <Observed_Examples>
    <Observed_Example>
      <Reference>CVE-2024-0001</Reference><Description>A muddle.</Description><Link>https://cve.example/1?a=b&amp;c</Link>
    </Observed_Example>
  </Observed_Examples>
  <Taxonomy_Mappings>
    <Taxonomy_Mapping Taxonomy_Name="PLOVER"><Entry_Name>Muddles</Entry_Name></Taxonomy_Mapping>
    <Taxonomy_Mapping Taxonomy_Name="CERT C"><Entry_ID>M30</Entry_ID><Entry_Name>No muddle</Entry_Name><Mapping_Fit>Exact</Mapping_Fit></Taxonomy_Mapping>
  </Taxonomy_Mappings>
  <Related_Attack_Patterns>
    <Related_Attack_Pattern CAPEC_ID="100"/><Related_Attack_Pattern CAPEC_ID="9"/><Related_Attack_Pattern CAPEC_ID="100"/>
  </Related_Attack_Patterns>
  <Mapping_Notes><Usage>Allowed</Usage></Mapping_Notes>
  <Content_History>
    <Submission><Submission_Date>2006-07-19</Submission_Date><Submission_ReleaseDate>2099-01-01</Submission_ReleaseDate></Submission>
    <Modification><Modification_Date>2023-10-26</Modification_Date></Modification>
    <Modification><Modification_Date>2011-06-01</Modification_Date></Modification>
    <Previous_Entry_Name Date="2098-01-01">Old</Previous_Entry_Name>
  </Content_History>
</Weakness>`

const FULL_ENTRY: CweEntry = {
  cwe_id: 'CWE-7',
  slug: 'cwe-7',
  numeric_id: 7,
  name: 'Widget <Confusion>',
  abstraction: 'Base',
  structure: 'Simple',
  status: 'Stable',
  likelihood: 'High',
  description: 'A widget is confused.',
  extended_description: ['It takes one thing', 'for another:', '- a nut\n- a bolt'],
  background: ['Widgets are old.'],
  alternate_terms: [
    { term: 'Mix-up', description: 'Colloquial.' },
    { term: 'Muddle', description: null },
  ],
  consequences: [{ scopes: ['Integrity', 'Access Control'], impacts: ['Modify Memory', 'Other'], note: 'It depends.' }],
  mitigations: [
    {
      phases: ['Implementation', 'Testing'],
      strategy: 'Labels',
      paragraphs: ['Label them:'],
      bullets: ['nuts'],
      effectiveness: 'High',
      effectiveness_notes: 'Labels stick.',
    },
    {
      phases: [],
      strategy: null,
      paragraphs: ['Use fewer.'],
      bullets: [],
      effectiveness: null,
      effectiveness_notes: null,
    },
  ],
  detection_methods: [
    {
      method: 'Manual Analysis',
      paragraphs: ['Look at it.'],
      bullets: ['twice'],
      effectiveness: 'Moderate',
      effectiveness_notes: 'Eyes tire.',
    },
  ],
  demonstrative_examples: [
    {
      intro: ['See here.'],
      body: ['It is wrong.', 'It is right.'],
      snippets: [
        { code: 'if (nut) {\n  bolt();\n}', language: 'C', nature: 'Bad' },
        { code: 'bolt(nut && 1);', language: null, nature: 'Good' },
      ],
    },
  ],
  observed_examples: [{ cve_id: 'CVE-2024-0001', description: 'A muddle.', link: 'https://cve.example/1?a=b&c' }],
  modes_of_introduction: [
    { phase: 'Implementation', note: 'By haste.' },
    { phase: 'Operation', note: null },
  ],
  platforms: [
    {
      label: 'Language',
      items: [
        { name: 'C', prevalence: 'Often' },
        { name: 'Not Language-Specific', prevalence: 'Undetermined' },
      ],
    },
    { label: 'Operating System', items: [{ name: 'Unix', prevalence: 'Rarely' }] },
    { label: 'Architecture', items: [{ name: 'x86', prevalence: null }] },
    { label: 'Technology', items: [{ name: 'Web Server', prevalence: 'Sometimes' }] },
  ],
  taxonomy_mappings: [
    { taxonomy: 'PLOVER', entry_name: 'Muddles', entry_id: null, fit: null },
    { taxonomy: 'CERT C', entry_name: 'No muddle', entry_id: 'M30', fit: 'Exact' },
  ],
  attack_patterns: ['CAPEC-9', 'CAPEC-100'],
  attack_patterns_detailed: [
    { capec_id: 'CAPEC-9', slug: 'capec-9', name: null },
    { capec_id: 'CAPEC-100', slug: 'capec-100', name: null },
  ],
  relationships: [{ cwe_id: 'CWE-8', slug: 'cwe-8', name: 'Weakness 8', nature: 'Parent' }],
  catalog_version: '4.15',
  updated_at: '2023-10-26T00:00:00.000Z',
}

const entry = suite('cwe entry')

entry('every element has its field, keys in the order of the API', async () => {
  const found = await items(catalog(FULL + weakness(8)))
  assert.is(claims(found)[0]!.body, JSON.stringify(FULL_ENTRY))
  assert.equal(claims(found)[0]!.cveIds, [])
  assert.is(claims(found)[0]!.statedAt, '2023-10-26T00:00:00.000Z')
})

entry('schema 8 says the same in another namespace and with other prefixes', async () => {
  const xml = catalog(FULL + weakness(8))
    .replace('xmlns="http://cwe.mitre.org/cwe-7" xmlns:xhtml=', 'xmlns:c="http://cwe.mitre.org/cwe-8" xmlns:h=')
    .replaceAll('xhtml:', 'h:')
    .replace(/<(\/?)([A-Z])/g, '<$1c:$2')
  assert.equal(entries<CweEntry>(await items(xml)).get('CWE-7'), FULL_ENTRY)
})

entry('what an entry does not state is null or empty, and its date is that of the catalog', async () => {
  const bare = entries<CweEntry>(await items(catalog('<Weakness ID="3" Name="N" Abstraction="Class" Status="Draft"/>')))
  const { description, structure, likelihood, updated_at, ...rest } = bare.get('CWE-3')!
  assert.equal({ description, structure, likelihood }, { description: '', structure: null, likelihood: null })
  assert.is(updated_at, '2024-07-16T00:00:00.000Z')
  assert.equal(
    Object.values(rest).filter(Array.isArray),
    Array.from({ length: 14 }, () => []),
  )
})

entry.run()

const relations = suite('cwe relationships')
const natures = (found: CweEntry | undefined) => found?.relationships.map(({ cwe_id, nature }) => `${nature} ${cwe_id}`)

relations('ChildOf is Parent and has an inverse, PeerOf is Peer and has none, others keep their name', async () => {
  const found = entries<CweEntry>(
    await items(
      catalog(
        weakness(1) +
          weakness(20, related('ChildOf', 1)) +
          weakness(3, related('ChildOf', 1)) +
          weakness(4, related('PeerOf', 3)) +
          weakness(5, related('CanPrecede', 3)),
      ),
    ),
  )
  assert.equal(natures(found.get('CWE-1')), ['Child CWE-3', 'Child CWE-20'])
  assert.equal(natures(found.get('CWE-3')), ['Parent CWE-1'])
  assert.equal(natures(found.get('CWE-4')), ['Peer CWE-3'])
  assert.equal(natures(found.get('CWE-5')), ['CanPrecede CWE-3'])
})

relations('only those of view 1000 count, each once', async () => {
  const twice = '<Related_Weakness Nature="PeerOf" CWE_ID="1" View_ID="1000"/>'.repeat(2)
  const found = entries<CweEntry>(
    await items(
      catalog(
        weakness(1) +
          weakness(2, related('ChildOf', 1, 1003)) +
          weakness(3, `<Related_Weaknesses>${twice}</Related_Weaknesses>`),
      ),
    ),
  )
  assert.equal(natures(found.get('CWE-1')), [])
  assert.equal(natures(found.get('CWE-2')), [])
  assert.equal(natures(found.get('CWE-3')), ['Peer CWE-1'])
})

relations('one that the catalog does not have keeps its id, without a name', async () => {
  const found = entries<CweEntry>(await items(catalog(weakness(2, related('ChildOf', 9)))))
  assert.equal(found.get('CWE-2')?.relationships, [{ cwe_id: 'CWE-9', slug: 'cwe-9', name: null, nature: 'Parent' }])
})

relations('an entry that names another is new when the other is renamed', async () => {
  const before = catalog(weakness(1) + weakness(2, related('ChildOf', 1)) + weakness(3))
  const digests = new Map(claims(await items(before)).map(({ key, digest }) => [key, digest]))
  const options = { ...UNKNOWN, digestOf: (key: string) => digests.get(key) ?? null }
  assert.equal(told(await items(before, options)), ['known CWE-1', 'known CWE-2', 'known CWE-3'])
  const renamed = before.replace('Name="Weakness 1"', 'Name="Renamed"')
  assert.equal(told(await items(renamed, options)), ['CWE-1', 'CWE-2', 'known CWE-3'])
})

relations.run()

const taken = suite('cwe items')

taken('deprecated weaknesses are there with that status, categories and views are not', async () => {
  const found = entries<CweEntry>(await items(catalog(weakness(2, '', 'Abstraction="Base" Status="Deprecated"'))))
  assert.equal([...found.keys()], ['CWE-2'])
  assert.is(found.get('CWE-2')?.status, 'Deprecated')
})

taken('a weakness without what each must have is skipped by name', async () => {
  const broken = [
    weakness(2, '', 'Abstraction="Base"'),
    weakness(3, '', 'Status="Draft"'),
    weakness('x'),
    weakness(0),
    '<Weakness Abstraction="Base" Status="Draft" Name="N"/>',
    '<Weakness ID="5" Abstraction="Base" Status="Draft"/>',
    weakness(6, '<Related_Attack_Patterns><Related_Attack_Pattern CAPEC_ID="?"/></Related_Attack_Patterns>'),
    weakness(1),
  ]
  assert.equal(told(await items(catalog(weakness(1) + broken.join('')))), [
    'CWE-1',
    'CWE-2 item_invalid: Weakness has no Status',
    'CWE-3 item_invalid: Weakness has no Abstraction',
    'CWE-x item_invalid: ID of Weakness is not a number from 1: x',
    'CWE-0 item_invalid: ID of Weakness is not a number from 1: 0',
    'weakness 6 item_invalid: ID of Weakness is not a number from 1: it is missing',
    'CWE-5 item_invalid: Weakness has no Name',
    'CWE-6 item_invalid: CAPEC_ID of Related_Attack_Pattern is not a number from 1: ?',
    'CWE-1 item_invalid: it is in the catalog twice',
  ])
})

taken('a file that is no catalog, or does not say which, is an error', async () => {
  const cases: [string, RegExp][] = [
    [
      '<Attack_Pattern_Catalog Version="1" Date="2024-01-01"/>',
      /not a CWE catalog: its root element is Attack_Pattern_Catalog$/,
    ],
    [catalog('', 'Version="4.15"'), /has no Version or no valid Date/],
    [catalog('', 'Date="2024-01-01"'), /has no Version or no valid Date/],
    [catalog('', 'Version="4.15" Date="2024-02-30"'), /has no Version or no valid Date/],
    [catalog(weakness(1)).slice(0, -20), /is not XML/],
    ['', /is empty/],
  ]
  for (const [xml, what] of cases) {
    const error = await errorOf(() => items(xml))
    assert.match(error, /^file_invalid: cwe\/cwec_v4\.15\.xml /)
    assert.match(error, what)
  }
})

taken.run()

const files = suite('cwe files')
const dated = (date: string, version: string) => catalog(weakness(1), `Version="${version}" Date="${date}"`)

files('plain and zipped, dated and numbered by what they state', async () => {
  const feeds = feedsOf({
    'cwec_latest.xml.zip': zipSync({ 'cwec_v4.16.xml': Buffer.from(dated('2024-11-19', '4.16')) }),
    'cwec_v4.9.xml': dated('2022-10-13', '4.9'),
    'old/cwec_v2.0.xml': dated('2010-01-01', '2.0'),
    'cwe_schema_v7.2.xsd': '<schema/>',
    '699.csv.zip': 'x',
  })
  const found = await findCwe(feeds)
  assert.equal(versions(found), [
    ['cwe/cwec_latest.xml.zip', '2024-11-19T00:00:00.000Z', '4.16'],
    ['cwe/cwec_v4.9.xml', '2022-10-13T00:00:00.000Z', '4.9'],
    ['cwe/old/cwec_v2.0.xml', '2010-01-01T00:00:00.000Z', '2.0'],
  ])
  const [newest, ...others] = chooseFiles(found, null)
  assert.equal(others, [])
  assert.equal(told(await itemsOf(readCwe(newest!, UNKNOWN))), ['CWE-1'])
})

files('a zip that is damaged, empty or has two catalogs gives an error that names it', async () => {
  const zip = zipSync({ 'a.xml': Buffer.from(dated('2024-11-19', '4.16')) })
  const flipped = zip.slice()
  flipped[60] = flipped[60]! ^ 1
  const cases: [Uint8Array, RegExp][] = [
    [zip.subarray(0, -10), /^file_damaged: cwe\/cwec\.xml\.zip: /],
    [flipped, /^entry_damaged: cwe\/cwec\.xml\.zip: /],
    [zipSync({ 'readme.txt': Buffer.from('x') }), /^file_invalid: cwe\/cwec\.xml\.zip: it contains 0 XML files/],
    [zipSync({ 'a.xml': zip, 'b.xml': zip }), /^file_invalid: cwe\/cwec\.xml\.zip: it contains 2 XML files/],
    [new Uint8Array(), /^file_damaged: cwe\/cwec\.xml\.zip: /],
  ]
  for (const [bytes, what] of cases)
    assert.match(await errorOf(() => findCwe(feedsOf({ 'cwec.xml.zip': bytes }))), what)
})

files('a file that cannot be read is passed over only where its name dates it', async () => {
  assert.equal(versions(await findCwe(feedsOf({ '2024-01-02/cwec.xml.zip': 'x' }))), [
    ['cwe/2024-01-02/cwec.xml.zip', '2024-01-02', null],
  ])
})

files.after(folder.remove)
files.run()
