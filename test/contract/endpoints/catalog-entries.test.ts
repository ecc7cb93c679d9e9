/** gateway/API.md, sections 19 and 22: the entries of both catalogs, against the feeds' entries. */
import * as assert from 'uvu/assert'
import { refuses } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { catalogsOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cwes/{cweId}, /capecs/{capecId}')
const service = await sharedService()
const { cwes, capecs } = catalogsOf(service.corpus)
/** Each entry and the forms of its id, by the path of the catalog. */
const CATALOGS: Record<string, { entry: object; forms: (string | number)[] }[]> = {
  cwes: cwes.map((entry) => ({ entry, forms: [entry.numeric_id, entry.cwe_id, entry.slug] })),
  capecs: capecs.map((entry) => ({ entry, forms: [entry.numeric_id, entry.display, entry.id] })),
}

states('19.1, 19.3, 22.1, 22.3', 'the full entry by three forms of its id', async () => {
  assert.ok(cwes.length > 150 && capecs.length > 40)
  for (const [path, entries] of Object.entries(CATALOGS)) {
    for (const { entry, forms } of entries) {
      for (const form of forms) assert.equal(await service.json(`/${path}/${form}`), entry, `${path} ${form}`)
    }
  }
})

states('19.2, 22.2', 'exactly the named fields', async () => {
  for (const [path, entries] of Object.entries(CATALOGS)) {
    const size = ({ entry }: { entry: object }) => JSON.stringify(entry).length
    const { entry, forms } = entries.toSorted((a, b) => size(b) - size(a))[0]!
    const fields = Object.entries(entry)
    const part = (query: string) => service.json(`/${path}/${forms[0]}?fields=${query}`)
    for (const [i, [one, value]] of fields.entries()) {
      assert.equal(await part(one), { [one]: value })
      const [other, otherValue] = fields[(i + 7) % fields.length]!
      assert.equal(await part(`${other},%20${one},${one}`), { [one]: value, [other]: otherValue })
    }
    assert.equal(await part(fields.map(([name]) => name).join(',')), entry)
    for (const wrong of ['name,colour', 'capec', 'consequences.note']) {
      await refuses(service, `/${path}/${forms[0]}?fields=${wrong}`, 'fields')
    }
  }
})

after(() => service.remove())
run()
