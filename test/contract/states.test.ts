/** gateway/API.md: the values of states (8.2, 17.5, 23.18), and the ranks of section 13. */
import * as assert from 'uvu/assert'
import type { EvidenceItem } from '../../corpus/model/record.ts'
import { aboutEach } from './support/answers.ts'
import { contractSuite } from './support/contract.ts'
import type { Summary } from './support/cve-rows.ts'
import { holdField, holdValues, oneOf } from './support/field-types.ts'
import { REJECTED, RESERVED } from './support/odd-records.ts'
import { sampleFeeds } from './support/sample-feeds.ts'
import { sharedService } from './support/service.ts'

const { states, after, run } = contractSuite('states')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const rows = await service.all<Summary>('/cves')
const evidence = await aboutEach(rows, ({ cve_id: id }) =>
  service.json<{ cve_id: string; evidence: EvidenceItem[] }>(`/cves/${id}/evidence?type=exploitation`),
)
const items = evidence.flatMap(({ evidence: list }) => list)

const ranksOf = (type: string) =>
  new Set(items.filter((item) => item.evidence_type === type).map((item) => item.maturity_rank))

states('8.2', 'two states; rejected records are absent', async () => {
  holdField(rows, 'state', oneOf('PUBLISHED', 'RESERVED'))
  assert.is((await service.json<Summary>(`/cves/${RESERVED}`)).state, 'RESERVED')
  // Upstream has a third one, whose records are not served.
  assert.ok(feeds.records.some(({ cveMetadata }) => cveMetadata.cveId === REJECTED))
  for (const { cveMetadata } of feeds.records.filter((record) => record.cveMetadata.state === 'REJECTED')) {
    assert.is((await service.ask(`/cves/${cveMetadata.cveId}`)).status, 404, cveMetadata.cveId)
    assert.not.ok(rows.some(({ cve_id: id }) => id === cveMetadata.cveId))
  }
})

states('17.5', 'types in production', async () => {
  const { report_types: types } = await service.json<{ report_types: { prompt_name: string; enabled: boolean }[] }>(
    '/reports/types',
  )
  holdValues(
    types.map(({ enabled }) => enabled),
    [true, false],
  )
  for (const { prompt_name: name, enabled } of types) {
    assert.is(enabled, feeds.reportTypes.find((line) => line.prompt_name === name)!.enabled, name)
  }
})

states('23.18', 'active by recent records', async () => {
  const cnas = await service.all<{ slug: string; activity_status: string; recent_cves: number }>('/cnas')
  holdValues(
    cnas.map(({ activity_status: status }) => status),
    ['Active', 'Inactive'],
  )
  for (const { slug, activity_status: status, recent_cves: recent } of cnas) {
    assert.is(status, recent > 0 ? 'Active' : 'Inactive', slug)
  }
  const { leaderboard } = await service.json<{ leaderboard: Record<string, { activity_status?: string }[]> }>(
    '/cnas/stats',
  )
  const ranked = [leaderboard.best!, leaderboard.worst!, leaderboard.most_active!].flat()
  holdField(ranked, 'activity_status', oneOf('Active', 'Inactive'))
})

states('13.14', 'proof of concept, then weaponized, then KEV', () => {
  const [[poc], [weaponized], [kev]] = [ranksOf('poc_public'), ranksOf('weaponized_exploit'), ranksOf('kev_listed')]
  assert.ok(typeof poc === 'number' && typeof weaponized === 'number' && typeof kev === 'number')
  assert.ok(poc < weaponized && weaponized < kev, `${poc}, ${weaponized}, ${kev}`)
  assert.is(ranksOf('weaponized_exploit').size, 1)
})

states('13.15', 'exploited CVEs have the highest ranks', () => {
  // What is on record of a CVE is as mature as the best of its evidence: KEV and SSVC active before any code.
  const best = (list: readonly EvidenceItem[]) => Math.max(...list.map((item) => item.maturity_rank!))
  const active = evidence.filter(({ cve_id: id }) => feeds.kev.has(id))
  const others = evidence.filter(
    ({ evidence: list }) => list.length > 0 && !list.some((item) => /kev_listed|ssvc_active/.test(item.evidence_type)),
  )
  assert.ok(active.length > 2 && others.length > 20)
  const least = Math.min(...active.map(({ evidence: list }) => best(list)))
  for (const { cve_id: id, evidence: list } of others) assert.ok(best(list) < least, id)
})

states('13.16', 'the rank of a proof of concept', () => assert.equal([...ranksOf('poc_public')], [40]))
states('13.17', 'the rank of a KEV listing', () => assert.equal([...ranksOf('kev_listed')], [80]))
states('13.18', 'the rank of active exploitation', () => assert.equal([...ranksOf('ssvc_active')], [80]))

after(() => service.remove())
run()
