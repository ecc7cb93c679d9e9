/** The report of `vulnshelf check`: counts, order, what fails, as text and as SARIF. */
import type { Log, Run } from 'sarif'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CheckReport, checkInventories, type FailRule } from '../../../builder/check/check.ts'
import { FAIL_LEVELS } from '../../../builder/check/fail-levels.ts'
import { sarifOf } from '../../../builder/check/output/sarif.ts'
import { formatTable } from '../../../builder/check/output/table.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { inventoryOf } from '../../../corpus/inventory/read.ts'
import type { AffectedRow } from '../../../corpus/model/packages/affected-row.ts'
import type { Severity } from '../../../corpus/model/record.ts'
import { affectedRow } from '../../support/affected-row.ts'
import { assertStandard } from '../../support/schemas/validate.ts'

const plainTable = (report: CheckReport) => formatTable(report, (_, text) => text)

const row = (advisory_id: string, severity: Severity | null, more: Partial<AffectedRow> = {}): AffectedRow =>
  affectedRow(advisory_id, severity, { summary: `Flaw ${advisory_id}`, ...more })

type Rows = Record<string, AffectedRow[]>

/** Checks purls, one per line, against rows by `ecosystem/name@version`. Collects the questions. */
async function check(purls: string, rows: Rows, failOn: Partial<FailRule> = {}, file = '-') {
  const asked: string[] = []
  let [now, most] = [0, 0]
  const reader = {
    ecosystems: ['Debian', 'npm', 'PyPI'],
    releases: { Debian: ['12'] },
    snapshot: {
      id: 'a'.repeat(64),
      created_at: '2026-01-01T00:00:00Z',
      parent: null,
      counts: {},
      feeds: {},
      epss_date: null,
    },
    async affected(question: unknown) {
      const { ecosystem, name, version } = question as Record<string, string>
      asked.push(`${ecosystem}/${name}@${version}`)
      most = Math.max(most, ++now)
      await new Promise(setImmediate)
      now--
      return rows[`${ecosystem}/${name}@${version}`] ?? []
    },
  }
  const inventories = [{ ...inventoryOf(file, 'purls.purl', Buffer.from(purls)), sha256: '1'.repeat(64) }]
  const rule = { level: 'high', unscored: true, undecided: false, unchecked: false, ...failOn } as const
  const report = await checkInventories(
    { inventories, notChecked: [], unreadable: [] },
    reader as never,
    { failOn: rule, omit: [], decisions: [], today: '2026-06-01', earlier: null },
    noProgress,
  )
  return { report, asked, most }
}

test('each version is looked up once, under any spelling of the name, with few at the same time', async () => {
  const purls = [
    'pkg:pypi/Django@1.0',
    'pkg:pypi/django@1.0',
    'pkg:pypi/django@2.0',
    'pkg:deb/debian/a@1?distro=debian-12',
  ]
  const { report, asked } = await check(purls.join('\n'), {})
  assert.equal(asked.sort(), ['Debian:12/a@1', 'PyPI/Django@1.0', 'PyPI/django@2.0'])
  assert.is(report.counts.packages, 3)
  const many = Array.from({ length: 500 }, (_, i) => `pkg:npm/p${i}@1.0.0`).join('\n')
  const { asked: all, most } = await check(many, {})
  assert.is(new Set(all).size, 500)
  assert.ok(most > 1 && most <= 32, `${most} at the same time`)
})

test('more advisories than the bound are an error that names the bound, and end the look-ups', async () => {
  const found = Array.from({ length: 100_000 }, () => row('A-1', 'low'))
  const purls = Array.from({ length: 500 }, (_, i) => `pkg:npm/p${i}@1.0.0`)
  const rows = Object.fromEntries(purls.map((purl) => [purl.slice('pkg:'.length), found]))
  await check(purls.slice(0, 2).join('\n'), rows, {}, 'f')
  const error = await check(purls.join('\n'), rows, {}, 'f').catch((thrown: Error) => thrown)
  assert.is(
    (error as Error).message,
    'the packages have more than 250,000 advisories, the limit. Check the files in parts',
  )
})

test('a package of an ecosystem without advisories is affected by a CVE record that states it', async () => {
  const { report } = await check('pkg:gem/rack@1.0\npkg:gem/other@1.0', {
    'RubyGems/rack@1.0': [row('CVE-2024-1', 'high')],
  })
  const { affected, notAffected, notChecked } = report.counts
  assert.equal([affected, notAffected, notChecked], [1, 0, 1])
})

