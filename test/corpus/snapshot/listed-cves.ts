/** Checks the posting lists of vendors, products and packages against the members of a snapshot. */
import * as assert from 'uvu/assert'
import { joinedProductKey, joinedVendor } from '../../../corpus/model/affected/joined-key.ts'
import { affectedRows } from '../../../corpus/model/packages/affected-row.ts'
import { packageKey } from '../../../corpus/model/packages/name.ts'
import type { PackageEntry } from '../../../corpus/model/packages/package-entry.ts'
import type { NamedProduct } from '../../../corpus/model/record.ts'
import { finished } from '../../../corpus/runtime/steps.ts'
import { entriesOf } from '../../../corpus/snapshot/derive/advisory-extract.ts'
import { aliasesOf } from '../../../corpus/snapshot/derive/aliases.ts'
import { decodeColumns } from '../../../corpus/snapshot/derive/columns.ts'
import { extractShard } from '../../../corpus/snapshot/derive/extract.ts'
import { decodeIndex, idAt } from '../../../corpus/snapshot/derive/index-table.ts'
import {
  decodeListPostings,
  forEachFilter,
  LISTED,
  type Listed,
} from '../../../corpus/snapshot/derive/list-postings.ts'
import { decodeList } from '../../../corpus/snapshot/derive/list-view.ts'
import { readPackageTables } from '../../../corpus/snapshot/derive/package-tables.ts'
import { fileOf, readCurrent, readObject } from '../../../corpus/snapshot/files/layout.ts'
import type { Role } from '../../../corpus/snapshot/files/manifest.ts'
import { membersOf } from '../../../corpus/snapshot/record/shard.ts'

/** Returns the names of each CVE of a snapshot, by its id. */
export function namesOfCves(dist: string): Map<string, NamedProduct[]> {
  const found = new Map<string, NamedProduct[]>()
  for (const file of readCurrent(dist).manifest.files.filter(({ role }) => role === 'cve')) {
    const { ids, names, named, namedCounts } = extractShard(readObject(dist, file))
    const texts = Buffer.from(names).toString().split('\n')
    let at = 0
    ids.forEach((id, i) => {
      const end = at + namedCounts[i]!
      found.set(
        id,
        Array.from(named.subarray(at, end), (name) => JSON.parse(texts[name]!) as NamedProduct),
      )
      at = end
    })
  }
  return found
}

/** Asserts that each posting list has exactly the CVEs of its row. Returns how many lists have a CVE, by filter. */
export function expectListedCves(dist: string): Record<Listed, number> {
  const { manifest } = readCurrent(dist)
  const read = (role: Role, name?: string) => readObject(dist, fileOf(manifest, role, name))
  const index = decodeIndex(read('index'))
  const columns = decodeColumns(read('columns'))
  const lists = forEachFilter((filter) => decodeList(LISTED[filter], read('list', LISTED[filter])))
  const counts = forEachFilter((filter) => lists[filter].count)
  const postings = decodeListPostings(read('columns', 'lists'), counts, columns.count)
  /** Returns the ids of each posting list, by the id of its row. */
  const listed = forEachFilter((filter) => {
    const { starts, ordinals } = postings[filter]
    const { count, id } = lists[filter]
    return new Map(
      Array.from({ length: count }, (_, at) => [
        id(at),
        Array.from(ordinals.subarray(starts[at], starts[at + 1]), (ordinal) => idAt(index, columns.row[ordinal]!)),
      ]),
    )
  })
  const expected = { vendor: new Map<string, Set<string>>(), product: new Map<string, Set<string>>() }
  const add = (of: Map<string, Set<string>>, key: string, id: string) => of.set(key, (of.get(key) ?? new Set()).add(id))
  for (const [id, names] of namesOfCves(dist)) {
    for (const { vendor, product } of names) {
      add(expected.vendor, joinedVendor(vendor), id)
      if (product !== null) add(expected.product, `${joinedVendor(vendor)}/${joinedProductKey(vendor, product)}`, id)
    }
  }
  const joined = (id: string) => {
    const [vendor, ...product] = id.split('/')
    const maker = vendor!.replaceAll('%2F', '/')
    return `${joinedVendor(maker)}/${joinedProductKey(maker, product.join('/'))}`
  }
  for (const [filter, keyOf] of [
    ['vendor', joinedVendor],
    ['product', joined],
  ] as const) {
    const { keys } = lists[filter].orders.cves!
    assert.is(listed[filter].size, expected[filter].size)
    let ordinal = 0
    for (const [id, cves] of listed[filter]) {
      assert.equal(new Set(cves), expected[filter].get(keyOf(id)), id)
      assert.is(cves.length, keys.at(ordinal++), `cve_count of ${id}`)
    }
  }
  const tables = readPackageTables(manifest, (file) => readObject(dist, file))
  const records = new Set(Array.from({ length: index.count }, (_, row) => idAt(index, row)))
  const sets = read('aliases')
  const sources = {
    aliasesOf: (id: string) => aliasesOf(tables.aliases, id, (at, length) => sets.subarray(at, at + length)),
    cve: () => null,
  }
  for (const file of manifest.files.filter(({ role }) => role === 'packages')) {
    const shard = readObject(dist, file)
    for (const { entry } of entriesOf<PackageEntry>('packages', shard, [...membersOf(shard)])) {
      const { ecosystem, name, advisories } = entry
      const matches = advisories.map((advisory) => ({
        ...{ advisory, verdict: 'undecided' as const, matched: null },
        ...{ reason: 'no_version' as const, urgency: null },
      }))
      const query = { ecosystem, version: null }
      const rows = finished(affectedRows(matches, query, { advisories: [advisories], ...sources }))
      const cves = new Set(rows.flatMap(({ cve_ids }) => cve_ids).filter((id) => records.has(id)))
      const key = packageKey(ecosystem, name)
      assert.equal(new Set(listed.package.get(key)), cves, key)
      assert.is(listed.package.get(key)!.length, cves.size, key)
    }
  }
  return forEachFilter((filter) => [...listed[filter].values()].filter((cves) => cves.length > 0).length)
}
