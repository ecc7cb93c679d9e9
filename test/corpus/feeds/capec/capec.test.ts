/** The CAPEC catalog: every layout gives the same entries; the choice of the file; and rejected content. */
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findCapec, readCapec } from '../../../../corpus/feeds/capec/capec.ts'
import { readExecutionFlow, stixText } from '../../../../corpus/feeds/capec/stix-text.ts'
import type { FeedItem } from '../../../../corpus/feeds/feed.ts'
import { chooseFiles } from '../../../../corpus/feeds/files/choice.ts'
import type { CapecEntry } from '../../../../corpus/model/catalog.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { putFeeds, zipOf } from '../../../support/feeds.ts'
import { claims, entries, told, UNKNOWN, versions } from '../catalog/catalog-items.ts'
import { errorOf, itemsOf } from '../reading.ts'
import { barePattern, bundle, CATALOG_STIX, objectTree, PATTERN, patternId, type StixObject } from './capec-forms.ts'

const folder = temporaryFolder('capec')
let folders = 0

/** Creates a feeds folder with these files below `capec/`. */
function feedsOf(files: Record<string, Uint8Array | string>): string {
  const paths = Object.entries(files).map(([name, content]) => [`capec/${name}`, content])
  return putFeeds(join(folder.path, String(++folders)), Object.fromEntries(paths))
}

/** Returns the items of the file chosen among these. */
async function items(files: Record<string, Uint8Array | string>, options = UNKNOWN): Promise<FeedItem[]> {
  const [file] = chooseFiles(await findCapec(feedsOf(files)), null)
  return itemsOf(readCapec(file!, options))
}

const stixItems = (...objects: Parameters<typeof bundle>[0]) => items({ 'stix-capec.json': bundle(objects) })

const FORMS: Record<string, Record<string, Uint8Array | string>> = {
  'one file': { 'stix-capec.json': bundle(CATALOG_STIX) },
  'one zipped file': { 'stix-capec-3.9.zip': zipOf({ 'capec/2.1/stix-capec.json': bundle(CATALOG_STIX) }) },
  'zipped objects': { 'capec-3.9-stix-2.1-objects.zip': zipOf(objectTree(CATALOG_STIX)) },
}

/** Returns an object without its relations. */
const withoutRelations = (object: StixObject) =>
  Object.fromEntries(Object.entries(object).filter(([field]) => !field.endsWith('_refs'))) as StixObject

const forms = suite('capec forms')

for (const [form, content] of Object.entries(FORMS)) {
  forms(`${form}: the same entry, keys in the order of the API`, async () => {
    const found = claims(await items(content))
    assert.equal(found.map(({ key }) => key).sort(), ['CAPEC-3', 'CAPEC-40', 'CAPEC-41'])
    const { body, cveIds, statedAt } = found.find(({ key }) => key === 'CAPEC-40')!
    assert.is(body, JSON.stringify(PATTERN))
    assert.equal({ cveIds, statedAt }, { cveIds: [], statedAt: '2023-01-24T00:00:00.000Z' })
  })
}

forms('relations are completed from the other side, and the peer keeps its side', async () => {
  const oneSided = CATALOG_STIX.map((object) => (object.id === patternId(40) ? object : withoutRelations(object)))
  for (const objects of [CATALOG_STIX, oneSided]) {
    const found = entries<CapecEntry>(await stixItems(...objects))
    const natures = (key: string) =>
      found.get(key)?.related_attack_patterns.map(({ capec_id, nature }) => `${nature} ${capec_id}`)
    assert.equal(natures('CAPEC-3'), ['Child CAPEC-40', 'CanFollow CAPEC-40'])
    assert.equal(natures('CAPEC-41'), ['Parent CAPEC-40', 'CanPrecede CAPEC-40'])
  }
})

forms('the levels of skills are sorted, scopes are written with blanks, indicators are not part of STIX', async () => {
  const pattern = barePattern(1, 'One', {
    x_capec_skills_required: { Unknown: 'Some.', High: 'Many.', Medium: '' },
    x_capec_consequences: { Access_Control: ['Other'] },
  })
  const found = entries<CapecEntry>(await stixItems(pattern)).get('CAPEC-1')!
  assert.equal(found.skills, ['Medium', 'High: Many.', 'Unknown: Some.'])
  assert.equal(found.consequences, [{ scopes: ['Access Control'], impacts: ['Other'], note: null }])
  assert.equal(found.indicators, [])
})

