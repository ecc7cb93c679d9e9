/** `/cves`, one CVE and its parts over HTTP: contents, parameters, errors, and answers held against their schemas. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { prune } from '../../../builder/prune.ts'
import { FEEDS } from '../../../corpus/feeds/table.ts'
import { decodeCursor, encodeCursor, filtersHash } from '../../../corpus/snapshot/cursor/cursor.ts'
import { objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { ROUTES } from '../../../gateway/routes/table.ts'
import { ingestAndBuild, quietEffects, sampleDist, temporaryFolder } from '../../support/dist.ts'
import { testGateway } from '../../support/gateway.ts'
import { type Summary, walk } from '../../support/walk.ts'

const folder = temporaryFolder('cves')
const sample = await sampleDist(folder.path, 600)
const gateway = await testGateway(folder.path, sample.dist)
const corpus = openCorpus(sample.corpus, { readonly: true })
const { rows } = await walk((query) => gateway.body(`/cves?${query}`), '', 100)

/** The schema of a route, by its path. */
const schemaOf = (path: string) => ROUTES.find((route) => route.path === path)!.answer
const json = async (path: string) => JSON.parse(await gateway.body(path))
const refused = async (path: string) => {
  const response = await gateway.get(path)
  return {
    status: response.status,
    ...((await response.json()) as { error: string; message: string; parameter?: string }),
  }
}

/** Parts of a record as the corpus has them. */
function partsOf(id: string) {
  for (const { block } of corpus.blocks()) {
    for (const { cveId, parts } of corpus.records(block)) {
      if (cveId === id) return Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, JSON.parse(text)]))
    }
  }
  throw new Error(`${id} is not in the corpus`)
}

const rich = rows
  .map(({ cve_id }) => cve_id)
  .find((id) => {
    const { affected, references, cvss } = partsOf(id)
    return affected.length > 1 && references.length > 1 && cvss.metrics.length > 0
  })!

test('API 9.13: every record of the catalog is a summary record, field by field', async () => {
  for (const row of rows) schemaOf('/cves').parse({ data: [row], pagination: { limit: 1, next_cursor: null } })
  const published = corpus.blocks().reduce((sum, { records }) => sum + records, 0)
  assert.is(rows.length, published)
})

test('API 9.13: the summary of a record is its merged core and its EPSS score', async () => {
  const scores = new Map([...corpus.epss().scores].map(({ cveId, score }) => [cveId as string, score]))
  for (const { epss, ...row } of rows.filter((_, i) => i % 20 === 0)) {
    assert.equal(row, partsOf(row.cve_id).core)
    assert.is(epss.score, scores.get(row.cve_id) ?? null)
  }
})

test('API 10.5: the detail is the summary record and one more field for each section', async () => {
  const { core, ...parts } = partsOf(rich)
  const detail = await json(
    `/cves/${rich.toLowerCase()}?include=analysis,timeline,evidence,exploits,references,affected,epss,cvss`,
  )
  schemaOf('/cves/:cveId').parse(detail)
  const { epss, epss_detail, ...rest } = detail
  const { facets: _, advisory: _advisory, reports: _reports, report_texts: _texts, ...sections } = parts
  assert.equal(rest, { ...core, ...sections })
  assert.is(epss_detail.current?.epss_score ?? null, epss.score)
})

test('API 10.2: include defaults to cvss,epss; rule 2: an empty include means no section', async () => {
  const sections = ['cvss', 'epss_detail', 'affected', 'references', 'exploits', 'evidence', 'timeline', 'analysis']
  const of = async (query: string) =>
    Object.keys(await json(`/cves/${rich}${query}`)).filter((key) => sections.includes(key))
  assert.equal(await of(''), ['cvss', 'epss_detail'])
  assert.equal(await of('?include='), [])
  assert.equal(await of('?include=affected'), ['affected'])
  assert.equal(await of('?include=timeline,%20affected,affected'), ['affected', 'timeline'])
})

test('API 10.3: fields keeps the named core fields and cve_id, and leaves the sections alone', async () => {
  const detail = await json(`/cves/${rich}?fields=title,epss,kev&include=cvss`)
  assert.equal(Object.keys(detail).sort(), ['cve_id', 'cvss', 'epss', 'kev', 'title'])
  const whole = await json(`/cves/${rich}?include=`)
  for (const field of ['cve_id', 'title', 'epss', 'kev']) assert.equal(detail[field], whole[field])
  assert.equal(Object.keys(await json(`/cves/${rich}?fields=cve_id&include=`)), ['cve_id'])
})

