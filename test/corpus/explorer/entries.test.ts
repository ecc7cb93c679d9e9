/** Pages of entries: names in requests, ranges in words, which snapshots are compared. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hasDotSegment } from '../../../corpus/explorer/app/data/api.ts'
import { countsOf, idOf, type SnapshotRow, sinceOf } from '../../../corpus/explorer/app/pages/changes/choice.ts'
import { isTime } from '../../../corpus/explorer/app/parts/format.ts'
import { cpeName, isNamedBy, productFilter, questionOf } from '../../../corpus/explorer/app/parts/names.ts'
import { intervalTexts, matchText, rangeText } from '../../../corpus/explorer/app/parts/ranges.ts'
import { unwrap } from '../../../corpus/explorer/app/parts/unwrap.ts'
import { csvLine } from '../../../corpus/reader/csv.ts'

test('a query names a package or product by its whole name or id, in any case', () => {
  const lodash = { type: 'package', id: 'npm/lodash', label: 'lodash' }
  const panOs = { type: 'product', id: 'palo_alto_networks/pan-os', label: 'PAN-OS' }
  for (const query of ['lodash', 'LODASH', 'npm/lodash']) assert.ok(isNamedBy(query, lodash), query)
  assert.ok(isNamedBy('Pan-OS', panOs))
  for (const query of ['lodas', 'odash', 'npm']) assert.not.ok(isNamedBy(query, lodash), query)
  assert.not.ok(isNamedBy('openssl', { type: 'vendor', id: 'openssl', label: 'OpenSSL' }))
})

test('slashes within the keys of a product are encoded, as API 9.23 requires', () => {
  assert.is(productFilter('acme', 'widget'), 'acme/widget')
  assert.is(productFilter('a/b', 'tcp/ip_stack'), 'a%2Fb/tcp%2Fip_stack')
})

test('the CPE name of a product quotes what CPE 2.3 requires', () => {
  assert.is(cpeName('acme', 'tcp/ip_stack', '1.0'), 'cpe:2.3:*:acme:tcp\\/ip_stack:1.0:*:*:*:*:*:*:*')
  assert.is(cpeName('a:b', 'c++', '1.0 (2)'), 'cpe:2.3:*:a\\:b:c\\+\\+:1.0\\ \\(2\\):*:*:*:*:*:*:*')
})

test('a text that begins with cpe: is a CPE name, another one a package URL', () => {
  assert.equal(questionOf(' CPE:2.3:a:b:c:1:*:*:*:*:*:*:* '), { cpe: 'CPE:2.3:a:b:c:1:*:*:*:*:*:*:*' })
  assert.equal(questionOf('pkg:npm/a@1'), { purl: 'pkg:npm/a@1' })
})

test('a range is shown by its bounds', () => {
  assert.is(rangeText('0', null), 'all versions')
  assert.is(rangeText('0', '1.2'), '<\u00a01.2')
  assert.is(rangeText('1.0', null, '1.2'), '≥\u00a01.0, ≤\u00a01.2')
  const matched = { kind: 'version', introduced: null, fixed: null, last_affected: null, source: 'GHSA-1' } as const
  assert.is(matchText(matched), 'listed version')
  assert.is(matchText({ ...matched, kind: 'range', introduced: '0' }), 'all versions')
  assert.is(matchText({ ...matched, kind: 'cpe' }), 'listed version')
  assert.is(matchText({ ...matched, kind: 'cpe', last_affected: '2.4.59' }), '≤\u00a02.4.59')
})

test('events of a range are its intervals', () => {
  const events = [
    { introduced: '0' },
    { fixed: '1.2' },
    { introduced: '2.0' },
    { last_affected: '2.3' },
    { introduced: '3.0' },
  ]
  assert.equal(intervalTexts(events), ['<\u00a01.2', '≥\u00a02.0, ≤\u00a02.3', '≥\u00a03.0'])
  assert.equal(intervalTexts([{ introduced: '1' }, { introduced: '2' }, { fixed: '3' }]), [
    '≥\u00a01',
    '≥\u00a02, <\u00a03',
  ])
  assert.equal(intervalTexts([{ introduced: '0' }, { limit: '2.0' }]), ['only before 2.0', 'all versions'])
  assert.equal(intervalTexts([]), [])
})

const snapshot = (digit: string, day: number, parent: string | null = null): SnapshotRow => ({
  id: digit.repeat(64),
  created_at: `2026-01-0${day}T00:00:00Z`,
  parent: parent?.repeat(64) ?? null,
  cves: 1,
  retained: false,
})

test('a snapshot is compared with its parent, else with the newest before it', () => {
  const [c, b, a] = [snapshot('c', 3, 'a'), snapshot('b', 2), snapshot('a', 1)]
  assert.is(sinceOf([c, b, a], c, null), a.id)
  assert.is(sinceOf([c, b, a], { ...c, parent: null }, null), b.id)
  assert.is(sinceOf([c, b, a], a, null), null)
  assert.is(sinceOf([], undefined, null), null)
  assert.is(sinceOf([c, b, a], c, 'bbbbbbb'), b.id)
  assert.is(sinceOf([c, b, a], b, 'ccccccc'), a.id, 'a newer one cannot be the earlier one')
  assert.is(sinceOf([c, b, a], c, '2026-01-01'), '2026-01-01')
  assert.is(idOf([c, b, a], 'bbbbbb'), 'bbbbbb', 'fewer than seven digits')
})

test('changes are counted by kind', () => {
  const change = (kind: 'added' | 'changed') => ({ cve_id: 'CVE-2026-0001' as const, change: kind, sections: [] })
  assert.equal(countsOf([change('added'), change('changed'), change('changed')]), { added: 1, changed: 2, removed: 0 })
})

test('a record of CSV quotes separators, and no cell is a formula', () => {
  assert.is(csvLine(['a,b', 'say "x"', null, 1, true, '=1+1', '-x\n']), '"a,b","say ""x""",,1,true,\'=1+1,"\'-x\n"\r\n')
})

test('an address cannot lead a request out of its path', () => {
  for (const path of ['/cves/..', '/exploits/../..', '/vendors/./products/x', '..'])
    assert.ok(hasDotSegment(path), path)
  for (const path of ['/cves', '/packages/npm/%40a%2F..%2Fb', '/packages/npm/...', '/packages/npm/.a', '/a/..%5C']) {
    assert.not.ok(hasDotSegment(path), path)
  }
})

test('a text that is wrapped as source code has lines for its paragraphs and lists only', () => {
  const line = 'The module sends a request to the page that changes the password,'
  const text = `${line}\n          and logs in.\n\n          These versions are known:\n          * 1.0\n          * 1.1`
  assert.is(unwrap(text), `${line} and logs in.\n\nThese versions are known:\n* 1.0\n* 1.1`)
  assert.is(unwrap(`${line}\n- a\n${line}\n2) b`), `${line}\n- a\n${line}\n2) b`)
})

test('a text of a feed that is no time is not formatted', () => {
  for (const text of ['2024-13-45T00:00:00Z', 'yesterday', '']) assert.not.ok(isTime(text), text)
  for (const text of ['2024-01-02', '2024-01-02T03:04:05.678Z']) assert.ok(isTime(text), text)
})

test.run()
