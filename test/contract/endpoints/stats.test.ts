/** gateway/API.md, section 32: every figure, counted again, and the filters that give the same CVEs. */
import * as assert from 'uvu/assert'
import { cellParams } from '../../../corpus/explorer/app/charts/epss-cells.ts'
import { queryOf } from '../../../corpus/explorer/app/data/api.ts'
import type { LastUpdate } from '../../../corpus/model/last-update.ts'
import type { Stats, TopEntry } from '../../../corpus/model/stats.ts'
import { statsTruth } from '../../support/stats-truth.ts'
import { contractSuite } from '../support/contract.ts'
import { type Summary, summariesOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, rule, after, run } = contractSuite('GET /stats')
const service = await sharedService()
const stats = await service.json<Stats>('/stats')
const expected = statsTruth(service.made.corpus, {
  vendors: await service.all('/vendors'),
  cnas: await service.all('/cnas'),
  exploits: await service.all('/exploits'),
})
const all = summariesOf(service.corpus)
const countOf = async (path: string) => (await service.all<Summary>(path)).length
const since = () => `published_since=${encodeURIComponent(stats.last_year_since!)}`

states('32.1', 'the dates of corpus and scores', () => {
  assert.equal([stats.corpus_date, stats.epss_date], [expected.corpus_date, expected.epss_date])
  assert.ok(stats.corpus_date !== null && stats.epss_date !== null)
})

states('32.2', 'totals, as the filters count them', async () => {
  const { cves, kev, has_exploit, has_patch, severity } = stats.totals
  assert.equal(stats.totals, expected.totals)
  assert.is(cves, all.length)
  assert.equal(
    [kev, has_exploit, has_patch],
    [await countOf('/cves?kev=true'), await countOf('/cves?has_exploit=true'), await countOf('/cves?has_patch=true')],
  )
  const { unscored, ...bands } = severity
  for (const [band, count] of Object.entries(bands)) assert.is(count, await countOf(`/cves?severity=${band}`), band)
  assert.is(unscored + Object.values(bands).reduce((sum, count) => sum + count, 0), cves)
  assert.ok(unscored > 0 && severity.critical > 0)
})

states('32.3', 'CVEs by month and severity', async () => {
  assert.equal(stats.published_by_month, expected.published_by_month)
  assert.ok(stats.published_by_month.length > 12)
  const { month, high } = stats.published_by_month.findLast((one) => one.high > 0)!
  const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10)
  const path = `/cves?severity=high&published_since=${month}-01&published_until=${last}`
  assert.is(await countOf(path), high)
})

states('32.4', 'KEV additions by month', () => {
  assert.equal(stats.kev_by_month, expected.kev_by_month)
  assert.ok(stats.kev_by_month.length > 1)
})

states('32.5', 'EPSS against CVSS', async () => {
  assert.equal({ ...stats.epss_by_cvss, highest: [] }, { ...expected.epss_by_cvss, highest: [] })
  const { epss_from: from, counts, without_scores: without } = stats.epss_by_cvss
  const sum = counts.flat().reduce((total, count) => total + count, without)
  assert.is(sum, all.length)
  // The rows from a band on are those of epss_min that have a CVSS score.
  for (const [i, least] of from.entries()) {
    const rows = (await service.all<Summary>(`/cves?epss_min=${least}`)).filter(({ cvss_score }) => cvss_score !== null)
    assert.is(
      counts
        .slice(i)
        .flat()
        .reduce((total, count) => total + count, 0),
      rows.length,
    )
  }
})

states('32.6', 'critical CVEs with the highest EPSS scores', () => {
  assert.equal(stats.epss_by_cvss.highest, expected.epss_by_cvss.highest)
  assert.ok(stats.epss_by_cvss.highest.length > 2)
})

states('32.7', 'the first moment of the last year', async () => {
  assert.is(stats.last_year_since, expected.last_year_since)
  const recent = stats.cna_scores.reduce((total, { recent_cves: count }) => total + count, 0)
  assert.ok(recent > 0)
  for (const { slug, recent_cves: count } of stats.cna_scores) {
    const { cna_name: _, recent_cves: ofRow } = (await service.json<{ cna_name: string; recent_cves: number }>(
      `/cnas/${encodeURIComponent(slug)}`,
    ))!
    assert.is(count, ofRow, slug)
  }
})

