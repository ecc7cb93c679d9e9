/** The ingest report as text: read in a minute, names capped, the rest counted. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type FeedReport, formatReport, type IngestReport } from '../../../builder/ingest/report.ts'
import type { CveId } from '../../../corpus/model/cve-id.ts'

const FEED: FeedReport = {
  name: 'cvelist',
  title: 'CVE list',
  status: 'read',
  version: '2024-06-01',
  date: '2024-05-30T00:00:00.000Z',
  published: '2024-06-01T24:00',
  files: [{ path: 'cvelistv5/2024-06-01_all_CVEs.zip', bytes: 10, sha256: 'ab' }],
  read: 1240,
  kept: 1233,
  added: 1000,
  changed: 33,
  removed: 2,
  held: 1,
  skipped: [
    {
      reason: 'json_invalid',
      items: [1, 2, 3, 4, 5, 6, 7].map((n) => ({ key: `CVE-2024-000${n}`, detail: 'Unexpected end of JSON input' })),
    },
  ],
  notes: [{ reason: 'cvss-in-other', items: [{ key: 'CVE-2024-0009', detail: 'a vector' }] }],
  remarks: [{ code: 'edition-older', detail: 'it is older' }],
}

const REPORT: IngestReport = {
  asOf: '2024-06-01',
  corpusDate: '2024-05-30T00:00:00.000Z',
  feeds: [
    { ...FEED, name: 'kev', title: 'KEV', status: 'absent', kept: 0 },
    { ...FEED, name: 'cna', title: 'CNA list', status: 'absent', kept: 412 },
    {
      ...FEED,
      name: 'epss',
      title: 'EPSS',
      status: 'unchanged',
      version: null,
      date: null,
      held: 0,
      skipped: [],
      notes: [],
      remarks: [],
      read: 5,
      kept: 5,
    },
    FEED,
  ],
  records: { total: 1230, added: 997, changed: 33, removed: 2, merged: 1030 },
  changes: {
    added: ['CVE-2024-1', 'CVE-2024-2', 'CVE-2024-3', 'CVE-2024-4', 'CVE-2024-5', 'CVE-2024-6'] as CveId[],
    changed: [],
    removed: ['CVE-2024-7'],
    rejected: ['CVE-2024-7', 'CVE-2024-8'] as CveId[],
    kevAdded: ['CVE-2024-1'],
    kevRemoved: [],
    severity: [
      { cveId: 'CVE-2024-9', from: 'high', to: 'critical' },
      { cveId: 'CVE-2024-10', from: null, to: 'low' },
    ],
  },
  scores: {
    compared: 2000,
    unreadable: 1,
    mismatches: [
      { cveId: 'CVE-2024-9', by: 'nvd', version: '3.1', vector: 'CVSS:3.1/AV:N', stated: 9.3, computed: 9.8 },
    ],
  },
  disagreements: [
    {
      about: 'severity',
      items: [
        {
          cveId: 'CVE-2024-9',
          claims: [
            { by: 'cna acme', states: '3.1 5 medium' },
            { by: 'nvd', states: '3.1 9.8 critical' },
          ],
        },
      ],
    },
  ],
  rejected: 3,
  withoutRecord: [
    { feed: 'kev', cveIds: ['CVE-2020-0001'] },
    { feed: 'epss', cveIds: [] },
  ],
  seconds: { stage: 1.24, merge: 2, total: 3.24 },
}

test('says of each feed what was read, kept, skipped and changed', () => {
  assert.is(
    formatReport(REPORT),
    `KEV: absent
CNA list: absent, 412 claims of earlier ingests stay
EPSS (undated) from cvelistv5/2024-06-01_all_CVEs.zip
  5 read = 5 kept + 0 skipped; the same files as last time
CVE list (2024-06-01, 2024-05-30T00:00:00.000Z) from cvelistv5/2024-06-01_all_CVEs.zip
  1,240 read = 1,233 kept + 7 skipped; 1,000 new, 33 changed, 2 removed
  skipped, json_invalid: 7
    CVE-2024-0001: Unexpected end of JSON input
    CVE-2024-0002: Unexpected end of JSON input
    CVE-2024-0003: Unexpected end of JSON input
    CVE-2024-0004: Unexpected end of JSON input
    CVE-2024-0005: Unexpected end of JSON input
    and 2 more (--json names all)
  of those skipped, 1 stay as they were
  noted, cvss-in-other: 1 (CVE-2024-0009)
  edition-older: it is older
kev: 1 ids without a record: CVE-2020-0001
corpus of 2024-05-30T00:00:00.000Z (as of 2024-06-01): 1,230 records (997 new, 33 changed, 2 removed), 3 rejected
  new: 6 (CVE-2024-1, CVE-2024-2, CVE-2024-3, CVE-2024-4, CVE-2024-5 and 1 more)
  removed: 1 (CVE-2024-7)
  newly rejected: 2 (CVE-2024-7, CVE-2024-8)
  added to KEV: 1 (CVE-2024-1)
  severity moved: 2 (CVE-2024-9 high → critical; CVE-2024-10 unscored → low)
  2,000 scores compared with their vectors, 1 vectors unreadable
  scores that differ from their vectors: 1 (CVE-2024-9 nvd 3.1 9.3, vector 9.8)
  sources disagree on severity: 1 (CVE-2024-9 cna acme: 3.1 5 medium, nvd: 3.1 9.8 critical)
3.2 s (reading 1.2 s, merging 2.0 s)`,
  )
})

test('is plain data: it comes back from JSON as it went in', () => {
  assert.equal(JSON.parse(JSON.stringify(REPORT)), REPORT)
})

test.run()
