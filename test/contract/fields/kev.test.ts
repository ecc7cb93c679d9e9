/** gateway/API.md, section 33: catalogs of exploited vulnerabilities and deadlines, compared with the feed. */
import * as assert from 'uvu/assert'
import type { AssetDeadline } from '../../../corpus/model/scores/deadline.ts'
import type { KevDetail } from '../../../corpus/reader/record.ts'
import { contractSuite } from '../support/contract.ts'
import {
  boolean,
  day,
  expectField,
  expectSeen,
  integer,
  listOf,
  matching,
  nullable,
  object,
  string,
} from '../support/field-types.ts'
import { aboutEach, type Summary } from '../support/rows.ts'
import { type KevJson, sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('catalogs of exploited vulnerabilities')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const summaries = await service.all<Summary>('/cves')
const details = await aboutEach(summaries, ({ cve_id: id }) =>
  service.json<KevDetail & { cve_id: string }>(`/cves/${id}/kev`),
)
const entries = details.flatMap(({ cve_id, catalogs }) => catalogs.map((entry) => ({ cve_id, ...entry })))
const deadlines = details.flatMap(({ deadline }) => [deadline.exposed, deadline.not_exposed])

states('33.1, 33.2', 'the listing of the summary record, catalogs and deadlines', () => {
  for (const [i, { cve_id: id, kev }] of summaries.entries()) {
    const { cve_id, listed, date_added, catalogs, deadline, ...rest } = details[i]!
    assert.equal([cve_id, { listed, date_added }, rest], [id, kev, {}])
    assert.equal(Object.keys(deadline), ['exposed', 'not_exposed'])
    assert.ok(Array.isArray(catalogs))
  }
})

/** What the catalogs of the sample state, by CVE, in the words of the API. */
const stated = new Map<string, Record<string, unknown>[]>()
const state = (id: string, entry: Record<string, unknown>) => stated.set(id, [...(stated.get(id) ?? []), entry])
for (const [id, entry] of feeds.kevEntries) {
  state(id, {
    catalog: 'cisa',
    date_added: entry.dateAdded,
    due_date: entry.dueDate,
    required_action: entry.requiredAction,
    ransomware: entry.knownRansomwareCampaignUse.toLowerCase(),
    notes: entry.notes,
    ...names(entry),
  })
}
for (const { cveId: id, dateAdded, sources, vendorProject = null, product = null } of feeds.euvd) {
  if (!sources.includes('eukev_kev')) continue
  const unstated = { due_date: null, required_action: null, ransomware: null, notes: null }
  const names = { vendor_project: vendorProject, product, vulnerability_name: null, short_description: null }
  state(id, { catalog: 'euvd', date_added: dateAdded, ...unstated, ...names })
}
for (const { cve_id: id, ...line } of feeds.exploited) state(String(id), line)
for (const entry of feeds.vulncheck) {
  state(entry.cve[0]!, {
    catalog: 'vulncheck',
    date_added: entry.date_added.slice(0, 10),
    due_date: entry.dueDate?.slice(0, 10) ?? null,
    required_action: entry.required_action,
    ransomware: entry.knownRansomwareCampaignUse.toLowerCase(),
    notes: null,
    ...names(entry),
  })
}

function names(entry: Pick<KevJson, 'vendorProject' | 'product' | 'vulnerabilityName' | 'shortDescription'>) {
  const { vendorProject: vendor_project, product, vulnerabilityName: vulnerability_name } = entry
  return { vendor_project, product, vulnerability_name, short_description: entry.shortDescription }
}

states('33.3, 33.5', 'one entry per catalog, CISA first, the others by name', () => {
  expectField(entries, 'catalog', matching(/^[a-z0-9_-]+$/))
  for (const { cve_id: id, catalogs } of details) {
    assert.equal(
      catalogs.map(({ catalog }) => catalog),
      (stated.get(id) ?? []).map(({ catalog }) => catalog),
      id,
    )
  }
  expectSeen(
    entries.map(({ catalog }) => catalog),
    ['cisa', 'vulncheck', 'euvd', 'harbor_watch'],
  )
})

states('33.4', 'a CVE that no catalog lists', async () => {
  const unlisted = details.find(({ catalogs }) => catalogs.length === 0)!
  const answer = await service.ask(`/cves/${unlisted.cve_id}/kev`)
  assert.is(answer.status, 200)
  assert.equal([unlisted.listed, unlisted.date_added], [false, null])
  assert.equal(Object.keys(unlisted.deadline.exposed).length, 6)
})

states('33.6, 33.7, 33.8', 'dates, ransomware and texts as the catalog states them', () => {
  assert.ok(entries.length > 0)
  for (const { cve_id: id, catalogs } of details) assert.equal(catalogs, stated.get(id) ?? [], id)
  expectSeen(
    entries.map(({ ransomware }) => ransomware),
    ['known', 'unknown'],
  )
})

const shape = {
  days: nullable(integer),
  on_system_upgrade: nullable(boolean),
  forensic_investigation: nullable(boolean),
  counted_from: nullable(day),
  due_date: nullable(day),
  missing_inputs: listOf(string),
}

states('33.9, 33.10, 33.11', 'days, upgrade and investigation', () => {
  for (const deadline of deadlines) assert.ok(object(shape)(deadline), JSON.stringify(deadline))
  expectSeen(
    deadlines.map(({ days }) => days),
    [3, 14, 60, null],
  )
  for (const { days, on_system_upgrade: isUpgrade, missing_inputs: missing } of deadlines) {
    if (isUpgrade) assert.is(days, null)
    if (missing.length === 0) assert.is(isUpgrade, days === null)
  }
  expectSeen(
    deadlines.map((one) => one.forensic_investigation),
    [true, false],
  )
})

states('33.12', 'the dates of deadlines', () => {
  for (const { listed, date_added: added, deadline } of details) {
    for (const { days, counted_from: from, due_date: due } of [deadline.exposed, deadline.not_exposed]) {
      assert.is(from, listed ? added : null)
      if (from === null || days === null) assert.is(due, null)
      else assert.is(Date.parse(due!) - Date.parse(from), days * 86_400_000)
    }
  }
})

states('33.13', 'inputs that are unknown and decide', () => {
  const isPartial = ({ days, on_system_upgrade, forensic_investigation }: AssetDeadline) =>
    (days === null && on_system_upgrade !== true) || forensic_investigation === null
  for (const [i, { ssvc }] of summaries.entries()) {
    const { exposed, not_exposed } = details[i]!.deadline
    for (const one of [exposed, not_exposed]) {
      assert.is(one.missing_inputs.length > 0, isPartial(one), details[i]!.cve_id)
      for (const input of one.missing_inputs) assert.is(ssvc[input], null)
    }
  }
  assert.ok(deadlines.some((one) => one.missing_inputs.length > 0))
})

states('33.21, 33.22, 33.23', 'rows of the list: the entry, and the summary record', async () => {
  const rows = await service.all<{ cve_id: string; catalog: string; cve: Summary }>('/kev')
  const records = new Map(summaries.map((row) => [String(row.cve_id), row]))
  const keyOf = (row: { cve_id: string; catalog: string }) => `${row.cve_id} ${row.catalog}`
  const expected = entries.map((entry) => ({ ...entry, cve: records.get(entry.cve_id)! }))
  const inOrder = <T extends { cve_id: string; catalog: string }>(list: T[]) =>
    list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  assert.equal(inOrder(rows), inOrder(expected))
  const denied = await service.tokenOf({ role: 'user' })
  assert.is((await service.ask('/kev', denied)).status, 403)
})

after(() => service.remove())
run()
