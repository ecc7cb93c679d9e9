import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ReportClaim } from '../../../../corpus/model/claim.ts'
import { latestReports } from '../../../../corpus/model/evidence/reports.ts'

const report = (id: string, reportType: string, createdAt: string, given: Partial<ReportClaim> = {}): ReportClaim => ({
  id,
  reportType,
  model: 'm-1',
  createdAt,
  final: true,
  text: 'Short.',
  ...given,
})

test('API 16.4: only the latest final report of each type, newest first', () => {
  const { reports, report_texts: texts } = latestReports([
    report('1', 'brief', '2024-01-01'),
    report('2', 'brief', '2024-01-03'),
    report('3', 'brief', '2024-01-09', { final: false }),
    report('4', 'review', '2024-01-05'),
    report('5', 'guide', '2024-01-05'),
  ])
  assert.equal(
    reports.map(({ id }) => id),
    ['4', '5', '2'],
  )
  assert.equal(
    texts.map(({ id }) => id),
    ['4', '5', '2'],
  )
})

test('API 16.14: characters are code points, and the excerpt ends at a whole word', () => {
  const text = `${'🙂 word '.repeat(100)}end`
  const { reports, report_texts: texts } = latestReports([report('1', 'brief', '2024-01-01', { text })])
  assert.is(reports[0]!.char_count, 703)
  assert.ok(text.startsWith(reports[0]!.excerpt))
  assert.ok([...reports[0]!.excerpt].length <= 280 && reports[0]!.excerpt.endsWith('word'))
  assert.is(texts[0]!.report_text, text)
  assert.not.ok('report_text' in reports[0]!)
  assert.not.ok('excerpt' in texts[0]!)
})

test.run()
