/** SQLite answers lists in its fastest way: a comparison with a badly used database would be worthless. */
import type { Database } from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'
import { databaseOf, openDatabase } from './database.ts'
import { type ListRequest, statementOf } from './list-query.ts'

const { path, remove } = temporaryFolder('alternatives-list-query')
let database: Database

test.before(async () => {
  const { dist } = await sampleDist(path, 600)
  database = openDatabase(databaseOf(dist, () => {}))
})

test.after(() => {
  database.close()
  remove()
})

/** Returns how SQLite finds the rows of a page. */
function wayOf(request: Partial<ListRequest>): string {
  const sort = { key: 'cvss', descending: true } as const
  const { sql, values } = statementOf({ sort, filters: {}, limit: 25, after: null, ...request }, true)
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values, 26) as { detail: string }[]
  return steps.map(({ detail }) => detail).join('; ')
}

test('a deep page is one range of the index of its order, whichever way it goes', () => {
  for (const descending of [true, false]) {
    const way = wayOf({ sort: { key: 'cvss', descending }, after: [9.8, 100] })
    assert.match(way, /USING COVERING INDEX all_by_cvss \(.*\(cvss,n\)[<>]\(\?,\?\)\)/)
  }
})

test('what filters by equality, or by what few have, is read from its own index in the order asked for', () => {
  const ways: [Partial<ListRequest>, RegExp][] = [
    [{ filters: { severity: ['critical'] } }, /COVERING INDEX severity_by_cvss \(severity=\?/],
    [{ filters: { assigner: 'nobody', has_patch: true } }, /COVERING INDEX assigner_by_cvss \(assigner=\?/],
    [{ filters: { kev: true, epss_min: 0.5 } }, /COVERING INDEX kev_by_/],
  ]
  for (const [request, expected] of ways) assert.match(wayOf(request), expected)
})

test('no page of a filtered list sorts anything, but that of a batch of ids', () => {
  const filters: ListRequest['filters'][] = [
    {},
    { kev: true },
    { has_patch: false, updated_since: 0 },
    { severity: ['high', 'low'] },
  ]
  for (const one of filters) assert.not.match(wayOf({ filters: one }), /TEMP B-TREE/, JSON.stringify(one))
  assert.match(wayOf({ filters: { ids: ['CVE-2024-0001'] } }), /TEMP B-TREE/)
})

test.run()