test('a package is affected, not affected, undecided or not checked; each of the last two has its reason', async () => {
  const purls = [
    'pkg:docker/nginx@1',
    'pkg:gem/rack@1.0',
    'pkg:deb/debian/a@1?distro=debian-9',
    'pkg:deb/debian/b@1',
    'pkg:npm/a@1.0.0',
    'pkg:npm/b',
    'pkg:npm/c@1.0.0',
  ]
  const rows = {
    'npm/a@1.0.0': [row('A-1', 'low', undecided('version')), row('A-2', 'low')],
    'Debian/b@1': [row('A-3', null, undecided('release')), row('A-4', null, undecided('release'))],
  }
  const { report } = await check(purls.join('\n'), rows)
  assert.equal(report.counts, {
    packages: 7,
    affected: 1,
    notAffected: 1,
    undecided: 1,
    notChecked: 4,
    findings: 1,
    unscored: 0,
    suppressed: 0,
  })
  assert.is(report.outcome, 'passed')
  assert.is(
    plainTable(report).split('\n').slice(3).join('\n'),
    [
      'undecided: Debian/b 1 (-:4, 2 advisories: the file or the advisory names no release of the distribution)',
      'undecided: npm/a 1.0.0 (-:5, 1 advisory: the version cannot be compared)',
      'not checked: pkg:docker/nginx@1 1 (-:1, its purl names no known ecosystem or distribution)',
      'not checked: RubyGems/rack 1.0 (-:2, the snapshot has no advisories for RubyGems)',
      'not checked: Debian:9/a 1 (-:3, the snapshot has no advisories for Debian:9)',
      'not checked: pkg:npm/b (-:6, no version)',
      '7 packages in - (purls, one per line), 1 affected, 1 not affected, 1 undecided, 4 not checked',
      'passed: 1 finding; none is high or above (--fail-on high)',
    ].join('\n'),
  )
})

const undecided = (undecided_reason: NonNullable<AffectedRow['undecided_reason']>) =>
  ({ verdict: 'undecided', undecided_reason }) as const

test('findings are ordered by severity, KEV, EPSS, advisory and package', async () => {
  const rows = {
    'npm/b@1.0.0': [row('GHSA-4', 'high', { kev: true }), row('GHSA-5', 'high', { epss: 0.5 }), row('GHSA-1', 'low')],
    'npm/a@1.0.0': [
      row('GHSA-4', 'high', { kev: true }),
      row('GHSA-6', null),
      row('GHSA-7', 'critical', undecided('event')),
    ],
  }
  const { report } = await check('pkg:npm/b@1.0.0\npkg:npm/a@1.0.0', rows)
  assert.equal(
    report.findings.map(({ name, advisory }) => `${name} ${advisory.advisory_id}`),
    ['a GHSA-4', 'b GHSA-4', 'b GHSA-5', 'b GHSA-1', 'a GHSA-6'],
  )
  assert.equal([report.counts.affected, report.counts.undecided, report.counts.unscored], [2, 0, 1])
})

/** How many of the findings below fail at each level: without a severity, and in all. */
const FAILING: Record<(typeof FAIL_LEVELS)[number], [unscored: number, all: number]> = {
  low: [1, 7],
  medium: [1, 5],
  high: [1, 4],
  critical: [1, 2],
  none: [0, 0],
}

const ALL_SEVERITIES: Rows = {
  'npm/a@1.0.0': [
    row('A-1', 'critical'),
    row('A-2', 'high'),
    row('A-3', 'medium'),
    row('A-4', 'low', { stated_severity: 'high' }),
    row('A-5', 'none'),
    row('A-6', null),
    row('A-7', 'critical', undecided('version')),
    row('A-8', 'high', undecided('version')),
    row('A-9', 'low'),
    row('A-0', 'critical', { urgency: 'unimportant' }),
  ],
}

