/** `/changes`: held against the corpora of two nights, record by record. */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { prune } from '../../../builder/prune.ts'
import type { ErrorBody } from '../../../corpus/answers/errors.ts'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { openCorpus, type StoredRecord } from '../../../corpus/store/corpus.ts'
import { ingestAndBuild, quietEffects, temporaryFolder } from '../../support/dist.ts'
import { testGateway } from '../../support/gateway.ts'
import { ownFirstNight } from '../../support/samples.ts'

interface Row {
  cve_id: CveId
  change: string
  sections: string[]
}
interface Page {
  since: string
  snapshot: string
  data: Row[]
  pagination: { limit: number; next_cursor: string | null }
}

const folder = temporaryFolder('changes')
const made = await ownFirstNight('large', folder.path)
const before = recordsOf(made.corpus)
const first = (await ingestAndBuild({ ...made, asOf: made.nights[0]! })).snapshot
const second = (await ingestAndBuild({ ...made, asOf: made.nights[1]! })).snapshot
const after = recordsOf(made.corpus)
const gateway = await testGateway(folder.path, made.dist)

function recordsOf(path: string): Map<CveId, StoredRecord> {
  const corpus = openCorpus(path)
  try {
    return new Map(corpus.blocks().flatMap(({ block }) => [...corpus.records(block)].map((one) => [one.cveId, one])))
  } finally {
    corpus.close()
  }
}

const errorOf = async (response: Response): Promise<ErrorBody> => JSON.parse(await response.text())

const pageOf = async (path: string): Promise<Page> => JSON.parse(await gateway.body(path))

async function all(since: string, limit: number): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page = await pageOf(`/changes?since=${since}&limit=${limit}${next}`)
    assert.is(page.since, since)
    assert.is(page.snapshot, second)
    assert.is(page.pagination.limit, limit)
    rows.push(...page.data)
    cursor = page.pagination.next_cursor
  }
  return rows
}

/** The section that a part is answered as; the facets of a record are no part of any answer. */
const SECTION: Record<string, string | null> = { facets: null, reports: null, report_texts: 'reports' }
const EMPTY = new Set(['[]', 'null', '{"metrics":[],"svc_assessment":null}'])

function expected(): Row[] {
  const ids = [...new Set([...before.keys(), ...after.keys()])]
  return ids.flatMap((id): Row[] => {
    const [old, now] = [before.get(id)?.parts, after.get(id)?.parts]
    if (!now) return [{ cve_id: id, change: 'removed', sections: [] }]
    const sections = Object.entries(now)
      .filter(
        ([part, text]) => SECTION[part] !== null && (old ? old[part as keyof typeof old] !== text : !EMPTY.has(text)),
      )
      .map(([part]) => SECTION[part] ?? part)
    if (old && JSON.stringify(old) === JSON.stringify(now)) return []
    return [{ cve_id: id, change: old ? 'changed' : 'added', sections }]
  })
}

const byId = (rows: readonly Row[]) => rows.toSorted((a, b) => (a.cve_id < b.cve_id ? -1 : 1))

test('API 27.3: /changes lists what is new, changed and gone, with the sections that differ', async () => {
  const rows = await all(first, 100)
  assert.equal(byId(rows), byId(expected()))
  for (const change of ['added', 'changed', 'removed'])
    assert.ok(
      rows.some((row) => row.change === change),
      change,
    )
  assert.ok(rows.length < after.size / 2, 'EPSS moved for nearly all, and is not listed')
})

test('pages of any size are the same walk, by id', async () => {
  const rows = await all(first, 100)
  assert.equal(await all(first, 7), rows)
  assert.equal(await all(first, 1), rows)
  assert.is(new Set(rows.map(({ cve_id }) => cve_id)).size, rows.length)
})

test('every form of `since` that means the same snapshot gives the same pages, also in turn', async () => {
  const { data } = JSON.parse(await gateway.body('/snapshots')) as { data: { id: string; created_at: string }[] }
  const { created_at: at } = data.find(({ id }) => id === first)!
  const forms = [first, first.slice(0, 7), first.slice(0, 12).toUpperCase(), at]
  const whole = (await all(first, 100)).slice(0, 100)
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null && rows.length < whole.length; ) {
    const next: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page = await pageOf(`/changes?since=${forms[rows.length % forms.length]}&limit=1${next}`)
    assert.is(page.since, first)
    rows.push(...page.data)
    cursor = page.pagination.next_cursor
  }
  assert.equal(rows, whole)
})

test('a cursor of another `since` is refused', async () => {
  const page = await pageOf(`/changes?since=${first}&limit=1`)
  const other = await gateway.get(`/changes?since=${second}&limit=1&cursor=${page.pagination.next_cursor}`)
  assert.is((await errorOf(other)).error, 'invalid_cursor')
})

test('pruned snapshots are gone for a gateway that was started afterwards', async () => {
  const dist = join(folder.path, 'pruned')
  mkdirSync(dist)
  cpSync(made.dist, dist, { recursive: true })
  const early = await testGateway(folder.path, dist)
  try {
    // The snapshot before the served one is opened behind its back.
    while (early.registry.figures.open < 2) await setImmediate()
    await prune(dist, { keep: { last: 1 } }, quietEffects())
    const rows: Page = JSON.parse(await early.body(`/changes?since=${first}&limit=100`))
    assert.equal(rows.data, (await all(first, 100)).slice(0, 100))
  } finally {
    await early.close()
  }
  const late = await testGateway(folder.path, dist)
  try {
    assert.is((await late.get(`/changes?since=${first}`)).status, 410)
  } finally {
    await late.close()
  }
})

test.after(async () => {
  await gateway.close()
  folder.remove()
})

test.run()
