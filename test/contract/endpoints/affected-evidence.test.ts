/** gateway/API.md, sections 12 and 13: the endpoints, against the corpus for every CVE. */
import * as assert from 'uvu/assert'
import type { AffectedEntry, EvidenceItem } from '../../../corpus/model/record.ts'
import { openRefusing, refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { RESERVED, UNKNOWN } from '../support/odd-records.ts'
import { recordsOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cves/{cveId}/affected, /evidence')
const service = await sharedService()
const records = recordsOf(service.corpus)
const ids = [...records.keys()]
const entries = (id: string) => records.get(id)!.affected
const evidence = (id: string) => records.get(id)!.evidence
const fullest = ids.toSorted((a, b) => entries(b).length - entries(a).length)[0]!
const refusing = await openRefusing(service, fullest)

async function expectAffected(id: string, query: string, passes: (entry: AffectedEntry) => boolean): Promise<number> {
  const expected = entries(id).filter(passes)
  const answer = await service.json(`/cves/${id}/affected${query}`)
  assert.equal(answer, { cve_id: id, count: expected.length, entries: expected }, `${id} ${query}`)
  return expected.length
}

async function expectEvidence(id: string, query: string, passes: (item: EvidenceItem) => boolean): Promise<number> {
  const expected = evidence(id).filter(passes)
  const answer = await service.json(`/cves/${id}/evidence${query}`)
  assert.equal(answer, { cve_id: id, count: expected.length, evidence: expected }, `${id} ${query}`)
  return expected.length
}

const SOURCES = ['cna', 'adp', 'advisory', 'osv', 'nvd', 'svc_analysis']

states('12.1', 'entries of one source', async () => {
  for (const source of SOURCES) {
    let found = 0
    for (const id of ids) found += await expectAffected(id, `?source=${source}`, (entry) => entry.source === source)
    assert.ok(found > 0, source)
  }
  assert.equal(new Set(ids.flatMap((id) => entries(id).map(({ source }) => source))), new Set(SOURCES))
  const wrong = ['', 'ghsa', 'cna,adp', 'all']
  await refusesValues(service, `/cves/${fullest}/affected`, 'source', wrong)
})

states('12.2', 'entries of one ecosystem', async () => {
  const ecosystems = [...new Set(ids.flatMap((id) => entries(id).flatMap(({ ecosystem }) => ecosystem ?? [])))]
  assert.ok(
    ['npm', 'PyPI', 'Maven'].every((one) => ecosystems.includes(one)),
    String(ecosystems),
  )
  for (const ecosystem of [...ecosystems, 'NoSuch', 'np', 'npm,PyPI', 'null']) {
    let found = 0
    for (const id of ids) {
      const query = `?ecosystem=${encodeURIComponent(ecosystem)}`
      const matching = await expectAffected(id, query, (entry) => entry.ecosystem === ecosystem)
      found += matching
      if (matching === 0) continue
      await expectAffected(id, `${query}&source=osv`, (one) => one.ecosystem === ecosystem && one.source === 'osv')
    }
    assert.is(found > 0, ecosystems.includes(ecosystem), ecosystem)
  }
  await refusesValues(service, `/cves/${fullest}/affected`, 'ecosystem', [''])
})

states('12.3', 'the entries and their number', async () => {
  for (const id of ids) {
    const answer = await service.json(`/cves/${id}/affected`)
    assert.equal(Object.keys(answer).sort(), ['count', 'cve_id', 'entries'])
    await expectAffected(id, '', () => true)
  }
  assert.ok(entries(fullest).length > 5)
})

states('12.4', 'no entry matches', async () => {
  const empty = (id: string) => ({ cve_id: id, count: 0, entries: [] })
  const none = ids.filter((id) => entries(id).length === 0)
  assert.ok(none.includes(RESERVED))
  for (const id of none) assert.equal(await service.json(`/cves/${id}/affected`), empty(id))
  for (const query of ['?ecosystem=NoSuch', '?source=osv&ecosystem=NoSuch']) {
    assert.equal(await service.json(`/cves/${fullest}/affected${query}`), empty(fullest))
  }
})

states('12.5', 'all its statuses', async () => {
  await refusing.expectAlways(`/cves/${fullest}/affected`)
  await refusing.expectAlways(`/cves/${fullest}/affected?source=cna`)
  await refusing.expectTier((id) => `/cves/${id}/affected`)
  await refusing.expectTier((id) => `/cves/${id}/affected?source=nvd`)
  await refuses(service, `/cves/${fullest}/affected?vendor=x`, 'vendor')
  assert.is((await service.ask(`/cves/${UNKNOWN}/affected`)).status, 404)
})

const TYPES = ['exploitation', 'detection', 'mitigation']

states('13.1', 'evidence of one type', async () => {
  for (const type of TYPES) {
    let found = 0
    for (const id of ids) found += await expectEvidence(id, `?type=${type}`, (item) => item.type === type)
    assert.ok(found > 0, type)
  }
  assert.equal(new Set(ids.flatMap((id) => evidence(id).map(({ type }) => type))), new Set(TYPES))
  const wrong = ['', 'kev', 'detection,mitigation', 'all']
  await refusesValues(service, `/cves/${fullest}/evidence`, 'type', wrong)
})

states('13.2', 'the items and their number', async () => {
  for (const id of ids) {
    const answer = await service.json(`/cves/${id}/evidence`)
    assert.equal(Object.keys(answer).sort(), ['count', 'cve_id', 'evidence'])
    await expectEvidence(id, '', () => true)
  }
  assert.ok(ids.some((id) => new Set(evidence(id).map(({ type }) => type)).size === 3))
})

states('13.3', 'no item of the type', async () => {
  for (const type of TYPES) {
    const without = ids.filter((id) => !evidence(id).some((item) => item.type === type))
    assert.ok(without.includes(RESERVED) && without.some((id) => evidence(id).length > 0), type)
    for (const id of without) {
      assert.equal(await service.json(`/cves/${id}/evidence?type=${type}`), { cve_id: id, count: 0, evidence: [] })
    }
  }
})

states('13.4', 'all its statuses', async () => {
  await refusing.expectAlways(`/cves/${fullest}/evidence`)
  await refusing.expectAlways(`/cves/${fullest}/evidence?type=mitigation`)
  await refusing.expectTier((id) => `/cves/${id}/evidence`)
  await refusing.expectTier((id) => `/cves/${id}/evidence?type=detection`)
  await refuses(service, `/cves/${fullest}/evidence?source=nvd`, 'source')
  assert.is((await service.ask(`/cves/${UNKNOWN}/evidence`)).status, 404)
})

after(async () => {
  await refusing.close()
  await service.remove()
})
run()
