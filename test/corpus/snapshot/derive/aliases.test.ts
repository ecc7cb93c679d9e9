/** Alias sets: as a plain search through all records finds them, and damaged tables are rejected. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { compareText } from '../../../../corpus/model/sources.ts'
import { crc32 } from '../../../../corpus/runtime/crc32.ts'
import { MAX_ALIAS_SET } from '../../../../corpus/snapshot/bounds.ts'
import { decodeTable, encodeTable, locateColumns, type TableHeader } from '../../../../corpus/snapshot/codec/table.ts'
import type { AdvisoryRows } from '../../../../corpus/snapshot/derive/advisory-rows.ts'
import { aliasesInBucket } from '../../../../corpus/snapshot/derive/alias-buckets.ts'
import { aliasesOf, aliasSets, decodeAliases, encodeAliases } from '../../../../corpus/snapshot/derive/aliases.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { seeded } from '../query/sample.ts'

/** Rows of advisories with these aliases. */
const rowsOf = (aliases: Record<string, string[]>): AdvisoryRows => ({
  keys: Object.keys(aliases),
  at: Object.keys(aliases).map(() => 0),
  length: Object.keys(aliases).map(() => 1),
  aliases: Object.values(aliases),
  cveIds: Object.keys(aliases).map(() => []),
})

const encoded = (aliases: Record<string, string[]>) => encodeAliases(aliasSets(rowsOf(aliases)))

test('ids are in one set directly, through a common alias, and through further records', () => {
  const aliases = decodeAliases(
    encoded({
      'GHSA-1': ['CVE-2024-0001', 'GHSA-1'],
      'PYSEC-1': ['CVE-2024-0001'],
      'GO-1': ['PYSEC-1'],
      'GHSA-2': ['CVE-2024-0002'],
      'GHSA-3': [],
      'GHSA-4': ['GHSA-4'],
    }),
  )
  const first = ['CVE-2024-0001', 'GHSA-1', 'GO-1', 'PYSEC-1']
  for (const id of first) assert.equal(aliasesOf(aliases, id), first)
  for (const id of ['GHSA-2', 'CVE-2024-0002']) assert.equal(aliasesOf(aliases, id), ['CVE-2024-0002', 'GHSA-2'])
  for (const id of ['GHSA-3', 'GHSA-4', 'ghsa-1', '', 'A', 'Z', 'GO-', 'GO-11']) {
    assert.is(aliasesOf(aliases, id), null, id)
  }
})

test('an alias that would make a set too large joins nothing', () => {
  const ring = Array.from({ length: 2 * MAX_ALIAS_SET + 1 }, (_, i) => `GHSA-${String(i).padStart(5, '0')}`)
  const aliases = decodeAliases(encoded(Object.fromEntries(ring.map((id, i) => [id, [ring[(i + 1) % ring.length]!]]))))
  const sets = ring.map((id) => aliasesOf(aliases, id))
  assert.equal(sets[0], ring.slice(0, MAX_ALIAS_SET))
  assert.equal(sets[MAX_ALIAS_SET], ring.slice(MAX_ALIAS_SET, 2 * MAX_ALIAS_SET))
  assert.is(sets.at(-1), null)
  const many = Array.from({ length: MAX_ALIAS_SET + 9 }, (_, i) => `CVE-2024-${10_000 + i}`)
  const listed = decodeAliases(encoded({ 'GHSA-1': many, 'GHSA-2': [many.at(-1)!] }))
  assert.is(aliasesOf(listed, 'GHSA-1')!.length, MAX_ALIAS_SET)
  assert.is(aliasesOf(listed, many.at(-2)!), null)
  assert.equal(aliasesOf(listed, 'GHSA-2'), [many.at(-1)!, 'GHSA-2'])
})

test('long ids are found, in ascending lengths', () => {
  const long = [600, 2000, 9000].map((length) => 'x'.repeat(length))
  const aliases = decodeAliases(encoded({ 'GHSA-1': long }))
  for (const id of long) assert.equal(aliasesOf(aliases, id), ['GHSA-1', ...long])
})

test('random records give the sets of a plain search', () => {
  const random = seeded(3)
  const name = () => {
    const number = Math.floor(random() * 3000)
    return [
      `GHSA-${number}`,
      `CVE-2024-${number}`,
      `PYSEC-${number}-${'long'.repeat(number % 50)}`,
      `é\u{10000}${number}`,
    ][number % 4]!
  }
  const records: Record<string, string[]> = {}
  for (let i = 0; i < 1500; i++) records[name()] = Array.from({ length: Math.floor(random() * 3) }, name)
  const neighbors = new Map<string, Set<string>>()
  const link = (a: string, b: string) => neighbors.set(a, (neighbors.get(a) ?? new Set()).add(b))
  for (const [id, aliases] of Object.entries(records)) {
    for (const alias of aliases.filter((one) => one !== id)) {
      link(id, alias)
      link(alias, id)
    }
  }
  const reached = (id: string) => {
    const found = new Set([id])
    for (const one of found) for (const next of neighbors.get(one) ?? []) found.add(next)
    return [...found].sort(compareText)
  }
  const aliases = decodeAliases(encoded(records))
  assert.is(aliases.ids.count, neighbors.size)
  let large = 0
  for (const id of [...Object.keys(records), ...neighbors.keys()]) {
    const expected = neighbors.has(id) ? reached(id) : null
    if (expected && expected.length > 3) large++
    assert.equal(aliasesOf(aliases, id), expected, id)
  }
  assert.ok(large > 100, String(large))
})

