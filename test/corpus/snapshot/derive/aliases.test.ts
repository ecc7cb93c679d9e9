/** Alias sets: as a plain search through all records finds them, and damaged tables are rejected. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { compareText } from '../../../../corpus/model/sources.ts'
import { crc32 } from '../../../../corpus/runtime/crc32.ts'
import { MAX_ALIAS_SET } from '../../../../corpus/snapshot/bounds.ts'
import { decodeTable, encodeTable } from '../../../../corpus/snapshot/codec/table.ts'
import type { AdvisoryRows } from '../../../../corpus/snapshot/derive/advisory-rows.ts'
import {
  aliasesOf,
  aliasSetIn,
  aliasSets,
  decodeAliases,
  encodeAliases,
  NO_ALIASES,
} from '../../../../corpus/snapshot/derive/aliases.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { seeded } from '../query/sample.ts'

/** Rows of advisories with these aliases. */
const rowsOf = (aliases: Record<string, string[]>): AdvisoryRows => ({
  keys: Object.keys(aliases),
  at: Object.keys(aliases).map(() => 0),
  length: Object.keys(aliases).map(() => 1),
  aliases: Object.values(aliases),
  cveIds: Object.keys(aliases).map(() => []),
  rows: [],
})

const encoded = (aliases: Record<string, string[]>) => encodeAliases(aliasSets(rowsOf(aliases)))

/** Returns a function that looks up an id in a table. */
const lookup = (bytes: Buffer, aliases = decodeAliases(bytes)) => {
  return (id: string) => aliasesOf(aliases, id, (at, length) => bytes.subarray(at, at + length))
}

test('ids are in one set directly, through a common alias, and through further records', () => {
  const find = lookup(
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
  for (const id of first) assert.equal(find(id), first)
  for (const id of ['GHSA-2', 'CVE-2024-0002']) assert.equal(find(id), ['CVE-2024-0002', 'GHSA-2'])
  for (const id of ['GHSA-3', 'GHSA-4', 'ghsa-1', '', 'A', 'Z', 'GO-', 'GO-11']) {
    assert.is(find(id), null, id)
  }
})

test('an alias that would make a set too large joins nothing', () => {
  const ring = Array.from({ length: 2 * MAX_ALIAS_SET + 1 }, (_, i) => `GHSA-${String(i).padStart(5, '0')}`)
  const find = lookup(encoded(Object.fromEntries(ring.map((id, i) => [id, [ring[(i + 1) % ring.length]!]]))))
  const sets = ring.map((id) => find(id))
  assert.equal(sets[0], ring.slice(0, MAX_ALIAS_SET))
  assert.equal(sets[MAX_ALIAS_SET], ring.slice(MAX_ALIAS_SET, 2 * MAX_ALIAS_SET))
  assert.is(sets.at(-1), null)
  const many = Array.from({ length: MAX_ALIAS_SET + 9 }, (_, i) => `CVE-2024-${10_000 + i}`)
  const listed = lookup(encoded({ 'GHSA-1': many, 'GHSA-2': [many.at(-1)!] }))
  assert.is(listed('GHSA-1')!.length, MAX_ALIAS_SET)
  assert.is(listed(many.at(-2)!), null)
  assert.equal(listed('GHSA-2'), [many.at(-1)!, 'GHSA-2'])
})

test('long ids are found, in ascending lengths', () => {
  const long = [600, 2000, 9000].map((length) => 'x'.repeat(length))
  const find = lookup(encoded({ 'GHSA-1': long }))
  for (const id of long) assert.equal(find(id), ['GHSA-1', ...long])
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
  const find = lookup(encoded(records))
  assert.is(decodeAliases(encoded(records)).hashHigh.length, neighbors.size)
  let large = 0
  for (const id of [...Object.keys(records), ...neighbors.keys()]) {
    const expected = neighbors.has(id) ? reached(id) : null
    if (expected && expected.length > 3) large++
    assert.equal(find(id), expected, id)
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
  const empty = encoded({ a: [] })
  assert.is(lookup(empty)('a'), null)
  assert.is(lookup(empty, NO_ALIASES)('a'), null)
})

const isMalformed = (error: unknown) => error instanceof SnapshotError && error.code === 'malformed'

test('a table out of order, or with columns of different lengths, is rejected', () => {
  const { about, columns } = decodeTable(encoded({ a: ['b'], c: ['d', 'e'] }))
  const { hashHigh, setStart } = columns as Record<string, Uint32Array>
  const broken: [string, object][] = [
    ['hashes that do not ascend', { hashHigh: hashHigh!.toReversed() }],
    ['a set too few', { setStart: setStart!.slice(1) }],
    ['sets of another type', { sets: new Uint32Array(5) }],
    ['sets outside the table', { sets: new Uint8Array(3) }],
  ]
  for (const [what, changed] of broken) {
    assert.throws(() => decodeAliases(encodeTable({ about, columns: { ...columns, ...changed } })), isMalformed, what)
  }
})

test('a set that leads elsewhere is no answer for an id', () => {
  const bytes = encoded({ a: ['b'], c: ['d', 'e'] })
  const { setStart, setLength, setCrc, ...hashes } = decodeAliases(bytes)
  const turned = { ...hashes, setStart: setStart.map((start) => start + 1), setLength, setCrc }
  assert.throws(() => lookup(bytes, turned)('a'), /a set of aliases is damaged/)
  const row = setStart.findIndex((start) => start !== setStart[0])
  const at = (of: Uint32Array) => Uint32Array.from(of, () => of[row]!)
  const other = { ...hashes, setStart: at(setStart), setLength: at(setLength), setCrc: at(setCrc) }
  const [first, second] = [lookup(bytes, other)('a'), lookup(bytes, other)('c')]
  assert.ok(first === null || second === null)
})

test('bytes that are no set of ids, or have another CRC, are refused', () => {
  for (const text of ['[1]', '["A", 1]', '[["A"]]', '{}', 'null', '']) {
    assert.throws(() => aliasSetIn(Buffer.from(text), crc32(text)), isMalformed, text)
  }
  const text = '["A","B"]'
  assert.equal(aliasSetIn(Buffer.from(text), crc32(text)), ['A', 'B'])
  assert.throws(
    () => aliasSetIn(Buffer.from(text), 1),
    (error: unknown) => error instanceof SnapshotError && error.code === 'digest',
  )
})

test.run()