states('32.8', 'top weaknesses, vendors and CNAs, with the CVEs of their lists', async () => {
  for (const name of ['weaknesses', 'vendors', 'cnas'] as const) {
    assert.equal(stats[name], expected[name], name)
    assert.ok(stats[name].all_time.length > 3 && stats[name].last_year.length > 3, name)
  }
  const check = async (entries: readonly TopEntry[], path: (id: string) => string, more = '') => {
    for (const { id, cve_count, kev_count } of entries.slice(0, 5)) {
      const rows = await service.all<Summary>(`${path(encodeURIComponent(id))}${more}`)
      assert.equal([rows.length, rows.filter(({ kev }) => kev.listed).length], [cve_count, kev_count], id)
    }
  }
  await check(stats.weaknesses.all_time, (id) => `/cwes/${id}/cves?scope=any`)
  await check(stats.vendors.all_time, (id) => `/cves?vendor=${id}`)
  await check(stats.vendors.last_year, (id) => `/cves?vendor=${id}`, `&${since()}`)
  await check(stats.cnas.all_time, (id) => `/cnas/${id}/cves`)
})

states('32.9', 'CNAs and their records without a score', () => {
  assert.equal(stats.cna_scores, expected.cna_scores)
  assert.ok(stats.cna_scores.length > 0)
})

rule(25, 'records without a CVSS score of the CNA itself', async () => {
  const some = stats.cna_scores.filter(({ without_cna_cvss: none, total_cves: total }) => none > 0 && none < total)
  assert.ok(some.length > 0)
  const { slug, without_cna_cvss: without } = some[0]!
  let counted = 0
  for (const { cve_id } of await service.all<Summary>(`/cnas/${encodeURIComponent(slug)}/cves`)) {
    const { metrics } = await service.json<{ metrics: { source_type: string }[] }>(`/cves/${cve_id}/cvss`)
    if (!metrics.some(({ source_type }) => source_type === 'cna')) counted++
  }
  assert.is(counted, without)
})

states('32.10', 'what the last update brought, and its dates', () => {
  const { since, until, added, changed } = stats.last_update!
  assert.is(until, stats.corpus_date)
  assert.ok(Date.parse(since) < Date.parse(until))
  assert.ok(added.cves > 0 && changed.cves > 0)
})

states('32.12', 'the last days up to the corpus date, as the filters of lists count them', async () => {
  assert.equal(stats.recent, expected.recent)
  assert.equal(
    stats.recent.map(({ days, until }) => [days, until]),
    [1, 7, 30].map((days) => [days, stats.corpus_date!.slice(0, 10)]),
  )
  for (const { since, until, published, kev_added: added, exploits } of stats.recent) {
    const total = Object.values(published).reduce((sum, count) => sum + count, 0)
    const days = `published_since=${since}&published_until=${until}`
    assert.is(await countOf(`/cves?${days}`), total)
    assert.is(await countOf(`/cves?${days}&severity=critical`), published.critical)
    assert.is(await countOf(`/kev?catalog=cisa&added_since=${since}&added_until=${until}`), added)
    assert.is(await countOf(`/exploits?${days}`), exploits)
  }
  const { published, kev_added, exploits } = stats.recent.at(-1)!
  assert.ok(published.critical > 0 && kev_added + exploits > 0)
})

states('32.5', 'a cell has the CVEs of a list', async () => {
  const { epss_from: epss, cvss_from: cvss, counts } = stats.epss_by_cvss
  for (const i of epss.keys()) {
    for (const j of cvss.keys()) {
      // As the start page of the explorer links the cell.
      const query = queryOf({ ...cellParams(stats.epss_by_cvss, i, j), limit: 1, count: true })
      const { pagination } = await service.json<{ pagination: { total: number } }>(`/cves?${query}`)
      assert.is(pagination.total, counts[i]![j]!, query)
    }
  }
})

states('32.11', 'counts, and at most 100 ids that /cves?ids= accepts', async () => {
  const { since: _, until: __, removed, rejected, ...served } = stats.last_update!
  for (const { cves, cve_ids } of [removed, rejected, ...Object.values(served)]) {
    assert.is(cve_ids.length, Math.min(cves, 100))
  }
  for (const [name, { cve_ids }] of Object.entries(served) as [keyof LastUpdate, LastUpdate['added']][]) {
    if (cve_ids.length === 0) continue
    const rows = await service.all<Summary>(`/cves?ids=${cve_ids}`)
    assert.equal(rows.map(({ cve_id }) => cve_id).sort(), [...cve_ids].sort(), name)
    if (name === 'kev_added') assert.ok(rows.every(({ kev }) => kev.listed))
  }
  const { data } = await service.json<{ data: { parent: string | null }[] }>('/snapshots')
  const changes = await service.all<{ cve_id: string; change: string }>(`/changes?since=${data[0]!.parent}`)
  const added = changes.filter(({ change }) => change === 'added').map(({ cve_id }) => cve_id)
  assert.equal(stats.last_update!.added.cves, added.length)
})

after(() => service.remove())
run()