forms('what an entry does not state is null or empty', async () => {
  const bare = { type: 'attack-pattern', id: patternId(1), modified: '2023-01-01', x_capec_version: '3.9' }
  const stix = { ...bare, external_references: [{ source_name: 'capec', external_id: 'CAPEC-1' }] }
  const { name, abstraction, status, severity, likelihood, description, updated_at, ...rest } = entries<CapecEntry>(
    await stixItems(stix),
  ).get('CAPEC-1')!
  assert.equal([name, abstraction, status, severity, likelihood], [null, null, null, null, null])
  assert.equal([description, updated_at], ['', '2023-01-01T00:00:00.000Z'])
  assert.equal(
    Object.values(rest).filter(Array.isArray),
    Array.from({ length: 13 }, () => []),
  )
})

forms('deprecated and obsolete patterns are there with that status', async () => {
  const stix = await stixItems(
    barePattern(1, 'One', { x_capec_status: 'Deprecated' }),
    barePattern(2, 'Two', { x_capec_status: 'Obsolete' }),
  )
  assert.equal(
    [...entries<CapecEntry>(stix).values()].map(({ status }) => status),
    ['Deprecated', 'Obsolete'],
  )
})

forms('an entry that names another is new when the other is renamed', async () => {
  const digests = new Map(claims(await items(FORMS['one file']!)).map(({ key, digest }) => [key, digest]))
  const options = { ...UNKNOWN, digestOf: (key: string) => digests.get(key) ?? null }
  assert.equal(told(await items(FORMS['one file']!, options)), ['known CAPEC-3', 'known CAPEC-40', 'known CAPEC-41'])
  const renamed = bundle(CATALOG_STIX).replace('"Nut Swapping"', '"Bolt Swapping"')
  assert.equal(told(await items({ 'stix-capec.json': renamed }, options)), ['known CAPEC-3', 'CAPEC-40', 'CAPEC-41'])
})

forms.run()

const stixTexts = suite('capec stix texts')

stixTexts('only tags with the prefix are markup, whatever else looks like one', () => {
  assert.is(stixText('<xhtml:p>a <b> c</xhtml:p><xhtml:br/>&lt; d'), 'a <b> c\n\n&lt; d')
  assert.is(stixText('a < b <xhtml:p'), 'a < b <xhtml:p')
})

stixTexts('a text that was cut ends what it left open, and a tag that closes nothing is dropped', () => {
  assert.is(stixText('Choose:<xhtml:ul><xhtml:li>one'), 'Choose:\n\n- one')
  assert.is(stixText('Choose:<xhtml:ul>'), 'Choose:')
  assert.is(stixText('a</xhtml:p> b'), 'a b')
})

stixTexts('tags nested without end are a text like others', () => {
  assert.is(stixText(`${'<xhtml:div>'.repeat(5000)}deep`), 'deep')
})

stixTexts('a flow that was cut keeps the steps that are there', () => {
  assert.equal(readExecutionFlow('<div><h3>Explore</h3><ol><li> <p> <b>One: </b>a</p></li><li> <p> b'), [
    { step: 1, phase: 'Explore', description: 'One: a', techniques: [] },
    { step: 2, phase: 'Explore', description: 'b', techniques: [] },
  ])
  assert.equal(readExecutionFlow('nothing of the kind'), [])
})

stixTexts.run()

const order = suite('capec mitigations')

/** Returns the names of courses of action in the order of pattern number 5. */
async function ordered(...names: string[]): Promise<string[] | undefined> {
  const actions = names.flatMap((name, index) => [
    { type: 'course-of-action', id: `course-of-action--${index}`, name, description: name },
    {
      type: 'relationship',
      id: `relationship--${index}`,
      relationship_type: 'mitigates',
      source_ref: `course-of-action--${index}`,
      target_ref: patternId(5),
    },
  ])
  return entries<CapecEntry>(await stixItems(barePattern(5, 'Five'), ...actions)).get('CAPEC-5')?.mitigations
}

order("a pattern's own are in their places, shared ones where places are free", async () => {
  assert.equal(await ordered('coa-5-10', 'coa-5-0', 'coa-5-9'), ['coa-5-0', 'coa-5-9', 'coa-5-10'])
  assert.equal(await ordered('coa-5-0', 'coa-5-3', 'coa-40-1', 'coa-9-6'), [
    'coa-5-0',
    'coa-9-6',
    'coa-40-1',
    'coa-5-3',
  ])
  assert.equal(await ordered('coa-5-1', 'coa-5-0', 'other'), ['coa-5-0', 'coa-5-1', 'other'])
})

