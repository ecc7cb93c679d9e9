/** The text of a build's report, formatted from data. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatBuildReport } from '../../builder/report.ts'
import type { BuildReport } from '../../builder/snapshot/build.ts'

const REPORT: BuildReport = {
  snapshot: 'abc',
  version: 3,
  changed: true,
  signedBy: ['first', 'second'],
  expiresAt: '2024-06-14T00:00:00.000Z',
  parent: 'aaa',
  counts: { cves: 12_256 },
  members: { total: 36_768, encoded: 1200, encodedBytes: 3_250_000 },
  shards: { total: 1420, unchanged: 1400 },
  leftOut: [],
  objects: { written: 1, writtenBytes: 40_000, reused: 1500, reusedBytes: 9 },
  seconds: { shards: 1, derived: 2, total: 3.14 },
}

test('a build states the snapshot, its signature, and what was written and reused', () => {
  assert.is(
    formatBuildReport(REPORT),
    `snapshot abc activated as version 3
  signed by first and second, expires 2024-06-14T00:00:00.000Z
  12,256 CVEs in 1,420 shards, 1,400 unchanged
  1,200 members compressed (3.3 MB), 35,568 reused
  1 file written (0.0 MB), 1,500 reused
  3.1 s`,
  )
})

test('a build of the current snapshot activates nothing, and a signature may never expire', () => {
  const lines = formatBuildReport({ ...REPORT, changed: false, signedBy: ['first'], expiresAt: null }).split('\n')
  assert.equal(lines.slice(0, 2), ['snapshot abc is already current (version 3)', '  signed by first, never expires'])
  assert.not.match(formatBuildReport({ ...REPORT, signedBy: [] }), 'signed')
})

test('a build names what it left out, and 20 of it at most', () => {
  const large = { name: 'CVE-2024-0001', part: 'affected', bytes: 81_400_001, limit: 67_108_864 } as const
  const entry = { name: 'capecs/capec-66', part: 'entry', bytes: null, limit: 2_097_152 } as const
  const core = { ...large, part: 'core', bytes: 300_000, limit: 262_144 } as const
  const lines = (leftOut: BuildReport['leftOut']) =>
    formatBuildReport({ ...REPORT, leftOut })
      .split('\n')
      .slice(5, -1)
  assert.equal(lines([large, entry, core]), [
    '  omitted: affected of CVE-2024-0001: 81,400,001 bytes; the limit is 67,108,864',
    '  omitted: entry of capecs/capec-66: too many bytes; the limit is 2,097,152',
    '  omitted: long texts of core of CVE-2024-0001: 300,000 bytes; the limit is 262,144',
  ])
  const many = lines(Array.from({ length: 21 }, () => large))
  assert.equal([many.length, many.at(-1)], [21, '  21 parts omitted (--json lists all)'])
})

test.run()
