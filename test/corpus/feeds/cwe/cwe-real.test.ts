/** The real CWE catalog: no data is lost, by counts of its tags and characters. */
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findCwe, readCwe } from '../../../../corpus/feeds/cwe/cwe.ts'
import type { CweEntry } from '../../../../corpus/model/catalog.ts'
import { needs, REAL_FEEDS } from '../../../support/needs.ts'
import { bytesOf, entries, told, UNKNOWN, versions } from '../catalog/catalog-items.ts'
import { itemsOf } from '../reading.ts'

needs('real feeds')

const zip = join(REAL_FEEDS, 'cwe/cwec_v4.15.xml.zip')

const [file] = await findCwe(REAL_FEEDS)
const items = await itemsOf(readCwe(file!, UNKNOWN))
const found = [...entries<CweEntry>(items).values()]
const xml = Buffer.from(unzipSync(bytesOf(zip))['cwec_v4.15.xml']!)
  .toString('utf8')
  .split('</Weaknesses>')[0]!
const elements = new Map(
  xml
    .split('<Weakness ID="')
    .slice(1)
    .map((element) => [`CWE-${Number.parseInt(element, 10)}`, element.split('</Weakness>')[0]!]),
)
const tags = (name: string) => xml.split(`<${name}>`).length + xml.split(`<${name} `).length - 2

test('the file states its version and its date', () => {
  assert.equal(versions([file!]), [['cwe/cwec_v4.15.xml.zip', '2024-07-16T00:00:00.000Z', '4.15']])
})

test('every weakness is there, none is skipped', () => {
  assert.is(found.length, 964)
  assert.equal(told(items).sort(), [...elements.keys()].sort())
  const number = (status: string) => found.filter((entry) => entry.status === status).length
  assert.equal(['Stable', 'Draft', 'Incomplete', 'Deprecated'].map(number), [26, 431, 482, 25])
  assert.is(found.filter(({ abstraction }) => abstraction === 'Compound').length, 7)
})

test('there are as many items as tags', () => {
  const lists: Record<string, (entry: CweEntry) => readonly unknown[]> = {
    Alternate_Term: (entry) => entry.alternate_terms,
    Consequence: (entry) => entry.consequences,
    Scope: (entry) => entry.consequences.flatMap(({ scopes }) => scopes),
    Impact: (entry) => entry.consequences.flatMap(({ impacts }) => impacts),
    Mitigation: (entry) => entry.mitigations,
    Strategy: (entry) => entry.mitigations.filter(({ strategy }) => strategy),
    Detection_Method: (entry) => entry.detection_methods,
    Demonstrative_Example: (entry) => entry.demonstrative_examples,
    Example_Code: (entry) => entry.demonstrative_examples.flatMap(({ snippets }) => snippets),
    Observed_Example: (entry) => entry.observed_examples,
    Introduction: (entry) => entry.modes_of_introduction,
    Taxonomy_Mapping: (entry) => entry.taxonomy_mappings,
    Related_Attack_Pattern: (entry) => entry.attack_patterns,
    Likelihood_Of_Exploit: ({ likelihood }) => (likelihood === null ? [] : [likelihood]),
  }
  for (const [name, of] of Object.entries(lists)) assert.is(found.flatMap(of).length, tags(name), name)
  const platforms = ['Language', 'Operating_System', 'Architecture', 'Technology'].map(tags)
  assert.is(
    found.flatMap((entry) => entry.platforms.flatMap(({ items }) => items)).length,
    platforms.reduce((a, b) => a + b),
  )
})

test('relationships: every parent has its child, and every name is known', () => {
  const natures = new Map<string, number>()
  for (const { nature, name } of found.flatMap(({ relationships }) => relationships)) {
    natures.set(nature, (natures.get(nature) ?? 0) + 1)
    assert.type(name, 'string')
  }
  assert.equal([...natures].sort(), [
    ['CanAlsoBe', 27],
    ['CanPrecede', 141],
    ['Child', 1077],
    ['Parent', 1077],
    ['Peer', 85],
    ['Requires', 13],
  ])
})

