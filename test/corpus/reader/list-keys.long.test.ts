/** Filters of CVEs, and cursors, by parts of the keys of large lists: the answers of the gateway, never by the tables. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ProductRow, VendorRow } from '../../../corpus/model/directory.ts'
import type { PackageRow } from '../../../corpus/model/packages/package-entry.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { askDirectly } from '../../support/ask.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { sharedSample } from '../../support/samples.ts'
import { serveFolder } from '../../support/web-folder.ts'

const folder = temporaryFolder('reader-list-keys')
const { dist } = await sharedSample('usual')
const { manifest } = readCurrent(dist)
const asked = askDirectly(dist)
const web = await serveFolder(dist)
const fileOf = (role: string, name: string) => manifest.files.find((file) => file.role === role && file.name === name)!
const tables = ['vendors', 'products', 'exploits', 'packages'].map((name) => fileOf('list', name).sha256)
const part = encodeURIComponent
const answered = async (path: string, query = '') => (await asked.ask(path, query)).text

const vendors = await asked.all<VendorRow>('/vendors')
const packages = await asked.all<PackageRow>('/packages')

/** Runs `work` with a new reader, which may not read a table of a list. */
async function withoutTables(work: (reader: Awaited<ReturnType<typeof openReader>>) => Promise<void>): Promise<void> {
  const reader = await openReader(web.url)
  const before = web.asked.length
  await work(reader)
  const read = web.asked.slice(before).filter(({ path }) => tables.some((digest) => path.endsWith(digest)))
  assert.is(read.length, 0, 'requests for tables of lists')
  await reader.close()
}

test('a cursor that another reader issued goes on without the table', async () => {
  for (const list of ['vendors', 'packages'] as const) {
    const { pagination } = JSON.parse(await answered(`/${list}`, 'limit=30')) as {
      pagination: { next_cursor: string }
    }
    const cursor = pagination.next_cursor
    await withoutTables(async (reader) => {
      const page = JSON.stringify(await reader.entries(list, { limit: 30, cursor }))
      assert.is(page, await answered(`/${list}`, `limit=30&cursor=${cursor}`))
    })
  }
})

test('filters of CVEs by vendor, product and package are those of the gateway', async () => {
  await withoutTables(async (reader) => {
    let rows = 0
    const same = async (options: object, query: string) => {
      const page = await reader.list({ ...options, limit: 10 })
      assert.is(JSON.stringify(page), await answered('/cves', `${query}&limit=10`), query)
      rows += page.data.length
    }
    for (const { slug, spellings } of vendors.slice(0, 30)) {
      await same({ vendor: slug }, `vendor=${part(slug)}`)
      await same({ vendor: spellings!.at(-1)!, kev: true }, `vendor=${part(spellings!.at(-1)!)}&kev=true`)
      const [product] = await asked.all<ProductRow>(`/vendors/${part(slug)}/products`)
      if (product) {
        const name = `${slug.replaceAll('/', '%2F')}/${product.slug}`
        await same({ product: name, vendor: slug }, `product=${part(name)}&vendor=${part(slug)}`)
      }
    }
    for (const { ecosystem, name } of packages.slice(0, 30)) {
      await same({ package: `${ecosystem}/${name}` }, `package=${part(`${ecosystem}/${name}`)}`)
    }
    await same({ vendor: 'nobody' }, 'vendor=nobody')
    assert.ok(rows > 200, `${rows}`)
    const lists = fileOf('columns', 'lists')
    const whole = web.asked.filter(({ path, range }) => path.endsWith(lists.sha256) && range === null)
    assert.is(whole.length, 0)
  })
})

test('damaged keys and posting lists are refused', async () => {
  const cases: [role: string, name: string, at: (size: number) => number][] = [
    ['list', 'vendors.keys', () => 9],
    ['list', 'vendors.keys', (size) => size - 6],
    ['columns', 'lists', () => 9],
  ]
  for (const [role, name, at] of cases) {
    const { sha256: digest, size } = fileOf(role, name)
    const reader = await openReader(web.url)
    web.fault = ({ path }) => (path.endsWith(digest) ? { kind: 'corrupt', at: at(size) } : null)
    const found = []
    for (const { slug } of vendors) {
      const error = await reader.list({ vendor: slug, limit: 1 }).then(
        () => null,
        (reason: { code?: string }) => reason.code ?? String(reason),
      )
      if (error) found.push(error)
    }
    web.fault = () => null
    assert.ok(found.length > 0, `${role} ${name}`)
    assert.ok(
      found.every((code) => ['digest', 'malformed'].includes(code)),
      `${role} ${name}: ${found}`,
    )
    await reader.close()
  }
})

test.after(async () => {
  await Promise.all([asked.close(), web.close()])
  folder.remove()
})

test.run()
