/** The text of an ingest report, formatted from data. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatIngestReport } from '../../../builder/ingest/format-report.ts'
import type { FeedReport, IngestReport } from '../../../builder/ingest/report.ts'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'

const FEED: FeedReport = {
  name: 'cvelist',
  title: 'CVE list',
  status: 'read',
  version: '2024-06-01',
  date: '2024-05-30T00:00:00.000Z',
  ageDays: 0,
  published: '2024-06-01T24:00',
  files: [
    {
      path: 'cvelistv5/2024-06-01_all_CVEs.zip',
      bytes: 10,
      sha256: 'ab',
      part: '',
      date: '2024-06-01T24:00',
      newest: null,
    },
  ],
  read: 1240,
  kept: 1233,
  added: 1000,
  changed: 33,
  removed: 2,
  held: 1,
  retained: 0,
  skipped: [
    {
      reason: 'json_invalid',
      items: [1, 2, 3, 4, 5, 6, 7].map((n) => ({ key: `CVE-2024-000${n}`, detail: 'Unexpected end of JSON input' })),
    },
  ],
  notes: [{ reason: 'cvss-in-other', items: [{ key: 'CVE-2024-0009', detail: 'a vector' }] }],
  lostFacets: [],
  unreadable: { before: 0, now: 0, read: 0, unreadable: 0, example: null },
  remarks: [{ code: 'edition-older', detail: 'the corpus has a newer one' }],
}

const ABSENT: FeedReport = {
  ...FEED,
  status: 'absent',
  ...{ read: 0, kept: 0, added: 0, changed: 0, removed: 0, held: 0 },
  ...{ skipped: [], notes: [], remarks: [] },
}

const REPORT: IngestReport = {
  epssHistory: { read: 2, editions: 75, first: '2024-01-07', last: '2024-06-01', points: 3_310_000 },
  asOf: '2024-06-01',
  corpusDate: '2024-05-30T00:00:00.000Z',
  previousCorpusDate: '2024-05-29T12:00:00.000Z',
  feeds: [
    { ...ABSENT, name: 'kev', title: 'KEV' },
    { ...ABSENT, name: 'cna', title: 'CNA list', kept: 412 },
    {
      ...FEED,
      name: 'epss',
      title: 'EPSS',
      status: 'unchanged',
      version: null,
      date: null,
      ageDays: null,
      added: 0,
      changed: 0,
      removed: 0,
      held: 0,
      skipped: [],
      notes: [],
      remarks: [],
      read: 5,
      kept: 5,
    },
    {
      ...FEED,
      name: 'nvd',
      title: 'NVD',
      version: null,
      date: '2025-07-06T00:00:00.000Z',
      ageDays: -1402,
      held: 0,
      skipped: [],
      notes: [],
      remarks: [{ code: 'days-apart', detail: 'edition of 2025-07-06,\nlate' }],
    },
    { ...FEED, version: '2024-06-01 with a long suffix' },
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
    disagreements: [
      {
        cveId: 'CVE-2024-9',
        about: 'severity',
        claims: [
          { by: 'cna acme', states: '3.1 5 medium' },
          { by: 'nvd', states: '3.1 9.8 critical' },
        ],
      },
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
  advisories: { total: 1500, withoutCve: 20 },
  withoutRecord: [
    { feed: 'kev', cveIds: ['CVE-2020-0001'] },
    { feed: 'epss', cveIds: ['CVE-2020-0001', 'CVE-2020-0002', 'CVE-2020-0003', 'CVE-2020-0004'] },
  ],
  seconds: { stage: 1.24, merge: 2, total: 3.24 },
}

const TABLE = `feed      read   kept  skipped    new  changed  removed  version            age (days)
epss         5      5        0      0        0        0  -                           -
nvd      1,240  1,233        7  1,000       33        2  2025-07-06             -1,402
cvelist  1,240  1,233        7  1,000       33        2  2024-06-01 with …           0
same files as at the last ingest: epss
not present: kev, cna`

test('a report is a table, warnings, and what is new', () => {
  assert.is(
    formatIngestReport(REPORT),
    `${TABLE}

Warnings (--verbose or --json lists all):
  412 cna records kept from an earlier ingest: the feed is not present
    7 skipped cvelist records (json_invalid): CVE-2024-0001 (Unexpected end of JSON input), CVE-2024-0002, CVE-2024-0003, …
    1 of the skipped cvelist records kept from the last ingest
    1 cvelist defect (cvss-in-other): CVE-2024-0009 (a vector)
    1 feed of another day than the CVE list: nvd (edition of 2025-07-06, late)
    1 feed accepted although older than the corpus: cvelist (the corpus has a newer one)
    1 kev id without a record in the CVE list: CVE-2020-0001
    4 epss ids without a record in the CVE list: CVE-2020-0001, CVE-2020-0002, CVE-2020-0003, …
    1 of 2,000 CVSS scores differ from their vector: CVE-2024-9 (nvd states 3.1 9.3, the vector gives 9.8)
    1 CVSS vector without all base metrics
    1 contradiction between sources on severity: CVE-2024-9 (cna acme: 3.1 5 medium, nvd: 3.1 9.8 critical)

New since the last ingest (corpus date 2024-05-29):
  6 CVEs added: CVE-2024-1, CVE-2024-2, CVE-2024-3, CVE-2024-4, CVE-2024-5, …
  1 CVE removed: CVE-2024-7
  2 CVEs rejected: CVE-2024-7, CVE-2024-8
  1 CVE added to KEV: CVE-2024-1
  2 CVEs with another severity: CVE-2024-9 high → critical, CVE-2024-10 unscored → low
  1 contradiction between sources: CVE-2024-9 severity

1,230 CVEs, corpus date 2024-05-30 (feeds as of 2024-06-01), 3 rejected
1,500 advisory records, 20 without a CVE
EPSS history: 75 editions from 2024-01-07 to 2024-06-01 (2 read), 3,310,000 points
3.2 s (read 1.2 s, merge 2.0 s)`,
  )
})

test('--verbose lists every example and every file', () => {
  const text = formatIngestReport(REPORT, { verbose: true })
  assert.ok(
    text.startsWith(`${TABLE}

Files:
  epss: cvelistv5/2024-06-01_all_CVEs.zip
  nvd: cvelistv5/2024-06-01_all_CVEs.zip
  cvelist: cvelistv5/2024-06-01_all_CVEs.zip

Warnings:
  412 cna records kept from an earlier ingest: the feed is not present
    7 skipped cvelist records (json_invalid)
        CVE-2024-0001 (Unexpected end of JSON input)
`),
    text,
  )
  assert.match(text, '\n        CVE-2024-0007 (Unexpected end of JSON input)\n')
  assert.match(text, '\n        CVE-2020-0004\n')
  assert.match(text, '\n  6 CVEs added\n      CVE-2024-1\n')
  assert.match(text, '\n      CVE-2024-9 severity (cna acme: 3.1 5 medium, nvd: 3.1 9.8 critical)\n')
  assert.not.match(text, '…,')
})

const NO_CHANGES = Object.fromEntries(
  Object.keys(REPORT.changes).map((name) => [name, []]),
) as unknown as typeof REPORT.changes
const SAME: IngestReport = {
  ...REPORT,
  epssHistory: { ...REPORT.epssHistory, read: 0 },
  asOf: null,
  changes: NO_CHANGES,
  feeds: REPORT.feeds.filter(({ name }) => name === 'kev' || name === 'epss'),
}

test('a night without any change is one line; --verbose prints the whole report', () => {
  assert.is(formatIngestReport(SAME), 'Nothing changed since the last ingest: 1,230 CVEs, corpus date 2024-05-30')
  const verbose = formatIngestReport(SAME, { verbose: true })
  assert.match(verbose, /^feed +read/)
  assert.match(verbose, '\n\nNo CVE changed since the last ingest (corpus date 2024-05-29).\n\n1,230 CVEs, ')
})

test('a new edition, a change, or a missing feed that the corpus has is never an unchanged night', () => {
  const [, cna, , nvd] = REPORT.feeds
  const nights: IngestReport[] = [
    { ...SAME, feeds: [...SAME.feeds, { ...nvd!, added: 0, changed: 0, removed: 0 }] },
    { ...SAME, feeds: [...SAME.feeds, cna!] },
    ...Object.entries(REPORT.changes)
      .filter(([, items]) => items.length > 0)
      .map(([name, items]) => ({ ...SAME, changes: { ...NO_CHANGES, [name]: items } })),
  ]
  assert.is(nights.length, 8)
  for (const night of nights) assert.match(formatIngestReport(night), /^feed +read/)
})

test('a text of a feed cannot add a line, and is cut', () => {
  const skipped = [{ reason: 'item_invalid', items: [{ key: 'a\nb'.repeat(50), detail: 'x\n\ny'.repeat(90) }] }]
  const text = formatIngestReport({ ...REPORT, feeds: [{ ...FEED, version: 'v\n1', skipped, notes: [], remarks: [] }] })
  const line = text.split('\n').find((one) => one.includes('item_invalid'))!
  assert.match(line, /skipped cvelist record \(item_invalid\): a ba b.*… \(x yx y.*…\)$/)
  assert.ok(line.length < 300)
  assert.match(text, ' v 1 ')
})

test('a first ingest is not compared with anything', () => {
  const text = formatIngestReport({ ...REPORT, asOf: null, corpusDate: null, previousCorpusDate: null })
  assert.match(text, '\n\nNew:\n  6 CVEs added')
  assert.match(text, '\n1,230 CVEs, no corpus date, 3 rejected\n')
})

test('a corpus without advisories has no line about them', () => {
  const text = formatIngestReport({ ...REPORT, advisories: { total: 0, withoutCve: 0 } })
  assert.not.match(text, 'advisory')
})

test.run()
