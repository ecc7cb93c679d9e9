/** The formats of the report of `vulnshelf check`: table, JUnit XML, annotations of GitHub Actions, Markdown. */
import { stripVTControlCharacters, styleText } from 'node:util'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CheckReport } from '../../../builder/check/check.ts'
import { formatReport } from '../../../builder/check/output/formats.ts'
import { githubAnnotations } from '../../../builder/check/output/github.ts'
import { junitXml } from '../../../builder/check/output/junit.ts'
import { markdownSummary } from '../../../builder/check/output/markdown.ts'
import { formatTable } from '../../../builder/check/output/table.ts'
import { affectedRow } from '../../support/affected-row.ts'
import { checkPurls, FAIL_ON_HIGH, ignoring, type Rows } from '../../support/check-report.ts'

const ROWS: Rows = {
  'npm/a@1.0.0': [
    affectedRow('A-1', 'low', { fixed_versions: ['1.1.0'] }),
    affectedRow('A-2', 'critical', { kev: true, fixed_versions: ['2.0.0'] }),
  ],
  'npm/b@1.0.0': [affectedRow('B-1', 'medium')],
  'npm/c@1.0.0': [affectedRow('C-1', 'high', { verdict: 'undecided', undecided_reason: 'event' })],
}
const PURLS = 'pkg:npm/a@1.0.0\npkg:npm/b@1.0.0\npkg:npm/c@1.0.0\npkg:npm/d\npkg:npm/e@1.0.0'

/** The report, and the same for a second file. */
async function twoFiles(): Promise<CheckReport> {
  const report = await checkPurls(PURLS, ROWS)
  const again = report.findings.map((one) => ({ ...one, file: 'lib/purls.txt' }))
  return { ...report, findings: [...report.findings, ...again] }
}

const HOSTILE = 'x ::error::y %0A ##[group] `<b>]]>&" @all'
const hostile = () =>
  checkPurls(`pkg:npm/a@${encodeURIComponent(HOSTILE)}\npkg:npm/${encodeURIComponent(HOSTILE)}`, {
    [`npm/a@${HOSTILE}`]: [affectedRow(`${HOSTILE}|\n::error::z\u0007`, 'high')],
  })

test('the table has the safe version and the files of each package once, and a row for each advisory', async () => {
  const lines = formatTable(await twoFiles(), (_, text) => text).split('\n')
  const cells = lines.slice(0, 4).map((line) => line.trim().split(/ {2,}/))
  assert.equal(cells, [
    ['package', 'version', 'safe version', 'advisory', 'severity', 'KEV', 'EPSS', 'fixed in', 'file'],
    ['npm/a', '1.0.0', '2.0.0', 'A-2', 'critical', 'yes', '-', '2.0.0', 'app/purls.txt:1'],
    ['A-1', 'low', '-', '-', '1.1.0', 'lib/purls.txt:1'],
    [
      'npm/b',
      '1.0.0',
      'none: an advisory states no fixed version above',
      'B-1',
      'medium',
      '-',
      '-',
      '-',
      'app/purls.txt:2',
    ],
  ])
})

test('colours do not move columns, and the report on a pipe has none', async () => {
  const report = await twoFiles()
  const coloured = formatTable(report, (style, text) => styleText(style, text, { validateStream: false }))
  assert.match(coloured, '\u001b[')
  const withoutColours = stripVTControlCharacters(coloured).split('\n')
  assert.equal(
    withoutColours.map((line) => line.trimEnd()),
    formatTable(report, (_, text) => text).split('\n'),
  )
  const noTerminal = { isTTY: process.stdout.isTTY }
  process.stdout.isTTY = false
  try {
    assert.not.match(formatReport(report, 'table'), '\u001b')
  } finally {
    process.stdout.isTTY = noTerminal.isTTY
  }
})

test('GitHub gets an annotation for each package of a file, an error where a finding fails', async () => {
  const report = await twoFiles()
  const lines = githubAnnotations(report).split('\n')
  assert.equal(lines.slice(0, 6), [
    '::error file=app/purls.txt,line=1,title=npm/a 1.0.0::affected by A-2 (critical, known to be exploited), A-1 (low); safe version 2.0.0',
    '::warning file=app/purls.txt,line=2,title=npm/b 1.0.0::affected by B-1 (medium); no safe version: an advisory states no fixed version above',
    '::error file=lib/purls.txt,line=1,title=npm/a 1.0.0::affected by A-2 (critical, known to be exploited), A-1 (low); safe version 2.0.0',
    '::warning file=lib/purls.txt,line=2,title=npm/b 1.0.0::affected by B-1 (medium); no safe version: an advisory states no fixed version above',
    '::notice file=app/purls.txt,line=3,title=npm/c 1.0.0::undecided: 1 advisory: a version in the advisory cannot be compared',
    '::notice file=app/purls.txt,line=4,title=pkg%3Anpm/d::not checked: no version',
  ])
  const unreadable = { ...report, unreadable: [{ file: 'x,y:z.lock', message: 'x,y:z.lock:3: broken' }] }
  assert.match(githubAnnotations(unreadable), /^::error file=x%2Cy%3Az\.lock,title=Not read::x,y:z\.lock:3: broken\n/)
})

