/** The row of an id, and none for an id that the index does not have. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveId } from '../../../../corpus/model/ids/cve-id.ts'
import { findRow, type Index, idAt } from '../../../../corpus/snapshot/derive/index-table.ts'

/** Returns an index of numbers by year, with the columns that `findRow` reads. */
function indexOf(numbers: readonly (readonly [year: number, number: bigint])[]): Index {
  return {
    count: numbers.length,
    year: Uint16Array.from(numbers, ([year]) => year),
    numberHigh: Uint32Array.from(numbers, ([, number]) => Number(number >> 32n)),
    numberLow: Uint32Array.from(numbers, ([, number]) => Number(number & 0xffffffffn)),
  } as Index
}

const even = Array.from({ length: 500 }, (_, i) => [1999, BigInt(i * 3 + 1)] as const)
const lumps = Array.from({ length: 395 }, (_, i) => [2004, BigInt(i < 390 ? i + 7 : 10 ** (i - 386))] as const)
const sorted = lumps.toSorted(([, a], [, b]) => (a < b ? -1 : 1)).filter(([, one], i, all) => one !== all[i - 1]?.[1])
const long = [1n, 999_999_999n, 1_000_000_000n, 4_294_967_295n, 4_294_967_296n, 4_294_967_303n, 10n ** 18n]
const index = indexOf([...even, ...sorted, [2005, 12_345n], ...long.map((number) => [2024, number] as const)])
const rowOf = (id: CveId) => findRow(index, id)

test('each id leads to its row, long numbers as well', () => {
  for (let row = 0; row < index.count; row++) assert.is(rowOf(idAt(index, row)), row, idAt(index, row))
})

test('what is not there has no row: numbers between, before and behind, other years, other spellings', () => {
  const known = new Set(Array.from({ length: index.count }, (_, row) => idAt(index, row)))
  for (const year of [1998, 1999, 2003, 2004, 2005, 2006, 2024, 2025]) {
    for (const number of [...Array(2000).keys(), 99_999_999, 999_999_998, 1_000_000_001, 4_294_967_297, 2 ** 40]) {
      const id = `CVE-${year}-${String(number).padStart(4, '0')}` as CveId
      if (!known.has(id)) assert.is(rowOf(id), -1, id)
    }
  }
  for (const id of ['CVE-2005-012345', 'CVE-1999-00001', 'CVE-2024-0000000001'] as CveId[]) assert.is(rowOf(id), -1, id)
})

test.run()
