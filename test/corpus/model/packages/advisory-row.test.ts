/** Rows of the list of advisories. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { advisoryRow } from '../../../../corpus/model/packages/advisory-row.ts'
import type { JsonObject } from '../../../../corpus/model/values/json-value.ts'

const HIGH = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N'
const named = (...ecosystems: string[]) => ecosystems.map((ecosystem) => ({ package: { ecosystem, name: 'a' } }))
const rowOf = (record: JsonObject) => advisoryRow({ id: 'GHSA-1', ...record })!

test('what a record states, in short', () => {
  assert.equal(
    rowOf({
      summary: 'A fault',
      published: '2024-05-01T10:00:00Z',
      modified: '2024-05-02T10:00:00+02:00',
      aliases: ['CVE-2024-0002'],
      upstream: ['CVE-2023-0001'],
      affected: named('Debian:12', 'npm', 'Debian:11'),
      database_specific: { severity: 'MODERATE' },
    }),
    {
      advisory_id: 'GHSA-1',
      summary: 'A fault',
      severity: 'medium',
      ecosystems: ['Debian', 'npm'],
      cve_ids: ['CVE-2023-0001', 'CVE-2024-0002'],
      cve_count: 2,
      is_malware: false,
      is_withdrawn: false,
      published_at: '2024-05-01T10:00:00.000Z',
      modified_at: '2024-05-02T08:00:00.000Z',
      withdrawn_at: null,
    },
  )
})

test('a score precedes the rating, also that of a package', () => {
  const rated = { database_specific: { severity: 'LOW' } }
  assert.is(rowOf(rated).severity, 'low')
  assert.is(rowOf({ ...rated, severity: [{ type: 'CVSS_V3', score: HIGH }] }).severity, 'high')
  const affected = [{ ...named('npm')[0], severity: [{ type: 'CVSS_V3', score: HIGH }] }]
  assert.is(rowOf({ ...rated, affected }).severity, 'high')
  assert.equal([rowOf({}).severity, rowOf({ id: 'MAL-1' }).severity], [null, 'critical'])
})

test('a withdrawn record keeps its CVEs, also without a valid time', () => {
  const row = rowOf({ withdrawn: 'soon', aliases: ['CVE-2024-0001'] })
  assert.equal([row.is_withdrawn, row.withdrawn_at, row.cve_ids], [true, null, ['CVE-2024-0001']])
})

test('long summaries and lists of CVEs are cut, and counted', () => {
  const aliases = Array.from({ length: 250 }, (_, i) => `CVE-2024-${String(9999 - i)}`)
  const { summary, cve_ids, cve_count } = rowOf({ summary: 'word '.repeat(5_000), aliases })
  assert.ok(summary!.length <= 500)
  assert.equal([cve_ids.length, cve_ids[0], cve_count], [100, 'CVE-2024-9750', 250])
})

test('a record without an id, and one that was made from a CVE record, have none', () => {
  assert.is(advisoryRow({}), null)
  assert.is(advisoryRow({ id: 'CVE-2024-0001', database_specific: { derived_from: 'cve_record' } }), null)
})

test.run()
