/** Pages by the planner and by SQLite: equal rows for every measured query, and finite figures. */
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'
import { ROOT } from '../build/program.ts'
import type { BenchLine } from '../report/line.ts'
import { type Both, byPlan, bySqlite, compare, drawn, openBoth } from './both.ts'
import { databaseOf } from './database.ts'
import { planLines, planRound } from './plans.ts'
import { EMPTY, FILTERS, listQueriesToPlan } from './queries.ts'

const { path, remove } = temporaryFolder('alternatives-both')
const queries = listQueriesToPlan()
let dist = ''
let database = ''
let both: Both

test.before(async () => {
  dist = (await sampleDist(path, 600)).dist
  database = databaseOf(dist, () => {})
  both = await openBoth(dist, database)
})

test.after(() => {
  both.close()
  remove()
})

test('the database is stored next to the corpus and built once', () => {
  const said: string[] = []
  assert.is(dirname(database), dirname(dist))
  assert.is(
    databaseOf(dist, (line) => said.push(line)),
    database,
  )
  assert.equal(said, [])
  assert.not(existsSync(`${database}.new`), basename(database))
})

test('plan and SQLite give the same pages for every query that is measured', () => {
  for (const round of [1, 2]) assert.is(planRound(both, queries, round).length, queries.length)
})

test('every filter is planned alone, and with every other one and every two others, in every order, with every limit', () => {
  const names = Object.keys(FILTERS)
  const count = (of: number) =>
    new Set(queries.map(({ name }) => name.split(' ')[0]!).filter((f) => parts(f) === of)).size
  const parts = (text: string) => (text.split('+').every((one) => names.includes(one)) ? text.split('+').length : 0)
  assert.equal([count(1), count(2), count(3)], [12, 66, 220])
  for (const name of names) {
    const alone = queries.filter((query) => query.name.startsWith(`${name} `))
    assert.is(new Set(alone.map(({ sort }) => `${sort.key} ${sort.descending}`)).size, 8, name)
    assert.is(new Set(alone.map(({ limit }) => limit)).size, 3, name)
    assert.is(new Set(alone.map(({ start }) => start)).size, 2, name)
  }
})

test('what is called empty is empty', () => {
  const empty = queries.filter(({ name }) => Object.keys(EMPTY).some((title) => name.startsWith(`${title} `)))
  assert.is(empty.length, Object.keys(EMPTY).length * 8)
  for (const query of empty) assert.is(byPlan(both, drawn(both, query, 1)).data, '{"data":[]', query.name)
})

test('some pages are full, some are short, and some go on', () => {
  const pages = queries.map((query) => ({ query, ...bySqlite(both, drawn(both, query, 1)) }))
  const rows = (data: string) => (JSON.parse(`${data}}`) as { data: object[] }).data.length
  assert.ok(pages.some(({ query, data }) => query.limit > 1 && rows(data) === query.limit))
  assert.ok(pages.some(({ query, data }) => rows(data) > 0 && rows(data) < query.limit))
  assert.ok(pages.some(({ more }) => more))
})

test('a page with a row less is noticed, and so is a walk that ends too soon', () => {
  const query = drawn(both, queries.find(({ name }) => name === 'everything -cvss limit=25 first')!, 1)
  const [ours, theirs] = [byPlan(both, query), bySqlite(both, query)]
  compare(query, ours, theirs)
  const differs = (error: Error) => error.message.startsWith('everything -cvss limit=25 first: plan and SQL differ')
  assert.throws(() => compare(query, { ...ours, data: ours.data.replace(/,\{"cve_id".*$/, ']') }, theirs), differs)
  assert.throws(() => compare(query, { ...ours, more: false }, theirs), differs)
})

test('the lines are those of the whole list, of the page in the middle and of the one that gains least', async () => {
  const corpus = { cves: 600, feeds: '', nights: ['', ''] as [string, string], corpus: '', dist }
  const lines: BenchLine[] = []
  for await (const line of planLines({
    corpora: [corpus],
    folder: path,
    root: ROOT,
    rounds: 2,
    seconds: 0.1,
    say: () => {},
  })) {
    lines.push(line)
  }
  assert.equal(
    lines.map(({ name }) => name),
    ['plans/all', 'plans/typical', 'plans/worst'],
  )
  for (const { figure, reference, ratio, budget, name } of lines) {
    assert.ok(figure > 0 && reference!.figure > 0 && ratio!.min > 0, name)
    assert.equal(budget, { of: 'ratio', least: 5 }, name)
  }
  const [all, typical, worst] = lines as [BenchLine, BenchLine, BenchLine]
  assert.is(all.details.queries, queries.length)
  assert.ok(worst.ratio!.median <= typical.ratio!.median)
})

test.run()
