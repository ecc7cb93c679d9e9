/** gateway/API.md, sections 16 and 17: reports and their types, against the operator's own files. */
import * as assert from 'uvu/assert'
import type { Report, ReportSummary } from '../../../corpus/model/record.ts'
import { RESERVED } from '../../support/odd-records.ts'
import { contractSuite } from '../support/contract.ts'
import { expectField, integer, matching, object, string, timestamp } from '../support/field-types.ts'
import { type Json, sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cves/{cveId}/reports, /reports/types')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const ids = (await service.all<{ cve_id: string }>('/cves')).map(({ cve_id }) => cve_id)

/** The latest final report of each type on a CVE, newest first. */
function latest(id: string): Json[] {
  const final = feeds.reports.filter((line) => line.cve_id === id && line.status === 'final')
  const newestFirst = final.toSorted((a, b) => Date.parse(String(b.created_at)) - Date.parse(String(a.created_at)))
  return newestFirst.filter((line, i) => newestFirst.findIndex((one) => one.report_type === line.report_type) === i)
}
interface Answer<R> {
  cve_id: string
  count: number
  reports: R[]
}
const ask = <R = ReportSummary>(id: string, query = '') => service.json<Answer<R>>(`/cves/${id}/reports${query}`)

/** The reports of each CVE, without and with their text, and the lines that they must be. */
const stated: Json[] = []
const reports: ReportSummary[] = []
const full: Report[] = []
const counts: { given: unknown[]; expected: unknown[] } = { given: [], expected: [] }
for (const id of ids) {
  const lines = latest(id)
  const answers = [await ask(id), await ask<Report>(id, '?full=true')] as const
  for (const { reports, ...rest } of answers) {
    counts.given.push([rest, reports.length])
    counts.expected.push([{ cve_id: id, count: lines.length }, lines.length])
  }
  stated.push(...lines)
  reports.push(...answers[0].reports)
  full.push(...answers[1].reports)
}
const both = [...reports, ...full]
const expectEach = (name: keyof Report, expected: (line: Json) => unknown, some: readonly object[] = both) => {
  assert.ok(some.length >= stated.length && stated.length > 20)
  const given = some.map((report) => (report as Report)[name])
  assert.equal(given, [...stated, ...(some === both ? stated : [])].map(expected))
}

states('16.1, 16.4, 16.7, 16.10', 'the newest final report of each type, by the UUIDs of the lines', async () => {
  const drafts = feeds.reports.filter(({ status }) => status === 'draft')
  const final = feeds.reports.filter(({ status }) => status === 'final')
  assert.ok(
    drafts.length > 0 && final.length > stated.length,
    'there are drafts, and reports that a later one replaces',
  )
  assert.equal(counts.given, counts.expected)
  expectField(both, 'id', matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/))
  expectEach('id', ({ id }) => id)
  assert.is(new Set(reports.map(({ id }) => id)).size, reports.length)
})

states('16.8', 'no report', async () => {
  const without = ids.filter((id) => latest(id).length === 0)
  assert.ok(without.includes(RESERVED) && without.some((id) => feeds.reports.some((line) => line.cve_id === id)))
  for (const id of without) {
    for (const query of ['', '?full=true', '?prompt=technical_summary']) {
      assert.equal(await ask(id, query), { cve_id: id, count: 0, reports: [] })
    }
  }
})

states('16.2', 'reports of one type', async () => {
  const types = [...feeds.reportTypes.map(({ prompt_name: name }) => name), 'no_such_type', 'technical']
  const written = ids.filter((id) => latest(id).length > 0)
  assert.ok(written.some((id) => latest(id).length > 1))
  for (const id of written) {
    for (const type of types) {
      const expected = latest(id).flatMap((line) => (line.report_type === type ? line.id : []))
      for (const more of ['', '&full=true']) {
        const { count, reports } = await ask(id, `?prompt=${type}${more}`)
        assert.equal([count, reports.map((one) => one.id)], [expected.length, expected], `${id} ${type}`)
      }
    }
  }
})

states('16.11, 16.12, 16.13', 'type, model and time, as the line states them', () => {
  assert.ok(new Set(stated.map(({ report_type: type }) => type)).size > 2)
  expectEach('report_type', ({ report_type: type }) => type)
  expectEach('model', ({ model }) => model)
  expectField(both, 'created_at', timestamp)
  expectEach('created_at', ({ created_at: at }) => new Date(String(at)).toISOString())
})

states('16.14', 'code points of the whole text', () => {
  expectField(both, 'char_count', integer)
  expectEach('char_count', ({ report_text: text }) => [...String(text)].length)
  assert.ok(full.some(({ report_text: text, char_count: count }) => text.length > count))
})

const COMMON = { id: string, report_type: string, model: string, created_at: string, char_count: integer }

states('16.5, 16.15', 'the beginning of the text, and no text', async () => {
  let cut = 0
  for (const [i, report] of reports.entries()) {
    assert.ok(object({ ...COMMON, excerpt: string })(report), JSON.stringify(report))
    const text = String(stated[i]!.report_text)
    const beginning = report.excerpt.replace(/\s*…$/, '')
    assert.ok(text.startsWith(beginning) && beginning.length > 20, report.id)
    if (beginning.length < text.length) cut++
  }
  assert.ok(cut > 0)
  const id = String(stated[0]!.cve_id)
  assert.equal(await ask(id, '?full=false'), await ask(id))
})

states('16.3, 16.6, 16.16', 'the whole text, and no excerpt', () => {
  for (const report of full) assert.ok(object({ ...COMMON, report_text: string })(report), JSON.stringify(report))
  expectEach('report_text', ({ report_text: text }) => text, full)
})

interface ReportType {
  prompt_name: string
  enabled: boolean
  output_schema?: object | null
}
const byName = (types: readonly object[]) =>
  (types as ReportType[]).toSorted((a, b) => (a.prompt_name < b.prompt_name ? -1 : 1))

states('17.1, 17.2, 17.3, 17.4, 17.5', 'report types and their number, with schemas on request', async () => {
  const types = byName(feeds.reportTypes)
  const plain = types.map(({ prompt_name, enabled }) => ({ prompt_name, enabled }))
  assert.is(new Set(types.map(({ enabled }) => enabled)).size, 2)
  assert.is(new Set(types.map(({ output_schema: schema }) => schema === null)).size, 2)
  for (const [query, expected] of [
    ['', plain],
    ['?include_schema=false', plain],
    ['?include_schema=true', types],
  ] as const) {
    const { report_types: given, ...rest } = await service.json<{ report_types: ReportType[] }>(
      `/reports/types${query}`,
    )
    assert.equal([rest, byName(given)], [{ count: types.length }, expected])
  }
})

after(() => service.remove())
run()