test('API 10.12: the endpoints of the parts answer what the sections of the detail hold', async () => {
  const detail = await json(`/cves/${rich}?include=cvss,epss,affected,references`)
  assert.equal(await json(`/cves/${rich}/cvss`), { cve_id: rich, ...detail.cvss })
  assert.equal(await json(`/cves/${rich}/epss`), { cve_id: rich, ...detail.epss_detail })
  const { affected, references } = detail
  assert.equal(await json(`/cves/${rich}/affected`), { cve_id: rich, count: affected.length, entries: affected })
  assert.equal(await json(`/cves/${rich}/references`), { cve_id: rich, count: references.length, references })
  for (const part of ['cvss', 'epss', 'affected', 'references']) {
    for (const { cve_id } of rows.filter((_, i) => i % 50 === 0)) {
      schemaOf(`/cves/:cveId/${part}`).parse(await json(`/cves/${cve_id}/${part}`))
    }
  }
})

test('API 12.4: affected and references take filters; nothing left gives count 0 and an empty list', async () => {
  const { affected, references } = await json(`/cves/${rich}?include=affected,references`)
  const source = affected[0].source
  const entries = affected.filter((entry: { source: string }) => entry.source === source)
  assert.equal(await json(`/cves/${rich}/affected?source=${source}`), { cve_id: rich, count: entries.length, entries })
  assert.equal(await json(`/cves/${rich}/affected?ecosystem=npm`), { cve_id: rich, count: 0, entries: [] })
  const tagged = rows
    .map(({ cve_id }) => partsOf(cve_id))
    .find(({ references }) => references.some((one: { tags: string[] }) => one.tags.length))!
  const tag = tagged.references.flatMap((one: { tags: string[] }) => one.tags)[0]
  const withTag = tagged.references.filter((one: { tags: string[] }) => one.tags.includes(tag))
  const id = tagged.core.cve_id
  assert.equal(await json(`/cves/${id}/references?tag=${tag}`), {
    cve_id: id,
    count: withTag.length,
    references: withTag,
  })
  const fromAdp = references.filter((one: { sources: string[] }) => one.sources.includes('adp'))
  assert.is((await json(`/cves/${rich}/references?source=adp`)).count, fromAdp.length)
})

test('rule 10: an unknown CVE is 404 and named; a rejected one says that it was, and when', async () => {
  assert.equal(await refused('/cves/CVE-1999-9999'), {
    status: 404,
    error: 'not_found',
    message: 'no record exists for CVE-1999-9999',
  })
  const { cveId, dateRejected } = corpus.rejected()[0]!
  for (const path of ['', '/cvss', '/epss', '/affected', '/references']) {
    const { status, error, message } = await refused(`/cves/${cveId}${path}`)
    assert.equal([status, error], [404, 'not_found'])
    assert.match(message, cveId)
    assert.match(message, 'rejected')
    assert.match(message, dateRejected!)
  }
})

test('rule 1: the CVE id is taken in any case, and another spelling of its number is no record', async () => {
  assert.is((await json(`/cves/${rich.toLowerCase()}`)).cve_id, rich)
  assert.is((await refused(`/cves/CVE-2024-000${rich.slice(9)}`)).status, 404)
  assert.is((await refused(`/cves/CVE-2024-${'9'.repeat(19)}`)).status, 404)
  assert.is((await refused(`/cves/CVE-2024-${'9'.repeat(20)}`)).status, 400)
})

test('rule 2: what cannot be meant is 400 and named, with what is allowed', async () => {
  const cases: [path: string, parameter: string, message: RegExp][] = [
    ['/cves?severty=high', 'severty', /did you mean 'severity'/],
    ['/cves?kev=true&kev=true', 'kev', /twice/],
    ['/cves?severity=', 'severity', /empty/],
    ['/cves?severity=hgih', 'severity', /did you mean 'high'/],
    ['/cves?sort=-cvs', 'sort', /-cvss/],
    ['/cves?limit=0', 'limit', /1 to 100/],
    ['/cves?limit=101', 'limit', /1 to 100/],
    ['/cves?epss_min=NaN', 'epss_min', /0 to 1/],
    ['/cves?published_since=2024-02-30', 'published_since', /date/],
    ['/cves?kev=yes', 'kev', /true or false/],
    ['/cves?ids=CVE-2024-1', 'ids', /CVE id/],
    [`/cves?q=${'x'.repeat(201)}`, 'q', /200/],
    ['/cves?cwe=CWE-abc', 'cwe', /CWE-79/],
    [`/cves/${rich}?include=cvs`, 'include', /did you mean 'cvss'/],
    [`/cves/${rich}?fields=titel`, 'fields', /did you mean 'title'/],
    [`/cves/${rich}/affected?source=nvdd`, 'source', /did you mean 'nvd'/],
    ['/cves/CVE-24-1', 'cveId', /CVE id/],
  ]
  for (const [path, parameter, message] of cases) {
    const body = await refused(path)
    assert.equal([body.status, body.error, body.parameter], [400, 'invalid_parameter', parameter], path)
    assert.match(body.message, message)
  }
})