test('the order of the records does not change the table', () => {
  const records: Record<string, string[]> = { b: ['a'], d: ['c'], c: ['a'], f: ['e'] }
  const turned = Object.fromEntries(Object.entries(records).reverse())
  assert.equal(encoded(turned), encoded(records))
})

test('an id that no request can name is left out', () => {
  assert.equal(aliasSets(rowsOf({ a: ['\ud800', 'b'], '\udc00': ['c'] })).ids, ['a', 'b'])
})

test('a snapshot without the table, or with an empty one, has no aliases', () => {
  for (const bytes of [null, encoded({ a: [] })]) assert.is(aliasesOf(decodeAliases(bytes), 'a'), null)
})

test('a table in which an id is out of order, or not in exactly one set of two ids, is rejected', () => {
  const { about, columns } = decodeTable(encoded({ a: ['b'], c: ['d', 'e'] }))
  const { set, starts, members } = columns as Record<string, Uint32Array>
  assert.equal(
    [[...set!], [...starts!], [...members!]],
    [
      [0, 0, 1, 1, 1],
      [0, 2, 5],
      [0, 1, 2, 3, 4],
    ],
  )
  const u32 = (...numbers: number[]) => Uint32Array.from(numbers)
  const broken: [string, object][] = [
    ['ids that do not ascend', { about: { ids: ['a', 'c', 'b', 'd', 'e'] } }],
    ['an id twice', { about: { ids: ['a', 'b', 'b', 'd', 'e'] } }],
    ['an id too few', { about: { ids: ['a', 'b', 'c', 'd'] } }],
    ['numbers as ids', { about: { ids: [1, 2, 3, 4, 5] } }],
    ['no ids', { about: {} }],
    ['a position of texts that are not there', { about: { ids: { kept: 0 } } }],
    ['another set of an id', { columns: { ...columns, set: u32(0, 1, 1, 1, 1) } }],
    ['a set outside', { columns: { ...columns, set: u32(0, 0, 1, 1, 2) } }],
    ['a member outside', { columns: { ...columns, members: u32(0, 1, 2, 3, 5) } }],
    ['a member twice', { columns: { ...columns, members: u32(0, 1, 2, 3, 3) } }],
    ['members that do not ascend', { columns: { ...columns, members: u32(1, 0, 2, 3, 4) } }],
    ['a set of one id', { columns: { set: u32(0, 1, 2, 2, 2), starts: u32(0, 1, 2, 5), members } }],
    ['an empty set', { columns: { ...columns, starts: u32(0, 2, 2, 5) } }],
    ['sets that begin late', { columns: { ...columns, starts: u32(1, 2, 5) } }],
    ['sets that end early', { columns: { ...columns, starts: u32(0, 2, 4) } }],
    ['sets that do not ascend', { columns: { ...columns, starts: u32(0, 9, 5) } }],
    [
      'sets in another order',
      { columns: { set: u32(1, 1, 0, 0, 0), starts: u32(0, 3, 5), members: u32(2, 3, 4, 0, 1) } },
    ],
    ['no sets', { columns: { ...columns, starts: u32() } }],
    ['sets of another type', { columns: { ...columns, set: new Uint8Array(5) } }],
  ]
  for (const [what, changed] of broken) {
    assert.throws(
      () => decodeAliases(encodeTable({ about, columns, ...changed })),
      (error: { code?: string }) => error.code === 'malformed',
      what,
    )
  }
})

test('a bucket that has something else than sets of ids is refused', () => {
  for (const text of ['[1]', '["A"]', '[["A", 1]]', '{}', 'null', '']) {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(text)])
    bytes.writeUInt32LE(crc32(bytes.subarray(4), crc32('0\t')), 0)
    const starts = Uint32Array.of(0, bytes.length)
    const header = locateColumns(encodeTable({ about: {}, columns: { starts, buckets: new Uint8Array(bytes) } }))
    assert.throws(
      () => aliasesInBucket(header as TableHeader, 'A', bytes),
      (error: unknown) => error instanceof SnapshotError && error.code === 'malformed',
      text,
    )
  }
})

test.run()
