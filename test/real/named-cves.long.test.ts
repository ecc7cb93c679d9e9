/**
 * CVEs of vendors, products and packages on the real feeds: the same as a search through all records. Every link that a
 * search gives leads to an answer.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { unzipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { joinedProductKey, joinedVendor } from '../../corpus/model/affected/joined-key.ts'
import { listedProducts } from '../../corpus/model/affected/products.ts'
import { type CveId, parseCveId } from '../../corpus/model/ids/cve-id.ts'
import type { AffectedEntry, CveCore } from '../../corpus/model/record.ts'
import { openReader } from '../../corpus/reader/reader.ts'
import { Random } from '../../corpus/sample/random.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'
import { askDirectly, walk } from '../support/ask.ts'
import { corpusFacts } from '../support/corpus-facts.ts'
import { joinedNames } from '../support/cve-cases.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { deltaZip } from '../support/feeds.ts'
import { needs, REAL_FEEDS, REAL_PACKAGES } from '../support/needs.ts'
import { keyOfName } from '../support/plain.ts'
import { linkFeeds, NEWEST } from './feeds-folder.ts'

needs('real feeds', 'real advisories of packages')

const folder = temporaryFolder('named-cves')
const at = (name: string) => join(folder.path, name)
const [feeds, corpus, dist] = [at('feeds'), at('corpus.db'), at('dist')]
const filesOf = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(path.length + 1)
        .split(sep)
        .join('/'),
    )
linkFeeds(feeds, filesOf(REAL_FEEDS))
linkFeeds(feeds, filesOf(REAL_PACKAGES), REAL_PACKAGES)

interface Advisory {
  aliases?: string[]
  withdrawn?: string
  affected: { package: { name: string } }[]
}

const npmAdvisories = Object.values(unzipSync(readFileSync(join(REAL_PACKAGES, 'osv/npm/all.zip')))).map(
  (bytes) => JSON.parse(Buffer.from(bytes).toString()) as Advisory,
)
/** The list of the feeds is a part of the whole: the day after adds the CVEs of the npm advisories that it lacks. */
const listed: string[] = []
unzipSync(readFileSync(join(REAL_FEEDS, NEWEST)), {
  filter({ name }) {
    listed.push(basename(name, '.json'))
    return false
  },
})
const added = new Set(npmAdvisories.flatMap(({ aliases = [] }) => aliases.flatMap((id) => parseCveId(id) ?? [])))
writeFileSync(
  join(feeds, 'cvelistv5/2024-10-25_delta_CVEs.zip'),
  deltaZip(Array.from(added.difference(new Set(listed)), (id) => ({ id: id as CveId }))),
)
await ingestAndBuild({ feeds, corpus, dist, jobs: 2 })
const asked = askDirectly(dist)
const reader = await openReader(dist)

const part = encodeURIComponent
const SORTS = ['published', 'updated', 'cvss', 'epss'].flatMap((sort) => [sort, `-${sort}`])
const idsFor = async (query: string) =>
  (await walk<{ cve_id: string }>(async (page) => (await asked.ask('/cves', `${query}&${page}`)).text)).map(
    ({ cve_id }) => cve_id,
  )

interface CveRecord {
  id: string
  core: CveCore
  affected: AffectedEntry[]
}

function readRecords(): CveRecord[] {
  const opened = openCorpus(corpus)
  try {
    return opened.blocks().flatMap(({ block }) =>
      Array.from(opened.records(block), ({ cveId: id, parts: { core, affected } }) => {
        return { id, core: JSON.parse(core) as CveCore, affected: JSON.parse(affected ?? '[]') as AffectedEntry[] }
      }),
    )
  } finally {
    opened.close()
  }
}

const records = readRecords()
const served = new Set(records.map(({ id }) => id))
/** The ids of the records that pass. */
const recordsWith = (passes: (record: CveRecord) => boolean) => records.filter(passes).map(({ id }) => id)

/** Whether CNA, ADP or NVD names the vendor, and the product if one is given, in any spelling. */
function isNamed({ source, vendor, product }: AffectedEntry, ofVendor: string, ofProduct?: string): boolean {
  const maker = keyOfName(vendor)
  if (!['cna', 'adp', 'nvd'].includes(source) || maker === null || joinedVendor(maker) !== ofVendor) return false
  const names = listedProducts(source, vendor, product).map(keyOfName)
  return ofProduct === undefined || names.some((name) => name !== null && joinedProductKey(maker, name) === ofProduct)
}

