/** The required content of a sample of any size: states, all kinds of ids, odd titles, all notations of versions. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { IDS_BY_YEAR } from '../../../corpus/sample/figures.ts'
import { cisaOf, cnaOf, large, near, published, records, share } from './sampled-records.ts'

test('small and large samples have rejected, reserved and KEV records in the real proportions', () => {
  for (const list of [records(2000), large]) {
    near(
      'rejected',
      share(list, (one) => one.cveMetadata.state === 'REJECTED'),
      0.047,
      0.25,
    )
    assert.ok(list.filter((one) => one.cveMetadata.state === 'RESERVED').length >= 3)
    const listed = list.filter((one) => JSON.stringify(cisaOf(one)?.metrics ?? '').includes('"kev"')).length
    assert.is(listed, Math.floor(list.length / 233 + 0.5))
    assert.ok(listed >= 5)
  }
})

const total = IDS_BY_YEAR.reduce((sum, [, thousands]) => sum + thousands, 0)

test('ids are distributed over the years as upstream, ascending, in blocks, some beyond a million', () => {
  for (const list of [records(2000), large]) {
    const ids = list.map((one) => one.cveMetadata.cveId)
    assert.is(new Set(ids).size, ids.length)
    assert.equal(
      ids,
      ids.toSorted((a, b) => Number(a.slice(4, 8)) - Number(b.slice(4, 8)) || Number(a.slice(9)) - Number(b.slice(9))),
    )
    near(
      'ids of 2024',
      share(ids, (id) => id.startsWith('CVE-2024-')),
      37.9 / total,
      0.02,
    )
    near(
      'ids of 1999',
      share(ids, (id) => id.startsWith('CVE-1999-')),
      1.5 / total,
      0.3,
    )
    assert.ok(ids.some((id) => /^CVE-2017-1000\d{3}$/.test(id)))
    assert.ok(ids.some((id) => /^CVE-2024-\d{5}$/.test(id)) && ids.some((id) => /^CVE-2024-0\d{3}$/.test(id)))
  }
  assert.ok(new Set(large.map((one) => one.cveMetadata.cveId.slice(0, -3))).size < 900)
})

test('some titles hold a per cent sign, an underscore, quotes, letters beyond ASCII', () => {
  const titles = published.flatMap((one) => cnaOf(one).title ?? [])
  for (const sign of [/%/, /_/, /"/, /'/, /[^\0-\x7f]/])
    assert.ok(titles.filter((one) => sign.test(one)).length > 20, `${sign}`)
})

test('every claim about versions that rule 24 rules on occurs', () => {
  const text = published.map((one) => JSON.stringify(cnaOf(one).affected)).join()
  for (const sign of [
    '"lessThan":"',
    '"lessThanOrEqual":"',
    '"changes":[',
    '"status":"unaffected"',
    '.*"',
    '"lessThan":"*"',
    '"version":"*"',
    '"version":"All"',
    '"unspecified"',
    '"version":">= ',
    '"version":"= ',
    '"versionType":"rpm"',
    '"original_commit_for_fix"',
    '"defaultStatus":"affected"',
  ]) {
    assert.ok(text.includes(sign), sign)
  }
})

test.run()