for (const level of FAIL_LEVELS) {
  test(`--fail-on ${level} counts findings of this severity or rating, and those without any`, async () => {
    const [unscored, all] = FAILING[level]
    for (const [rule, expected] of [
      [{ level }, all],
      [{ level, unscored: false }, all - unscored],
    ] as const) {
      const { report } = await check('pkg:npm/a@1.0.0', ALL_SEVERITIES, rule)
      assert.equal(report.failing, { findings: expected, undecided: 0, notChecked: 0 })
      assert.is(report.outcome, expected > 0 ? 'failed' : 'passed')
      const text = plainTable(report)
      assert.match(
        text,
        expected > 0 ? `\nfailed: ${expected} of 8 findings, 1 without` : '\npassed: 8 findings, 1 without',
      )
    }
    const { report } = await check('pkg:npm/fine@1.0.0', ALL_SEVERITIES, { level, undecided: true, unchecked: true })
    assert.is(report.outcome, 'passed')
  })
}

test('undecided packages, and those that were not checked, fail if the user says so', async () => {
  const rows = { 'npm/a@1.0.0': [row('A-1', 'low', undecided('event'))] }
  const purls = 'pkg:npm/a@1.0.0\npkg:npm/b\npkg:npm/c@1.0.0'
  for (const [rule, expected] of [
    [{}, []],
    [{ undecided: true }, ['failed: 1 undecided package (--fail-on-undecided)']],
    [{ unchecked: true, level: 'none' }, ['failed: 1 package not checked (--fail-on-unchecked)']],
  ] as const) {
    const { report } = await check(purls, rows, rule)
    assert.is(report.outcome, expected.length > 0 ? 'failed' : 'passed')
    assert.equal(
      plainTable(report)
        .split('\n')
        .filter((line) => line.startsWith('failed')),
      expected,
    )
  }
})

test('a file in which no package can be judged has nothing to check', async () => {
  for (const purls of ['# nothing', 'pkg:npm/b', 'pkg:docker/nginx@1\npkg:gem/rack@1.0']) {
    const { report } = await check(purls, {}, { level: 'none' })
    assert.is(report.outcome, 'nothing_to_check')
    assert.match(plainTable(report), /\nnothing to check: no package in - can be judged$/)
  }
})