async function expectIds(query: string, expected: readonly string[]): Promise<void> {
  for (const sort of SORTS) assert.equal((await idsFor(`${query}&sort=${sort}`)).sort(), expected.toSorted(), query)
  const options = Object.fromEntries(new URLSearchParams(query))
  const walked: string[] = []
  for await (const { cve_id } of reader.walk({ ...options, ...(options.kev ? { kev: options.kev === 'true' } : {}) })) {
    walked.push(cve_id)
  }
  assert.equal(walked, await idsFor(query), `the reader: ${query}`)
  console.log(`# ${query}: ${expected.length} CVEs`)
}

test('vendor=microsoft&kev=true', async () => {
  const expected = recordsWith(
    ({ core, affected }) => core.kev.listed && affected.some((entry) => isNamed(entry, 'microsoft')),
  )
  assert.ok(expected.length > 10, String(expected.length))
  await expectIds('vendor=microsoft&kev=true', expected)
})

test('product=linux/linux, with all spellings of the vendor', async () => {
  const expected = recordsWith(({ affected }) => affected.some((entry) => isNamed(entry, 'linux', 'linux')))
  assert.ok(expected.length > 10, String(expected.length))
  await expectIds('product=Linux/Linux', expected)
  assert.equal(await idsFor('product=the_linux_kernel_organization/linux'), await idsFor('product=linux/linux'))
})

test('package=npm/lodash, and the package of the export with the most CVEs', async () => {
  const byPackage = new Map<string, Set<string>>()
  for (const { aliases = [], withdrawn, affected } of npmAdvisories) {
    if (withdrawn !== undefined) continue
    for (const { name } of affected.map((one) => one.package)) {
      const cves = byPackage.get(name.toLowerCase()) ?? new Set()
      byPackage.set(name.toLowerCase(), cves)
      for (const alias of aliases) if (served.has(alias)) cves.add(alias)
    }
  }
  const [largest] = [...byPackage].sort(([, a], [, b]) => b.size - a.size)[0]!
  assert.ok(byPackage.get('lodash')!.size > 4 && byPackage.get(largest)!.size > 20, largest)
  for (const name of ['lodash', largest]) await expectIds(`package=npm/${part(name)}`, [...byPackage.get(name)!])
})

test('every vendor, and every fourth product and package, has the CVEs of the claims and advisories', async () => {
  const facts = corpusFacts(corpus)
  const { vendors, products } = joinedNames(facts)
  const expectAll = async (filter: string, names: ReadonlyMap<string, ReadonlySet<string>>, step: number) => {
    for (const [name, ids] of [...names].filter((_, i) => i % step === 0)) {
      assert.equal((await idsFor(`${filter}=${part(name)}`)).sort(), [...ids.intersection(served)].sort(), name)
    }
    console.log(`# ${filter}: ${Math.ceil(names.size / step)} of ${names.size}`)
  }
  await expectAll('vendor', vendors, 1)
  await expectAll('product', products, 4)
  await expectAll('package', facts.packages, 4)
})

interface Item {
  label: string
  href: string
}

const TYPES = 'cve,cwe,capec,vendor,product,cna,package'

test('every href of 1,000 searches is answered', async () => {
  const random = new Random('named-cves')
  const rows = [
    ...(await asked.all<{ display: string }>('/vendors')).map(({ display }) => display),
    ...(await asked.all<{ name: string }>('/packages')).map(({ name }) => name),
    ...(await asked.all<{ cve_id: string; title: string | null }>('/cves')).map(({ cve_id, title }) => title ?? cve_id),
  ]
  const hrefs = new Set<string>()
  for (let i = 0; i < 1000; i++) {
    const characters = [...rows[random.int(rows.length)]!]
    const from = random.int(Math.max(1, characters.length - 2))
    const q = characters
      .slice(from, from + random.between(2, 8))
      .join('')
      .trim()
      .padEnd(2, 'e')
    const { text } = await asked.ask('/search', `q=${part(q)}&types=${TYPES}&limit=25`)
    const { results } = JSON.parse(text) as { results: { [type: string]: Item[] } }
    for (const { href } of Object.values(results).flat()) hrefs.add(href)
  }
  for (const href of hrefs) assert.ok((await asked.ask(href, '')).text.startsWith('{'), href)
  const types = Map.groupBy(hrefs, (href) => (href.includes('/products/') ? 'product' : href.split('/')[1]!))
  const figures = Array.from(types, ([type, some]) => `${type} ${some.length}`)
  console.log(`# ${hrefs.size} links: ${figures.join(', ')}`)
  for (const type of ['cves', 'vendors', 'product', 'cwes', 'capecs', 'cnas', 'packages'])
    assert.ok(types.has(type), type)
})

test.after(async () => {
  await reader.close()
  await asked.close()
  folder.remove()
})

test.run()
