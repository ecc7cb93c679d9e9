/** Writes the CWE catalog, `cwec_v<version>.xml.zip`: one edition with weaknesses, categories and views. */
import { dateOf } from '../calendar.ts'
import { contentHistory, RELEASED_AT } from '../catalog/history.ts'
import { mappingNotes, weaknessEntry } from '../catalog/weakness-entry.ts'
import { CATALOGED, CATEGORIES, VIEWS } from '../catalog/weakness-table.ts'
import { document, type XmlElement, xml } from '../catalog/xml.ts'
import { Random } from '../random.ts'
import { weaknessPhrase } from '../record/text.ts'
import type { World } from '../world.ts'
import { pack, zipWriter } from '../zip.ts'
import type { SampleFeed } from './feed.ts'

const VERSION = '4.20'
const PILLARS = CATALOGED.filter(({ abstraction }) => abstraction === 'Pillar')

export const cwe: SampleFeed = {
  name: 'cwe',
  write: async (world, folder) => {
    const name = `cwec_v${VERSION}.xml`
    const zip = await zipWriter(folder, `${name}.zip`, new Date(RELEASED_AT))
    await zip.add(name, pack(Buffer.from(document(catalog(world)))))
    return [{ path: folder.named(`${name}.zip`), records: CATALOGED.length, bytes: await zip.end() }]
  },
}

function catalog(world: World): XmlElement {
  const random = (number: number) => new Random(world.seed, 'cwe', number)
  return xml(
    'Weakness_Catalog',
    {
      Name: 'CWE',
      Version: VERSION,
      Date: dateOf(RELEASED_AT),
      xmlns: 'http://cwe.mitre.org/cwe-7',
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xsi:schemaLocation': 'http://cwe.mitre.org/cwe-7 http://cwe.mitre.org/data/xsd/cwe_schema_v7.2.xsd',
      'xmlns:xhtml': 'http://www.w3.org/1999/xhtml',
    },
    xml(
      'Weaknesses',
      {},
      CATALOGED.map((weakness) => weaknessEntry(weakness, random(weakness.number))),
    ),
    xml(
      'Categories',
      {},
      CATEGORIES.map((number) => category(number, random(number))),
    ),
    xml(
      'Views',
      {},
      VIEWS.map((number) => view(number, random(number))),
    ),
    xml(
      'External_References',
      {},
      [1, 2, 3].map((number) =>
        xml(
          'External_Reference',
          { Reference_ID: `REF-${number}` },
          xml('Author', {}, 'The Sample Works'),
          xml('Title', {}, `Notes on Weaknesses, Part ${number}`),
          xml('URL', {}, `https://research.example.net/weaknesses/${number}`),
        ),
      ),
    ),
  )
}

const member = (number: number) => xml('Has_Member', { CWE_ID: String(number), View_ID: '1000' })

function category(number: number, random: Random): XmlElement {
  const members = CATALOGED.filter((one) => one.number > number).slice(0, 4)
  return xml(
    'Category',
    { ID: String(number), Name: weaknessPhrase(number).name, Status: 'Draft' },
    xml('Summary', {}, `Weaknesses that are counted among class ${number}.`),
    xml(
      'Relationships',
      {},
      members.map((one) => member(one.number)),
    ),
    mappingNotes('Prohibited', 'Category'),
    contentHistory(random, RELEASED_AT),
  )
}

function view(number: number, random: Random): XmlElement {
  return xml(
    'View',
    { ID: String(number), Name: `View ${number}`, Type: number === 1000 ? 'Graph' : 'Implicit', Status: 'Draft' },
    xml('Objective', {}, 'It shows weaknesses in an order of its own.'),
    xml(
      'Members',
      {},
      PILLARS.map((one) => member(one.number)),
    ),
    mappingNotes('Prohibited', 'View'),
    contentHistory(random, RELEASED_AT),
  )
}
