/** Decisions in the reports of `vulnshelf check`: what fails, text, JSON, SARIF and OpenVEX; news since a snapshot. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CheckReport } from '../../../builder/check/check.ts'
import { openVexOf } from '../../../builder/check/output/openvex.ts'
import { sarifOf } from '../../../builder/check/output/sarif.ts'
import { formatTable } from '../../../builder/check/output/table.ts'
import { readVex } from '../../../corpus/inventory/decisions/read.ts'
import type { AffectedRow } from '../../../corpus/model/packages/affected-row.ts'
import type { Severity } from '../../../corpus/model/record.ts'
import { affectedRow } from '../../support/affected-row.ts'
import { checkPurls, FAIL_ON_HIGH, ignoring, readerOf, vexOf } from '../../support/check-report.ts'
import { assertStandard } from '../../support/schemas/validate.ts'

const plainTable = (report: CheckReport) => formatTable(report, (_, text) => text)

const row = (id: string, severity: Severity | null, more: Partial<AffectedRow> = {}) =>
  affectedRow(id, severity, { cve_ids: [`CVE-2024-${id.replace(/\D/g, '')}` as never], ...more })

const undecided = { verdict: 'undecided', undecided_reason: 'version' } as const

const ROWS = {
  'npm/a@1.0.0': [row('GHSA-1', 'critical', { fixed_versions: ['1.1.0'] }), row('GHSA-2', 'low')],
  'npm/b@1.0.0': [row('GHSA-1', 'critical'), row('GHSA-3', 'high')],
  'npm/c@1.0.0': [row('GHSA-4', 'high', undecided)],
}
const PURLS = 'pkg:npm/a@1.0.0\npkg:npm/b@1.0.0\npkg:npm/c@1.0.0\n'

const said = (status: string, id: string, product: string, more: object = {}) => ({
  ...{ vulnerability: { name: id }, products: [{ '@id': product }], status, ...more },
})

test('suppressed findings are listed with the reason, counted, and do not fail', async () => {
  const decisions = [
    ignoring(
      { id: 'CVE-2024-1', package: 'npm/a', reason: 'not reachable', until: '2026-12-31' },
      { id: 'GHSA-3', package: 'npm/b', reason: 'old', until: '2026-05-31' },
      { id: 'GHSA-2', package: 'npm/b', reason: 'elsewhere' },
      { id: 'GHSA-9', reason: 'misspelled' },
    ),
    vexOf(
      said('not_affected', 'CVE-2024-1', 'pkg:npm/b@1.0.0', { justification: 'component_not_present' }),
      said('affected', 'CVE-2024-3', 'pkg:npm/b', { action_statement: 'update soon' }),
      said('fixed', 'CVE-2024-9', 'pkg:npm/z'),
    ),
  ]
  const report = await checkPurls(PURLS, ROWS, { decisions })
  assert.equal(report.failing, { findings: 1, undecided: 0, notChecked: 0 })
  assert.equal([report.outcome, report.counts.findings, report.counts.suppressed], ['failed', 4, 2])
  assert.equal(
    report.findings.map(({ name, advisory, decision }) => [name, advisory.advisory_id, decision?.status ?? null]),
    [
      ['a', 'GHSA-1', 'ignored'],
      ['b', 'GHSA-1', 'not_affected'],
      ['b', 'GHSA-3', 'affected'],
      ['a', 'GHSA-2', null],
    ],
  )
  assert.equal(
    report.decisions.files.map(({ role, file, format, statements }) => [role, file, format, statements]),
    [
      ['ignore', 'vulnshelf.ignore.json', 'vulnshelf.ignore.json', 4],
      ['vex', 'vex.json', 'OpenVEX', 3],
    ],
  )
  const text = plainTable(report)
  for (const line of [
    'suppressed: npm/a 1.0.0 GHSA-1 (ignored until 2026-12-31: not reachable; vulnshelf.ignore.json:3)',
    'suppressed: npm/b 1.0.0 GHSA-1 (not affected: component_not_present; vex.json:4)',
    'stated: npm/b 1.0.0 GHSA-3 (affected: update soon; vex.json:16)',
    'no effect: vulnshelf.ignore.json:9: GHSA-3 in npm/b expired on 2026-05-31. Decide again, or remove it',
    'no effect: vulnshelf.ignore.json:15: GHSA-2 in npm/b matched no finding',
    'no effect: vulnshelf.ignore.json:20: GHSA-9: the snapshot has no vulnerability with this id. Correct it',
    'no effect: vex.json:28: CVE-2024-9 in pkg:npm/z matched no finding',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line}\nis not in\n${text}`)
  }
  assert.match(text, /, 2 findings suppressed\nfailed: 1 of 4 findings, 2 suppressed \(--fail-on high\)$/)
  const table = text.slice(0, text.indexOf('\n\n')).split('\n')
  assert.is(table.length, 3, 'the table has the others')
})

test('a check whose findings are all suppressed passes', async () => {
  const decisions = [ignoring({ id: 'GHSA-1', reason: 'r' }, { id: 'GHSA-3', reason: 'r' })]
  const report = await checkPurls(PURLS, ROWS, { decisions })
  assert.is(report.outcome, 'passed')
  assert.match(plainTable(report), '\npassed: 4 findings, 3 suppressed; no other is high or above (--fail-on high)')
})

test('an undecided package does not fail if all its advisories are suppressed', async () => {
  const failOn = { ...FAIL_ON_HIGH, level: 'none', undecided: true } as const
  assert.is((await checkPurls(PURLS, ROWS, { failOn })).failing.undecided, 1)
  const report = await checkPurls(PURLS, ROWS, { failOn, decisions: [ignoring({ id: 'GHSA-4', reason: 'r' })] })
  assert.equal([report.failing.undecided, report.counts.undecided, report.outcome], [0, 1, 'passed'])
  assert.match(plainTable(report), '\nsuppressed: npm/c 1.0.0 GHSA-4 (ignored: r; vulnshelf.ignore.json:3)\n')
})

test('SARIF has a suppression with the justification, and an empty list for other results', async () => {
  const decisions = [
    ignoring({ id: 'CVE-2024-1', package: 'npm/a', reason: 'not reachable' }, { id: 'GHSA-4', reason: 'r' }),
  ]
  const log = sarifOf(await checkPurls(PURLS, ROWS, { decisions }))
  assertStandard('SARIF 2.1.0', log)
  const [run] = log.runs
  assert.equal(
    run!.results!.map(({ ruleId, suppressions }) => [ruleId, suppressions]),
    [
      [
        'GHSA-1',
        [{ kind: 'external', status: 'accepted', justification: 'ignored: not reachable; vulnshelf.ignore.json:3' }],
      ],
      ['GHSA-1', []],
      ['GHSA-3', []],
      ['GHSA-2', []],
      [
        'undecided-package',
        [{ kind: 'external', status: 'accepted', justification: 'ignored: r; vulnshelf.ignore.json:8' }],
      ],
    ],
  )
  const [plain] = sarifOf(await checkPurls(PURLS, ROWS)).runs
  assert.ok(plain!.results!.every((result) => !('suppressions' in result)))
})

test('OpenVEX states findings and decisions, is valid, and is read again', async () => {
  const decisions = [
    ignoring({ id: 'GHSA-2', reason: 'rare', until: '2026-12-31' }),
    vexOf(
      said('not_affected', 'CVE-2024-1', 'pkg:npm/a', {
        ...{ justification: 'component_not_present', impact_statement: 'left out', timestamp: '2026-02-01T00:00:00Z' },
      }),
      said('not_affected', 'CVE-2024-1', 'pkg:npm/b', { impact_statement: 'patched' }),
    ),
  ]
  const report = await checkPurls(PURLS, ROWS, { decisions })
  const document = openVexOf(report, 'Example Ltd')!
  assertStandard('OpenVEX 0.2.0', document)
  assert.equal([document.author, document.timestamp], ['Example Ltd', '2026-01-01T00:00:00Z'])
  assert.equal(document.statements, [
    {
      vulnerability: { name: 'CVE-2024-1', aliases: ['GHSA-1'] },
      products: [{ '@id': 'pkg:npm/a@1.0.0' }],
      ...{ timestamp: '2026-02-01T00:00:00.000Z', status: 'not_affected' },
      ...{ justification: 'component_not_present', status_notes: 'left out' },
    },
    {
      vulnerability: { name: 'CVE-2024-1', aliases: ['GHSA-1'] },
      ...{ products: [{ '@id': 'pkg:npm/b@1.0.0' }], status: 'not_affected', impact_statement: 'patched' },
    },
    {
      vulnerability: { name: 'CVE-2024-3', aliases: ['GHSA-3'] },
      ...{ products: [{ '@id': 'pkg:npm/b@1.0.0' }], status: 'under_investigation', status_notes: 'no fixed version' },
    },
    {
      vulnerability: { name: 'CVE-2024-2', aliases: ['GHSA-2'] },
      products: [{ '@id': 'pkg:npm/a@1.0.0' }],
      ...{ status: 'affected', action_statement: 'accepted until 2026-12-31: rare', status_notes: 'no fixed version' },
    },
  ])
  assert.equal(openVexOf(report, 'Example Ltd'), document, 'it is deterministic')
  assert.is.not(openVexOf(report, 'Other Ltd')!['@id'], document['@id'])
  const read = {
    ...readVex('own.json', Buffer.from(JSON.stringify(document))),
    role: 'vex',
    sha256: '',
    isFor: () => true,
  } as const
  const again = await checkPurls(PURLS, ROWS, { decisions: [read] })
  assert.equal(
    again.findings.map(({ decision }) => decision!.status),
    ['not_affected', 'not_affected', 'under_investigation', 'affected'],
  )
})

test('equal OpenVEX statements about several packages become one; without findings there is no document', async () => {
  const rows = { 'npm/a@1.0.0': [row('GHSA-1', 'low')], 'npm/b@1.0.0': [row('GHSA-1', 'low')] }
  const { statements } = openVexOf(await checkPurls(PURLS, rows), 'A')!
  assert.equal(
    statements.map(({ products }) => products.map((one) => one['@id'])),
    [['pkg:npm/a@1.0.0', 'pkg:npm/b@1.0.0']],
  )
  assert.is(openVexOf(await checkPurls(PURLS, {}), 'A'), null)
})

test('since a snapshot, only news is reported and fails', async () => {
  const before = {
    'npm/a@1.0.0': [row('GHSA-1', 'critical', { fixed_versions: ['1.1.0'] })],
    'npm/b@1.0.0': [row('GHSA-1', 'critical'), row('GHSA-3', 'high')],
  }
  const now = { ...ROWS, 'npm/b@1.0.0': [row('GHSA-1', 'critical'), row('GHSA-3', 'high', { kev: true })] }
  const report = await checkPurls(PURLS, now, { earlier: readerOf(before, 'b') })
  assert.equal(
    report.findings.map(({ name, advisory, news }) => [name, advisory.advisory_id, news]),
    [
      ['b', 'GHSA-3', [{ kind: 'kev' }]],
      ['a', 'GHSA-2', [{ kind: 'advisory' }]],
    ],
  )
  assert.equal(
    report.undecided.map(({ name, news }) => [name, news]),
    [['c', [{ kind: 'advisory' }]]],
  )
  assert.equal(report.since, { id: 'b'.repeat(64), createdAt: '2026-01-01T00:00:00Z', known: 2 })
  assert.equal([report.failing.findings, report.counts.findings, report.counts.affected], [1, 2, 2])
  const text = plainTable(report)
  assert.match(text, '\nnews: npm/b 1.0.0 GHSA-3 (in KEV)\nnews: npm/a 1.0.0 GHSA-2 (new advisory)\n')
  assert.match(text, '\nnews since snapshot bbbbbbbbbbbb of 2026-01-01T00:00:00Z; 2 findings known then\n')
  const same = await checkPurls(PURLS, ROWS, { earlier: readerOf(ROWS, 'b') })
  assert.equal([same.findings, same.undecided, same.outcome, same.since!.known], [[], [], 'passed', 4])
})

test.run()
