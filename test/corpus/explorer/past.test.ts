/** Pages of an earlier snapshot: the requests that ask for it, and the fields that a record has changed since. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ROUTES } from '../../../corpus/answers/routes.ts'
import type { Api, Params } from '../../../corpus/explorer/app/data/api.ts'
import { apiAt, SPANNING } from '../../../corpus/explorer/app/data/past.ts'
import { fieldChanges } from '../../../corpus/explorer/app/pages/cves/field-changes.ts'
import { formatDay } from '../../../corpus/explorer/app/parts/format.ts'

test('every request asks for the snapshot, except those about several', async () => {
  const asked: [path: string, params?: Params, signal?: AbortSignal][] = []
  const api = { mode: 'static', packages: {}, get: async (...given: (typeof asked)[number]) => void asked.push(given) }
  const past = apiAt(api as unknown as Api, '2026-09-11')
  await past.get('/cves', { kev: true })
  await past.get('/snapshot')
  await past.get('/snapshots', { limit: 1 })
  assert.equal(asked, [
    ['/cves', { kev: true, snapshot: '2026-09-11' }, undefined],
    ['/snapshot', { snapshot: '2026-09-11' }, undefined],
    ['/snapshots', { limit: 1 }, undefined],
  ])
  assert.is(past.packages, undefined)
  const spanning = ROUTES.filter(({ spansSnapshots }) => spansSnapshots).map(({ path }) => path)
  assert.equal([...SPANNING].sort(), spanning.sort())
})

test('the fields that differ, with members of objects and numbers of entries', () => {
  const old = {
    cve_id: 'CVE-2024-1',
    kev: { listed: false, date_added: null },
    affected: [1],
    evidence: [1, 2],
    a_b: 0.5,
  }
  const now = {
    cve_id: 'CVE-2024-1',
    kev: { listed: true, date_added: '2026-09-12' },
    affected: [2],
    evidence: [1],
    a_b: 0.7,
  }
  assert.equal(fieldChanges(old, now), [
    { field: 'KEV listed', old: 'no', now: 'yes' },
    { field: 'KEV date added', old: 'unknown', now: formatDay('2026-09-12') },
    { field: 'Affected', old: '1 entry', now: '1 entry, not the same' },
    { field: 'Evidence', old: '2 entries', now: '1 entry' },
    { field: 'A b', old: '0.5', now: '0.7' },
  ])
  assert.equal(fieldChanges(now, now), [])
  assert.equal(fieldChanges({ a: 1 }, { b: 2 }), [
    { field: 'B', old: 'unknown', now: '2' },
    { field: 'A', old: '1', now: 'unknown' },
  ])
})

test.run()