test('the table escapes what a terminal would interpret, and shortens long names', async () => {
  const name = `%1b[2J${'x'.repeat(300)}`.replace('%1b', 'é')
  const rows = {
    [`npm/${name}@1.0.0`]: [row('GHSA-\u202e', 'high', { kev: true, epss: 0.12345, fixed_versions: ['2.0.0'] })],
  }
  const { report } = await check(`pkg:npm/${encodeURIComponent(name)}@1.0.0`, rows)
  const [headings, line] = plainTable(report).split('\n')
  assert.match(headings!, /^package +version {2}safe version +advisory +severity {2}KEV +EPSS {2}fixed in {2}file$/)
  assert.match(
    line!,
    /^npm\/é\[2Jx+… {2}1\.0\.0 {4}2\.0\.0 +GHSA-\\u202e {2}high {6}yes {2}0\.12345 {2}2\.0\.0 {5}-:1$/,
  )
  assert.ok(line!.length < 300)
})

test('the text names ten packages of each kind that were not checked', async () => {
  const { report } = await check(Array.from({ length: 25 }, (_, i) => `pkg:npm/p${i}`).join('\n'), {})
  const lines = plainTable(report).split('\n')
  assert.is(lines.filter((line) => line.startsWith('not checked: pkg:npm/p')).length, 10)
  assert.ok(lines.includes('not checked: … and 15 more (--output json lists all)'))
  assert.is(report.notChecked.length, 25)
})

/** Checks a log by the schema of SARIF and by rules that a schema cannot state. */
function assertSarif(log: Log): void {
  assertStandard('SARIF 2.1.0', log)
  const [{ tool, results }] = log.runs as [Run]
  const ids = tool.driver.rules!.map(({ id }) => id)
  assert.is(new Set(ids).size, ids.length, 'rules are unique')
  for (const { ruleIndex, ruleId, level, kind } of results!) {
    // 3.27.6
    assert.is(ids[ruleIndex!], ruleId)
    // 3.27.10
    assert.is(level === 'none', kind !== 'fail')
  }
}

const sarif = (report: CheckReport) => JSON.parse(JSON.stringify(sarifOf(report)))

test('SARIF has a result per finding and undecided package, and a notification per unchecked one', async () => {
  const rows = {
    'npm/a@1.0.0': [
      ...ALL_SEVERITIES['npm/a@1.0.0']!,
      row('B-1', 'high', { cvss_score: 8, kev: true, fixed_versions: ['2.0.0'] }),
    ],
    'npm/b@1.0.0': [row('A-1', 'critical')],
  }
  const purls = 'pkg:npm/a@1.0.0\n\npkg:npm/b@1.0.0\npkg:npm/c'
  const { report } = await check(purls, rows, {}, 'folder/some file.txt')
  const log = sarif(report)
  assertSarif(log)
  const [{ tool, results, invocations }] = log.runs
  const { rules } = tool.driver
  assert.is(rules.length, 10)
  const levels = results.map(
    (one: { ruleId: string; kind: string; level: string }) => `${one.ruleId} ${one.kind} ${one.level}`,
  )
  assert.equal(levels, [
    'A-0 fail error',
    'A-1 fail error',
    'A-1 fail error',
    'B-1 fail error',
    'A-2 fail error',
    'A-3 fail warning',
    'A-4 fail error',
    'A-9 fail note',
    'A-5 fail note',
    'A-6 fail error',
    'undecided-package open none',
  ])
  assert.equal(
    invocations[0].toolExecutionNotifications.map((one: { message: object }) => one.message),
    [{ text: 'pkg:npm/c was not checked: no version.' }],
  )
  const physical = results.map(
    (one: { locations: { physicalLocation: unknown }[] }) => one.locations[0]!.physicalLocation,
  )
  assert.equal(physical.slice(1, 3), [
    { artifactLocation: { uri: 'folder/some%20file.txt' }, region: { startLine: 1 } },
    { artifactLocation: { uri: 'folder/some%20file.txt' }, region: { startLine: 3 } },
  ])
  const [, , , known, , , , , , , open] = results
  assert.is(
    known.message.text,
    'npm/a 1.0.0 is affected by B-1: severity high, known to be exploited, fixed in 2.0.0, safe version 2.0.0.',
  )
  assert.is(open.message.text, 'npm/a 1.0.0 may be affected by A-7, A-8: the version cannot be compared.')
  assert.is(rules[known.ruleIndex].properties['security-severity'], '8.0')
})

test('SARIF of standard input has no file, of a file elsewhere its URL', async () => {
  for (const [file, uri] of [
    ['-', undefined],
    ['/elsewhere/a b.txt', 'file:///elsewhere/a%20b.txt'],
    ['../b.txt', /^file:\/\/\/.*\/b\.txt$/],
  ] as const) {
    const { report } = await check('pkg:npm/a@1.0.0', ALL_SEVERITIES, {}, file)
    const log = sarif(report)
    assertSarif(log)
    const location = log.runs[0].results[0].locations[0].physicalLocation
    if (uri instanceof RegExp) assert.match(location.artifactLocation.uri, uri)
    else assert.is(location?.artifactLocation.uri, uri)
  }
})

test('nothing in SARIF that a file or a feed states is a link or a placeholder', async () => {
  const text = (value: string) => `${value} [Click](https://example.com/) {0} \\[x](1)`
  const escaped = (value: string) => `${value} \\[Click\\](https://example.com/) {{0}} \\\\\\[x\\](1)`
  const version = text('1.0')
  const purl = `pkg:npm/a@${encodeURIComponent(version)}`
  const rows = {
    [`npm/a@${version}`]: [
      row(text('A-1'), 'high', { summary: text('Flaw'), fixed_versions: [text('2.0')] }),
      row(text('A-2'), 'high', undecided('version')),
    ],
  }
  const { report } = await check(`${purl}\npkg:npm/${encodeURIComponent(text('b'))}`, rows)
  const [{ results, invocations, tool }] = sarif(report).runs
  const messages = [...results, ...invocations[0].toolExecutionNotifications].map(
    (one: { message: { text: string } }) => one.message.text,
  )
  assert.equal(messages, [
    `npm/a ${escaped('1.0')} is affected by ${escaped('A-1')}: severity high, fixed in ${escaped('2.0')}, no safe version: a version cannot be compared.`,
    `npm/a ${escaped('1.0')} may be affected by ${escaped('A-2')}: the version cannot be compared.`,
    `pkg:npm/${encodeURIComponent(text('b'))} was not checked: malformed purl.`,
  ])
  assert.is(tool.driver.rules[0].shortDescription.text, escaped('Flaw'))
})

test('SARIF without findings is valid', async () => {
  const { report } = await check('pkg:npm/fine@1.0.0', {})
  assertSarif(sarif(report))
})

test.run()
