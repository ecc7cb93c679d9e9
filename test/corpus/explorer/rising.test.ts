/** Rising EPSS scores: which rows are shown, the change in words, the column of the CVE list. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CVE_LIST_FIELDS } from '../../../corpus/answers/parameters/fields.ts'
import type { CveRow } from '../../../corpus/explorer/app/data/answers.ts'
import { risenOf } from '../../../corpus/explorer/app/pages/start/risen.ts'
import { columnsInOrder, fieldsOf } from '../../../corpus/explorer/app/parts/change-column.ts'
import { formatChange } from '../../../corpus/explorer/app/parts/format.ts'

const rows = (...changes: (number | null)[]) =>
  changes.map((epss_change, i) => ({ cve_id: `CVE-2024-${i}`, epss_change }) as CveRow)
const changesOf = (...changes: (number | null)[]) => risenOf(rows(...changes)).risen.map(({ change }) => change)

test('only scores that rose are shown', () => {
  assert.equal(changesOf(0.5, 0.00001, 0, -0.1), [0.5, 0.00001])
  assert.equal(changesOf(0.5, null), [0.5])
  assert.equal(risenOf(rows(0, -0.1)), { isKnown: true, risen: [] })
})

test('without a known change, none is claimed', () => {
  assert.equal(risenOf(rows(null, null)), { isKnown: false, risen: [] })
  assert.equal(risenOf([]), { isKnown: false, risen: [] })
})

test('a change is in percentage points, with its sign, and no small one is 0', () => {
  const number = (value: number) => value.toLocaleString(undefined, { maximumFractionDigits: 3 })
  assert.is(formatChange(0.12345), `+${number(12.3)} pp`)
  assert.is(formatChange(-0.3), `-${number(30)} pp`)
  assert.is(formatChange(0.00043), `+${number(0.043)} pp`)
  assert.is(formatChange(0.00001), `+${number(0.001)} pp`)
  assert.is(formatChange(0.96), `+${number(96)} pp`)
  assert.is(formatChange(0), '0 pp')
})

test('a list in the order of the change shows it, and asks for it', () => {
  for (const sort of ['-epss_change', 'epss_change', '-EPSS_CHANGE']) {
    assert.equal(columnsInOrder(['title'], sort), ['title', 'epss_change'])
    assert.equal(columnsInOrder(['epss_change', 'title'], sort), ['epss_change', 'title'])
  }
  for (const sort of ['-epss', undefined]) assert.equal(columnsInOrder(['title'], sort), ['title'])
  assert.equal(fieldsOf(['title', 'epss_change']), CVE_LIST_FIELDS)
  assert.is(fieldsOf(['title', 'epss']), null)
})

test.run()
