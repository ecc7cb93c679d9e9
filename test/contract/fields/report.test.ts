/** gateway/API.md, sections 16 and 17: the fields, against the operator's own files. */

import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Report, ReportSummary } from '../../../corpus/model/record.ts'
import type { SampleDist } from '../../support/dist.ts'
import { contractSuite } from '../support/contract.ts'
import {
  boolean,
  expectField,
  expectValues,
  integer,
  matching,
  object,
  oneOf,
  string,
  timestamp,
} from '../support/field-types.ts'
import { aboutEach } from '../support/rows.ts'
import { sampleFeeds } from '../support/sample-feeds.ts'
import { openService } from '../support/service.ts'

const { states, after, run } = contractSuite('reports')
const service = await openService({ more: addReport })
const feeds = sampleFeeds(service.made)
const stated = new Map(feeds.reports.map((line) => [String(line.id), line]))

const ids = (await service.all<{ cve_id: string }>('/cves')).map(({ cve_id }) => cve_id)
const reportsOf = async <R>(id: string, query = '') =>
  (await service.json<{ reports: R[] }>(`/cves/${id}/reports${query}`)).reports
const reports = (await aboutEach(ids, (id) => reportsOf<ReportSummary>(id))).flat()
const full = (await aboutEach(ids, (id) => reportsOf<Report>(id, '?full=true'))).flat()
const both = [...reports, ...full]

/** The newest report of its type, with a character beyond the basic plane, which the sample's have not. */
function addReport({ feeds, nights }: SampleDist): void {
  const file = join(feeds, 'first-party', nights[1]!, 'reports.ndjson')
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const report = JSON.parse(lines.at(-1)!)
  const own = { id: '00000000-0000-4000-8000-000000000001', created_at: `${nights[1]}T12:00:00Z`, status: 'final' }
  appendFileSync(file, `${JSON.stringify({ ...report, ...own, report_text: `😀 ${report.report_text}` })}\n`)
}

interface ReportType {
  prompt_name: string
  enabled: boolean
  output_schema?: object | null
}
const typesOf = (query = '') => service.json<{ report_types: ReportType[] }>(`/reports/types${query}`)

states('16.10', 'a UUID of its own', () => {
  expectField(both, 'id', matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/))
  assert.is(new Set(reports.map(({ id }) => id)).size, reports.length)
  for (const { id } of both) assert.ok(stated.has(id), id)
})

states('16.11', 'a type of the catalog', async () => {
  const { report_types: types } = await typesOf()
  expectField(both, 'report_type', oneOf(...types.map(({ prompt_name }) => prompt_name)))
  for (const { id, report_type: type } of both) assert.is(type, stated.get(id)!.report_type)
  assert.ok(new Set(both.map(({ report_type: type }) => type)).size > 2)
})

states('16.12', 'the model that wrote it', () => {
  expectField(both, 'model', string)
  for (const { id, model } of both) assert.is(model, stated.get(id)!.model)
})

states('16.13', 'the time of creation', () => {
  expectField(both, 'created_at', timestamp)
  for (const { id, created_at: at } of both) assert.is(Date.parse(at), Date.parse(String(stated.get(id)!.created_at)))
})

states('16.14', 'code points of the whole text', () => {
  expectField(both, 'char_count', integer)
  for (const { id, char_count: count } of both) assert.is(count, [...String(stated.get(id)!.report_text)].length, id)
  for (const { report_text: text, char_count: count } of full) assert.is([...text].length, count)
  assert.ok(full.some(({ report_text: text, char_count: count }) => text.length > count))
})

states('16.15', 'the beginning of the text', async () => {
  expectField(reports, 'excerpt', string)
  assert.ok(full.every((report) => !Object.hasOwn(report, 'excerpt')))
  for (const { id, excerpt } of reports) {
    const text = String(stated.get(id)!.report_text)
    assert.ok(text.startsWith(excerpt) && excerpt.length > 0 && excerpt.length < text.length, id)
  }
  const [one] = reports
  const cve = String(stated.get(one!.id)!.cve_id)
  assert.ok((await reportsOf<ReportSummary>(cve, '?full=false')).every((report) => Object.hasOwn(report, 'excerpt')))
})

states('16.16', 'the whole text', () => {
  expectField(full, 'report_text', string)
  assert.ok(reports.every((report) => !Object.hasOwn(report, 'report_text')))
  for (const { id, report_text: text } of full) assert.is(text, stated.get(id)!.report_text, id)
  assert.equal(
    full.map(({ id }) => id),
    reports.map(({ id }) => id),
  )
})

states('17.3', 'name and flag of each type', async () => {
  const { report_types: types } = await typesOf()
  for (const type of types) assert.ok(object({ prompt_name: string, enabled: boolean })(type), JSON.stringify(type))
  const expected = feeds.reportTypes.map(({ prompt_name, enabled }) => ({ prompt_name, enabled }))
  const byName = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  assert.equal(types.toSorted(byName), expected.toSorted(byName))
})

states('17.5', 'types in production', async () => {
  const { report_types: types } = await typesOf()
  expectValues(
    types.map(({ enabled }) => enabled),
    [true, false],
  )
})

states('17.4', 'a schema or null', async () => {
  const { report_types: types } = await typesOf('?include_schema=true')
  assert.is(types.length, feeds.reportTypes.length)
  for (const { prompt_name: name, output_schema: schema } of types) {
    const line = feeds.reportTypes.find(({ prompt_name }) => prompt_name === name)!
    assert.equal(schema, line.output_schema ?? null, name)
  }
  assert.ok(types.some(({ output_schema: schema }) => schema !== null))
  for (const query of ['', '?include_schema=false']) {
    const plain = await typesOf(query)
    assert.ok(plain.report_types.every((type) => !Object.hasOwn(type, 'output_schema')))
  }
})

after(() => service.remove())
run()