test('rule 7: a cursor under another sort, other filters, or never issued is 400 invalid_cursor and says which', async () => {
  const { pagination } = await json('/cves?limit=10&kev=false')
  const cursor = pagination.next_cursor
  const issued = decodeCursor(cursor)!
  const cases: [query: string, message: RegExp][] = [
    [`kev=false&sort=cvss&cursor=${cursor}`, /sort/],
    [`kev=true&cursor=${cursor}`, /filters/],
    [`cursor=${cursor}`, /filters/],
    [`kev=false&cursor=${cursor.slice(0, -1)}`, /this cursor is invalid/],
    ['cursor=abc', /this cursor is invalid/],
    // A checksum is no secret: what was made up with a right one is still no row of this list.
    [
      `cursor=${encodeCursor({ ...issued, filters: filtersHash({}), after: { value: 1, id: 'CVE-2024-xyzzy' } })}`,
      /this cursor is invalid/,
    ],
    [
      `cursor=${encodeCursor({ ...issued, filters: filtersHash({}), after: { value: 'x', id: 'CVE-2024-0001' } })}`,
      /this cursor is invalid/,
    ],
  ]
  for (const [query, message] of cases) {
    const body = await refused(`/cves?${query}`)
    assert.equal([body.status, body.error, body.parameter], [400, 'invalid_cursor', 'cursor'], query)
    assert.match(body.message, message)
  }
  assert.is((await refused('/cves?cursor=')).error, 'invalid_parameter')
  assert.is((await json(`/cves?kev=false&limit=3&cursor=${cursor}`)).data.length, 3)
})

test('API 9.16: ids is a batch; its default limit is the number of ids, unknown and rejected ones are absent', async () => {
  const ids = rows.slice(0, 40).map(({ cve_id }) => cve_id)
  const { data, pagination } = await json(
    `/cves?ids=${ids.toReversed().join(',').toLowerCase()},${corpus.rejected()[0]!.cveId}`,
  )
  assert.equal(
    data.map(({ cve_id }: Summary) => cve_id),
    ids,
  )
  assert.equal(pagination, { limit: 41, next_cursor: null })
  assert.is(
    (await refused(`/cves?ids=${Array.from({ length: 101 }, (_, i) => `CVE-2024-${1000 + i}`).join(',')}`)).status,
    400,
  )
})

test('rule 5: q matches id and title without regard to case; per cent and underscore are ordinary', async () => {
  const { data } = await json(`/cves?q=${rich.toLowerCase()}`)
  assert.equal(
    data.map(({ cve_id }: Summary) => cve_id),
    [rich],
  )
  const response = await gateway.get('/cves?q=%25')
  assert.is(response.headers.get('served-from'), 'sqlite')
  const { data: withPercent } = (await response.json()) as { data: Summary[] }
  assert.ok(withPercent.every(({ title }) => title?.includes('%')))
})

test('rule 4: date bounds are whole days; a timestamp is compared exactly', async () => {
  const { date_updated: at } = rows.find((row) => row.date_updated !== null)!
  const count = async (query: string) =>
    (await walk((more) => gateway.body(`/cves?${query}&${more}`), '', 100)).rows.length
  const ms = Date.parse(at!)
  const since = (time: number) => rows.filter((row) => row.date_updated && Date.parse(row.date_updated) >= time).length
  assert.is(await count(`updated_since=${at}`), since(ms))
  assert.is(await count(`updated_since=${new Date(ms + 1).toISOString()}`), since(ms + 1))
  assert.is(await count(`updated_since=${at!.slice(0, 10)}`), since(Date.parse(at!.slice(0, 10))))
})

test('API 27.1: /snapshot names what is served, from which feeds, and counts it', async () => {
  const body = await json('/snapshot')
  schemaOf('/snapshot').parse(body)
  assert.is(body.id, gateway.registry.current.id)
  assert.is(body.counts.cves, rows.length)
  assert.equal(Object.keys(body.feeds).sort(), FEEDS.map(({ name }) => name as string).sort())
  assert.is(body.epss_date, rows.find(({ epss }) => epss.score !== null) && sample.nights[0])
})

test('rule 17: Served-From and Snapshot-Id tell how and from what an answer came', async () => {
  const from = async (path: string) => (await gateway.get(path)).headers.get('served-from')
  assert.is(await from('/cves'), 'shard')
  assert.is(await from('/cves?limit=7'), 'merge')
  assert.is(await from('/cves?q=a'), 'sqlite')
  assert.is(await from(`/cves/${rich}`), 'shard')
  assert.is(await from(`/cves/${rich}/affected?source=cna`), 'shard')
  assert.is((await gateway.get('/cves')).headers.get('snapshot-id'), gateway.registry.current.id)
})