test('no text of a file or a feed begins a command of a runner, a cell, an element or a mention', async () => {
  const report = await hostile()
  const annotations = githubAnnotations(report).split('\n')
  assert.is(annotations.filter((line) => line.startsWith('::')).length, 2)
  assert.match(annotations[0]!, '%250A')
  for (const text of [annotations.join('\n'), markdownSummary(report), junitXml(report)]) {
    assert.not.match(text, /^::error::/m)
    assert.not.match(text, '##[')
    assert.not.match(text, '\u0007')
  }
  const markdown = markdownSummary(report)
  const row = markdown.split('\n').find((line) => line.startsWith('| `npm/'))!
  assert.is(row.replaceAll('\\|', '').split('|').length, 7)
  // Only in code.
  assert.not.match(markdown.replace(/`[^`]*`/g, ''), '<b>')
})

test('suppressed findings have no annotation and no row; JUnit skips their package', async () => {
  const entries = [
    { id: 'B-1', reason: 'not used' },
    { id: 'A-1', reason: 'rare', until: '2026-05-31' },
  ]
  const report = await checkPurls(PURLS, ROWS, { decisions: [ignoring(...entries)] })
  assert.not.match(githubAnnotations(report), 'npm/b')
  const markdown = markdownSummary(report)
  assert.not.match(markdown, '| `npm/b')
  assert.match(markdown, '**Decisions**')
  assert.match(
    markdown,
    /\*\*Decisions without effect\*\*\n\n- vulnshelf.*ignore.*A&#45;1 expired on 2026&#45;05&#45;31/,
  )
  assert.match(junitXml(report), '<skipped message="suppressed: affected by B-1 (medium)')
})

test('Markdown is bounded, with the number of packages that are left out', async () => {
  const names = Array.from({ length: 3000 }, (_, i) => `package-${i}`)
  const rows = Object.fromEntries(names.map((name) => [`npm/${name}@1.0.0`, [affectedRow(`GHSA-${name}`, 'high')]]))
  const report = await checkPurls(names.map((name) => `pkg:npm/${name}@1.0.0`).join('\n'), rows)
  const text = markdownSummary(report)
  assert.ok(text.length <= 60_100 && text.length > 50_000, String(text.length))
  const shown = text.split('\n').filter((line) => line.startsWith('| `npm/')).length
  assert.match(text, `… and ${(3000 - shown).toLocaleString('en-US')} packages more.`)
  const [head] = markdownSummary(await checkPurls(PURLS, ROWS)).split('\n')
  assert.is(head, '### vulnshelf: failed')
  assert.match(markdownSummary(await checkPurls(PURLS, ROWS)), '| `npm/b 1.0.0` | none: an advisory states no fixed')
})

type Xml = Record<string, unknown>

/** The attributes that the schema of JUnit reports knows, and the children of a test case. */
function assertJunit(text: string): Xml[] {
  assert.is(XMLValidator.validate(text), true)
  const parser = new XMLParser({
    ...{ ignoreAttributes: false, attributeNamePrefix: '@', parseAttributeValue: false, parseTagValue: false },
    isArray: (name: string) => name === 'testsuite' || name === 'testcase',
  })
  const { testsuites } = parser.parse(text) as { testsuites: Xml & { testsuite: (Xml & { testcase: Xml[] })[] } }
  const countsOf = (cases: readonly Xml[]) => ({
    tests: cases.length,
    failures: cases.filter((one) => 'failure' in one).length,
    errors: cases.filter((one) => 'error' in one).length,
    skipped: cases.filter((one) => 'skipped' in one).length,
  })
  const statedCounts = (one: Xml) =>
    Object.fromEntries(['tests', 'failures', 'errors', 'skipped'].map((key) => [key, Number(one[`@${key}`])]))
  const all = testsuites.testsuite.flatMap(({ testcase }) => testcase)
  assert.equal(statedCounts(testsuites), countsOf(all))
  for (const suite of testsuites.testsuite) {
    assert.equal(Object.keys(suite).sort(), ['@errors', '@failures', '@name', '@skipped', '@tests', 'testcase'])
    assert.equal(statedCounts(suite), countsOf(suite.testcase))
    for (const one of suite.testcase) {
      const children = Object.keys(one).filter((key) => !key.startsWith('@'))
      assert.is(children.length, 1)
      assert.ok(['failure', 'error', 'skipped', 'system-out'].includes(children[0]!))
      assert.ok(one['@name'] !== '' && one['@classname'] === suite['@name'])
    }
  }
  return all
}

test('JUnit has a suite for each file, and a test case for each package that is not fine', async () => {
  const report = await twoFiles()
  const cases = assertJunit(junitXml({ ...report, unreadable: [{ file: 'x.lock', message: 'x.lock:3: broken' }] }))
  assert.equal(
    cases.map((one) => `${one['@classname']} ${one['@name']}: ${Object.keys(one).find((key) => !key.startsWith('@'))}`),
    [
      'app/purls.txt npm/a 1.0.0: failure',
      'app/purls.txt npm/b 1.0.0: system-out',
      'app/purls.txt npm/c 1.0.0: skipped',
      'app/purls.txt pkg:npm/d: skipped',
      'lib/purls.txt npm/a 1.0.0: failure',
      'lib/purls.txt npm/b 1.0.0: system-out',
      'x.lock reading the file: error',
    ],
  )
  const strict = await checkPurls(PURLS, ROWS, { failOn: { ...FAIL_ON_HIGH, undecided: true, unchecked: true } })
  assert.is(assertJunit(junitXml(strict)).filter((one) => 'failure' in one).length, 3)
  assert.equal(
    assertJunit(junitXml(await checkPurls('pkg:npm/fine@1.0.0', ROWS))).map((one) => one['@name']),
    ['all packages'],
  )
  assertJunit(junitXml(await hostile()))
})

test.run()
