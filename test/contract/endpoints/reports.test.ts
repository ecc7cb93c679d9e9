/** gateway/API.md, sections 16 and 17: the endpoints, against the operator's files. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openRefusing, refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { RESERVED, UNKNOWN } from '../support/odd-records.ts'
import { recordsOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cves/{cveId}/reports, /reports/types')
const service = await sharedService()
const ids = [...recordsOf(service.corpus).keys()]

interface Line {
  id: string
  cve_id: string
  report_type: string
  model: string
  created_at: string
  status: string
  report_text: string
}
interface Type {
  prompt_name: string
  enabled: boolean
  output_schema: object | null
}
const linesOf = <T>(name: string): T[] =>
  readFileSync(join(service.made.feeds, 'first-party', service.made.nights[1]!, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const lines = linesOf<Line>('reports.ndjson')
const types = linesOf<Type>('report-types.ndjson')

/** The latest final report of each type on a CVE, newest first. */
function latest(id: string): Line[] {
  const final = lines.filter((line) => line.cve_id === id && line.status === 'final')
  const newestFirst = final.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  return newestFirst.filter((line, i) => newestFirst.findIndex((one) => one.report_type === line.report_type) === i)
}
const size = (id: string) => latest(id).length
const written = ids.filter((id) => size(id) > 0)
const fullest = written.toSorted((a, b) => size(b) - size(a))[0]!
const refusing = await openRefusing(service, fullest)

interface Report {
  id: string
  report_type: string
  char_count: number
  excerpt?: string
  report_text?: string
}
interface Answer {
  cve_id: string
  count: number
  reports: Report[]
}
const reportsOf = (id: string, query = '') => service.json<Answer>(`/cves/${id}/reports${query}`)
const idsOf = ({ reports }: Answer) => reports.map(({ id }) => id)

states('16.1', 'reports of each CVE', async () => {
  for (const id of ids) assert.is((await reportsOf(id)).cve_id, id)
  assert.equal(await reportsOf(fullest.toLowerCase()), await reportsOf(fullest))
  for (const wrong of ['CVE-2024-1', '79', 'reports']) await refuses(service, `/cves/${wrong}/reports`, 'cveId')
})

states('16.2', 'reports of one type', async () => {
  assert.ok(size(fullest) > 1)
  for (const id of written) {
    for (const type of [...types.map(({ prompt_name }) => prompt_name), 'no_such_type', 'technical']) {
      for (const full of ['', '&full=true']) {
        const found = await reportsOf(id, `?prompt=${type}${full}`)
        const expected = latest(id).filter(({ report_type }) => report_type === type)
        assert.equal([found.count, idsOf(found)], [expected.length, expected.map((one) => one.id)], `${id} ${type}`)
      }
    }
  }
  await refusesValues(service, `/cves/${fullest}/reports`, 'prompt', [''])
})

states('16.3', 'reports with their whole text', async () => {
  for (const id of written) {
    const short = await service.body(`/cves/${id}/reports`)
    assert.is(await service.body(`/cves/${id}/reports?full=false`), short)
    assert.ok(JSON.parse(short).reports.every((report: Report) => !('report_text' in report)))
    const { reports } = await reportsOf(id, '?full=true')
    assert.equal(
      reports.map(({ report_text }) => report_text),
      latest(id).map(({ report_text }) => report_text),
    )
  }
  await refusesValues(service, `/cves/${fullest}/reports`, 'full', ['', '1', 'on', 'yes'])
})

states('16.4', 'one final report for each type', async () => {
  const drafts = lines.filter(({ status }) => status === 'draft')
  const superseded = lines.filter((line) => line.status === 'final' && !latest(line.cve_id).includes(line))
  assert.ok(drafts.length > 0 && superseded.length > 0, 'there are drafts, and reports that a later one replaces')
  for (const id of ids) {
    for (const query of ['', '?full=true']) {
      assert.equal(
        idsOf(await reportsOf(id, query)),
        latest(id).map((line) => line.id),
      )
    }
  }
})

states('16.5', 'an excerpt and no text', async () => {
  let cut = 0
  for (const id of written) {
    const { reports } = await reportsOf(id)
    const texts = latest(id)
    for (const [i, report] of reports.entries()) {
      const keys = ['char_count', 'created_at', 'excerpt', 'id', 'model', 'report_type']
      assert.equal(Object.keys(report).sort(), keys)
      const beginning = report.excerpt!.replace(/\s*…$/, '')
      assert.ok(beginning.length > 20 && texts[i]!.report_text.startsWith(beginning), report.excerpt)
      if (beginning.length < texts[i]!.report_text.length) cut++
    }
  }
  assert.ok(cut > 0)
})

states('16.6', 'the text and no excerpt', async () => {
  for (const id of written) {
    for (const report of (await reportsOf(id, '?full=true')).reports) {
      const keys = ['char_count', 'created_at', 'id', 'model', 'report_text', 'report_type']
      assert.equal(Object.keys(report).sort(), keys)
      assert.is([...report.report_text!].length, report.char_count)
      assert.is(report.report_text, lines.find((line) => line.id === report.id)!.report_text)
    }
  }
})

states('16.7', 'reports and their number', async () => {
  for (const id of ids) {
    const answer = await reportsOf(id)
    assert.equal(Object.keys(answer).sort(), ['count', 'cve_id', 'reports'])
    assert.equal([answer.count, answer.reports.length], [size(id), size(id)])
  }
})

states('16.8', 'no report', async () => {
  const without = ids.filter((id) => size(id) === 0)
  assert.ok(
    without.includes(RESERVED) && without.some((id) => lines.some((line) => line.cve_id === id)),
    'drafts alone',
  )
  for (const id of without) {
    for (const query of ['', '?full=true', '?prompt=technical_summary']) {
      assert.equal(await reportsOf(id, query), { cve_id: id, count: 0, reports: [] })
    }
  }
})

states('16.9', 'all its statuses', async () => {
  await refusing.expectAlways(`/cves/${fullest}/reports`)
  await refusing.expectTier((id) => `/cves/${id}/reports?full=true`)
  await refuses(service, `/cves/${fullest}/reports?colour=1`, 'colour')
  assert.is((await service.ask(`/cves/${UNKNOWN}/reports`)).status, 404)
})

interface Types {
  count: number
  report_types: Type[]
}
const byName = (list: Type[]) => list.toSorted((a, b) => (a.prompt_name < b.prompt_name ? -1 : 1))

states('17.1', 'schemas on request', async () => {
  const { report_types: found } = await service.json<Types>('/reports/types?include_schema=true')
  assert.equal(byName(found), byName(types))
  assert.ok(types.some(({ output_schema }) => output_schema === null) && types.some((one) => one.output_schema))
  const unsaid = await service.body('/reports/types')
  assert.is(await service.body('/reports/types?include_schema=false'), unsaid)
  assert.not.match(unsaid, /schema/)
  await refusesValues(service, '/reports/types', 'include_schema', ['', '1'])
})

states('17.2', 'types and their number', async () => {
  const answer = await service.json<Types>('/reports/types')
  assert.equal(Object.keys(answer).sort(), ['count', 'report_types'])
  assert.is(answer.count, types.length)
  assert.equal(
    byName(answer.report_types),
    byName(types).map(({ prompt_name, enabled }) => ({ prompt_name, enabled })),
  )
  assert.is(new Set(types.map(({ enabled }) => enabled)).size, 2)
})

after(async () => {
  await refusing.close()
  await service.remove()
})
run()