/** Returns the characters of all texts in elements of a name, without tags and white space. */
const upstream = (element: string, name: string) =>
  Array.from(element.matchAll(new RegExp(`<${name}(?: [^>]*)?>([\\s\\S]*?)</${name}>`, 'g')), ([, inner]) =>
    inner!
      .replace(/<[^>]*>/g, '')
      .replace(/&#(x?)([\dA-F]+);/gi, (_, hex, code) => String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10)))
      .replace(/&(lt|gt|quot|amp);/g, (_, entity) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[entity as 'lt']),
  ).join('')

/** Characters in any order, which the synthetic entries test. The adapter adds dashes and bars; they are omitted. */
const characters = (text: string) => [...text.replace(/[\s|^-]/g, '')].sort().join('')

/** Removes numbers of list items, which the adapter adds where lists have no field of their own. */
const unnumbered = (paragraphs: string[]) => paragraphs.map((paragraph) => paragraph.replace(/^ *\d+\. /gm, ''))

test('the texts have the characters that upstream gave them, no more and no less', () => {
  const part = (element: string, name: string) => new RegExp(`<${name}>[\\s\\S]*</${name}>`).exec(element)?.[0] ?? ''
  const fields: Record<string, [(element: string) => string, (entry: CweEntry) => string[]]> = {
    description: [
      (element) => upstream(`${element.split('</Description>')[0]}</Description>`, 'Description'),
      (entry) => [entry.description],
    ],
    // CWE-73 has handwritten numbers before its items.
    extended: [
      (element) => (element.startsWith('73"') ? '' : upstream(element, 'Extended_Description')),
      (entry) => (entry.cwe_id === 'CWE-73' ? [] : unnumbered(entry.extended_description)),
    ],
    background: [(element) => upstream(element, 'Background_Detail'), (entry) => entry.background],
    intro: [
      (element) => upstream(element, 'Intro_Text'),
      (entry) => entry.demonstrative_examples.flatMap(({ intro }) => intro),
    ],
    body: [
      (element) => upstream(element, 'Body_Text'),
      (entry) => entry.demonstrative_examples.flatMap(({ body }) => unnumbered(body)),
    ],
    code: [
      (element) => upstream(element, 'Example_Code'),
      (entry) => entry.demonstrative_examples.flatMap(({ snippets }) => snippets.map(({ code }) => code)),
    ],
    mitigations: [
      (element) => upstream(part(element, 'Potential_Mitigations'), 'Description'),
      (entry) => entry.mitigations.flatMap(({ paragraphs, bullets }) => [...paragraphs, ...bullets]),
    ],
    detection: [
      (element) => upstream(part(element, 'Detection_Methods'), 'Description'),
      (entry) => entry.detection_methods.flatMap(({ paragraphs, bullets }) => [...paragraphs, ...bullets]),
    ],
    notes: [
      (element) => upstream(part(element, 'Modes_Of_Introduction') + part(element, 'Common_Consequences'), 'Note'),
      (entry) =>
        [...entry.modes_of_introduction, ...entry.consequences].flatMap(({ note }) => unnumbered([note ?? ''])),
    ],
  }
  for (const entry of found) {
    const element = elements.get(entry.cwe_id)!
    for (const [name, [given, taken]] of Object.entries(fields)) {
      assert.is(characters(taken(entry).join('')), characters(given(element)), `${entry.cwe_id} ${name}`)
    }
  }
})

test('each was last changed on the newest date of its history', () => {
  for (const { cwe_id, updated_at } of found) {
    const history = elements.get(cwe_id)!.matchAll(/<(?:Submission|Modification|Contribution)_Date>([^<]*)</g)
    const newest = Array.from(history, ([, date]) => date!)
      .sort()
      .at(-1)
    assert.is(updated_at, `${newest}T00:00:00.000Z`, cwe_id)
  }
})

test.run()
