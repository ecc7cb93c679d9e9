/** gateway/API.md, section 15: the linked advisory, with the EPSS score of the day. */
import * as assert from 'uvu/assert'
import { openRefusing, refuses } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { RESERVED, UNKNOWN } from '../support/odd-records.ts'
import { recordsOf, summariesOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cves/{cveId}/advisory')
const service = await sharedService()
const records = recordsOf(service.corpus)
const ids = [...records.keys()]
const advised = ids.filter((id) => records.get(id)!.advisory !== null)
const epss = new Map(summariesOf(service.corpus).map((row) => [String(row.cve_id), row.epss]))
const refusing = await openRefusing(service, advised[0]!)

states('15.1', 'no query parameter', async () => {
  for (const name of ['full', 'fields', 'include', 'limit', 'source']) {
    await refuses(service, `/cves/${advised[0]}/advisory?${name}=1`, name)
  }
  assert.is((await service.ask(`/cves/${advised[0]}/advisory?`)).status, 200)
})

states('15.2', 'the linked advisory', async () => {
  const keys = [
    ...['advisory_id', 'cve_id', 'html_url', 'summary', 'description', 'severity', 'cvss_v3', 'cvss_v4', 'cwe_ids'],
    ...['cwe_names', 'source_repo_url', 'published_at', 'updated_at', 'reviewed_at', 'withdrawn_at', 'references'],
    ...['affected_packages', 'credits', 'epss'],
  ].sort()
  assert.ok(advised.length > 20)
  for (const id of advised) {
    const answer = await service.json<Record<string, unknown>>(`/cves/${id}/advisory`)
    const { score: percentage, percentile } = epss.get(id)!
    assert.equal(Object.keys(answer).sort(), keys, id)
    assert.equal(answer, { ...records.get(id)!.advisory, epss: { percentage, percentile } })
    assert.is(answer.cve_id, id)
    assert.equal(await service.json(`/cves/${id.toLowerCase()}/advisory`), answer)
  }
})

states('15.3', 'no advisory is linked', async () => {
  const without = ids.filter((id) => !advised.includes(id))
  assert.ok(without.length > 100 && without.includes(RESERVED))
  for (const id of without) {
    const { status, body } = await service.ask(`/cves/${id}/advisory`)
    const { error, message, ...rest } = body as { error: string; message: string }
    assert.equal([status, error, rest], [404, 'not_found', {}], id)
    assert.ok(message.includes(id) && message.includes('advisory'), message)
  }
})

states('15.4', 'all its statuses', async () => {
  await refusing.expectAlways(`/cves/${advised[0]}/advisory`)
  await refusing.expectTier((id) => `/cves/${id}/advisory`)
  await refuses(service, '/cves/CVE-1/advisory', 'cveId')
  const { status, body } = await service.ask(`/cves/${UNKNOWN}/advisory`)
  assert.equal([status, (body as { error: string }).error], [404, 'not_found'])
})

after(async () => {
  await refusing.close()
  await service.remove()
})
run()