order('other relationships are none, nor is one whose course of action is missing', async () => {
  const relationship = { type: 'relationship', source_ref: 'course-of-action--1', target_ref: patternId(5) }
  const found = await stixItems(
    barePattern(5, 'Five'),
    { ...relationship, id: 'relationship--1', relationship_type: 'mitigates' },
    { ...relationship, id: 'relationship--2', relationship_type: 'uses', source_ref: patternId(5) },
  )
  assert.equal(entries<CapecEntry>(found).get('CAPEC-5')?.mitigations, [])
})

order.run()

const files = suite('capec files')
const edition = (version: string, modified: string) =>
  bundle([barePattern(1, 'One', { x_capec_version: version, modified })])

files('of several the newest is read, dated by its newest pattern, numbered by what it states', async () => {
  const found = await findCapec(
    feedsOf({
      'stix-capec-3.6.zip': zipOf({ 'capec/2.1/stix-capec.json': edition('3.6', '2021-10-21T00:00:00.000Z') }),
      'capec-3.9-stix-2.1-objects.zip': zipOf(objectTree(CATALOG_STIX)),
      'capec_v3.9.xml': '<Attack_Pattern_Catalog/>',
      '2021/stix-capec.json': edition('3.5', '2021-06-24T00:00:00.000Z'),
      'readme.txt': 'x',
    }),
  )
  assert.equal(versions(found), [
    ['capec/2021/stix-capec.json', '2021-06-24T00:00:00.000Z', '3.5'],
    ['capec/capec-3.9-stix-2.1-objects.zip', '2023-01-24T00:00:00.000Z', '3.9'],
    ['capec/stix-capec-3.6.zip', '2021-10-21T00:00:00.000Z', '3.6'],
  ])
  assert.equal(
    [null, '2022-01-01', '2021-07-01', '2020-01-01'].map((asOf) =>
      chooseFiles(found, asOf).map(({ version }) => version),
    ),
    [['3.9'], ['3.6'], ['3.5'], []],
  )
})

files('an edition 3.10 comes after 3.9', async () => {
  const patterns = [
    barePattern(1, 'One', { x_capec_version: '3.9' }),
    barePattern(2, 'Two', { x_capec_version: '3.10' }),
  ]
  const found = await findCapec(feedsOf({ 'stix-capec.json': bundle(patterns) }))
  assert.equal(
    found.map(({ version }) => version),
    ['3.10'],
  )
})

files('a file without a catalog gives an error that names it', async () => {
  const cases: [Record<string, Uint8Array | string>, RegExp][] = [
    [{ 'stix-capec.json': '' }, /^file_invalid: capec\/stix-capec\.json: it is not JSON/],
    [{ 'stix-capec.json': '[]' }, /^file_invalid: capec\/stix-capec\.json: it is not a STIX bundle/],
    [{ 'stix-capec.json': bundle([]) }, /^file_invalid: capec\/stix-capec\.json: it contains no CAPEC attack pattern/],
    [
      { 'stix-capec.zip': zipSync({ 'x.txt': new Uint8Array() }) },
      /^file_invalid: .* it contains no CAPEC attack pattern/,
    ],
    [{ 'stix-capec.zip': 'PK' }, /^file_damaged: capec\/stix-capec\.zip: /],
  ]
  for (const [content, what] of cases) assert.match(await errorOf(() => items(content)), what)
})

files('of many objects a bad one is skipped by name, and so is a pattern that cannot be used', async () => {
  const tree = objectTree([
    barePattern(1, 'One'),
    barePattern(2, 'Two', { modified: 'soon' }),
    barePattern(3, 'Three', { external_references: [{ source_name: 'capec', external_id: 'CAPEC-1' }] }),
    barePattern(4, 'Four', { external_references: [] }),
  ])
  assert.equal(told(await items({ 'stix.zip': zipOf({ ...tree, 'capec/2.1/attack-pattern/x.json': '{' }) })), [
    'CAPEC-1',
    'capec/2.1/attack-pattern/x.json file_invalid: it is not JSON: ' +
      "Expected property name or '}' in JSON at position 1 (line 1 column 2)",
    'CAPEC-2 item_invalid: modified is not a timestamp',
    'CAPEC-1 item_invalid: it is in the catalog twice',
  ])
})

files.after(folder.remove)
files.run()