test('rule 7: a walk begun before a rebuild and finished after it gives exactly the rows of the first snapshot', async () => {
  const made = { feeds: sample.feeds, corpus: sample.corpus, dist: sample.dist }
  const changed = () => ingestAndBuild({ ...made, asOf: sample.nights[1]! })
  const first = gateway.registry.current.id
  const { rows: walked } = await walk(
    (query) => gateway.body(`/cves?${query}`),
    'sort=updated',
    25,
    undefined,
    async (page) => {
      if (page !== 5) return
      await changed()
      await gateway.registry.refresh()
    },
  )
  assert.is.not(gateway.registry.current.id, first)
  const byId = (a: Summary, b: Summary) => (a.cve_id < b.cve_id ? -1 : 1)
  assert.equal(walked.toSorted(byId), rows.toSorted(byId))
  const { rows: fresh } = await walk((query) => gateway.body(`/cves?${query}`), 'sort=updated', 25)
  const before = new Map(rows.map((row) => [row.cve_id, JSON.stringify(row)]))
  assert.ok(
    fresh.some(({ cve_id }) => !before.has(cve_id)),
    'the second night has new CVEs',
  )
  assert.ok(
    rows.some(({ cve_id }) => !fresh.some((row) => row.cve_id === cve_id)),
    'and some that are gone',
  )
  assert.ok(
    fresh.some((row) => before.get(row.cve_id) !== JSON.stringify(row)),
    'and changed ones',
  )
})

test('rule 7: a text query walks on in its snapshot even after that was pruned away', async () => {
  const other = { feeds: sample.feeds, corpus: join(folder.path, 'pruned.db'), dist: join(folder.path, 'pruned') }
  await ingestAndBuild({ ...other, asOf: sample.nights[0]! })
  const gateway = await testGateway(folder.path, other.dist)
  const ask = (query: string) => gateway.body(`/cves?${query}`)
  const expected = await walk(ask, 'q=in', 25)
  const walked = await walk(ask, 'q=in', 25, undefined, async (page) => {
    if (page !== 1) return
    await ingestAndBuild({ ...other, asOf: sample.nights[1]! })
    await gateway.registry.refresh()
    const { removed } = await prune(other.dist, 1, quietEffects())
    assert.ok(removed.objects > 0)
  })
  assert.equal(walked.rows, expected.rows)
  await gateway.close()
})

test('a new snapshot that is damaged is refused, and the old one goes on answering', async () => {
  const other = { feeds: sample.feeds, corpus: join(folder.path, 'refused.db'), dist: join(folder.path, 'refused') }
  await ingestAndBuild({ ...other, asOf: sample.nights[0]! })
  const gateway = await testGateway(folder.path, other.dist)
  const before = gateway.registry.current.id
  await ingestAndBuild({ ...other, asOf: sample.nights[1]! })
  const { manifest } = readCurrent(other.dist)
  const fresh = manifest.files.filter(
    ({ sha256 }) => !gateway.registry.current.manifest.files.some((file) => file.sha256 === sha256),
  )
  const shard = objectPath(other.dist, fresh.find(({ role }) => role === 'cve')!.sha256)
  const bytes = readFileSync(shard)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(shard, bytes)
  await gateway.registry.refresh()
  assert.is(gateway.registry.current.id, before)
  assert.ok(gateway.log.some(({ level, message }) => level === 'error' && /refused/.test(message)))
  assert.is(JSON.parse(await gateway.body('/snapshot')).id, before)
  await gateway.close()
})

test('rule 7: once its snapshot is gone a walk goes on by key; a newer one than is loaded is 503', async () => {
  const { pagination, data } = await json('/cves?limit=10')
  const other = await testGateway(folder.path, sample.dist)
  const cursor = decodeCursor(pagination.next_cursor)!
  const gone = encodeCursor({ ...cursor, snapshot: '0'.repeat(16), createdAt: cursor.createdAt - 1 })
  const page = JSON.parse(await other.body(`/cves?limit=10&cursor=${gone}`))
  const whole = await json('/cves?limit=20')
  assert.equal([...data, ...page.data], whole.data)
  const newer = encodeCursor({ ...cursor, snapshot: 'f'.repeat(16), createdAt: cursor.createdAt + 1 })
  const response = await other.get(`/cves?limit=10&cursor=${newer}`)
  assert.is(response.status, 503)
  assert.ok(Number(response.headers.get('retry-after')) > 0)
  assert.is(((await response.json()) as { error: string }).error, 'unavailable')
  await other.close()
})

test.after(async () => {
  await gateway.close()
  corpus.close()
  folder.remove()
})

test.run()
