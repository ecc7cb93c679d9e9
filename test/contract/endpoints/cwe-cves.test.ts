/** gateway/API.md, section 20: the CVEs of a weakness against all records, filtered here. */
import * as assert from 'uvu/assert'
import { expectPaging, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import {
  CVE_KEYS,
  type CveKey,
  type CvePage,
  expectCves,
  expectSorts,
  inOrder,
  recordsOf,
  type Summary,
  summariesOf,
} from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cwes/{cweId}/cves')
const service = await sharedService()
const all = summariesOf(service.corpus)
const records = recordsOf(service.corpus)

const primary = (slug: string) => all.filter(({ primary_cwe_id }) => primary_cwe_id === slug)
const any = (slug: string) => all.filter(({ cve_id }) => records.get(cve_id)!.facets.weaknesses.includes(slug))
const slugs = [...new Set([...records.values()].flatMap(({ facets }) => facets.weaknesses))]
/** The weakness with most CVEs. */
const most = slugs.toSorted((a, b) => primary(b).length - primary(a).length)[0]!
const path = `/cwes/${most}/cves`

states('20.7', 'CVEs that a source maps', async () => {
  for (const slug of [...slugs, 'cwe-7', 'cwe-999999']) {
    const rows = await service.all<Summary>(`/cwes/${slug}/cves?scope=any`)
    assert.equal(rows, inOrder(any(slug), '-published'), slug)
  }
  // The linked advisory is one of those that map, unless it was withdrawn.
  let mapped = 0
  for (const { cve_id: id } of all) {
    const { advisory } = records.get(id)!
    if (advisory === null || advisory.withdrawn_at !== null) continue
    for (const cwe of advisory.cwe_ids) {
      assert.ok(
        any(cwe.toLowerCase()).some(({ cve_id }) => cve_id === id),
        `${id} ${cwe}`,
      )
      mapped++
    }
  }
  assert.ok(mapped > 10)
})

states('20.1', 'three forms of the id', async () => {
  for (const slug of slugs) {
    for (const form of [slug, slug.slice(4), slug.toUpperCase()]) {
      await expectCves(service, `/cwes/${form}/cves`, primary(slug))
    }
  }
  for (const wrong of ['CWE79', 'CAPEC-79', 'x', 'CWE-', '079', '7.9']) {
    assert.is((await service.ask(`/cwes/${wrong}/cves`)).status, 400, wrong)
  }
})

states('20.2', 'primary weakness or any mapping', async () => {
  for (const slug of slugs) {
    await expectCves(service, `/cwes/${slug}/cves`, primary(slug))
    await expectCves(service, `/cwes/${slug}/cves?scope=primary`, primary(slug))
    await expectCves(service, `/cwes/${slug}/cves?scope=any`, any(slug))
    assert.ok(primary(slug).every((row) => any(slug).includes(row)))
  }
  assert.ok(slugs.some((slug) => any(slug).length > primary(slug).length))
  assert.ok(slugs.some((slug) => any(slug).length > 0 && primary(slug).length === 0))
  await refusesValues(service, path, 'scope', ['', 'all', 'any,primary', 'secondary'])
})

states('20.3', 'any of five bands', async () => {
  const bands = ['critical', 'high', 'medium', 'low', 'none']
  for (let mask = 1; mask < 2 ** bands.length; mask++) {
    const chosen = bands.filter((_, i) => mask & (1 << i))
    const passes = ({ severity }: Summary) => severity !== null && chosen.includes(severity)
    await expectCves(service, `${path}?severity=${chosen}`, primary(most).filter(passes))
    await expectCves(
      service,
      `${path}?severity=${chosen}&scope=any&kev=false`,
      any(most).filter((row) => passes(row) && !row.kev.listed),
    )
  }
  await refusesValues(service, path, 'severity', ['', 'severe', 'high,', 'null'])
})

states('20.4', 'KEV-listed CVEs or the others', async () => {
  let listed = 0
  for (const slug of slugs) {
    const rows = any(slug).filter(({ kev }) => kev.listed)
    listed += rows.length
    await expectCves(service, `/cwes/${slug}/cves?scope=any&kev=true`, rows)
    await expectCves(
      service,
      `/cwes/${slug}/cves?scope=any&kev=false`,
      any(slug).filter(({ kev }) => !kev.listed),
    )
  }
  assert.ok(listed > 0)
  await refusesValues(service, path, 'kev', ['', '1', 'yes', 'on'])
})

states('20.5', 'four keys, both ways', async () => {
  for (const slug of slugs.slice(0, 12)) {
    await expectSorts(service, `/cwes/${slug}/cves`, primary(slug), Object.keys(CVE_KEYS) as CveKey[])
    await expectSorts(service, `/cwes/${slug}/cves?scope=any`, any(slug), Object.keys(CVE_KEYS) as CveKey[])
  }
  await expectCves(service, path, primary(most), '-published')
  await refusesValues(service, path, 'sort', ['', 'title', '-', '--epss'])
})

states('20.6', 'pages', async () => {
  for (const more of ['', '?scope=any&sort=cvss', '?severity=medium']) await expectPaging(service, path + more)
})

states('20.8', 'the weakness, the scope and the page', async () => {
  for (const form of [most, most.toUpperCase(), most.slice(4), 'cwe-999999']) {
    for (const scope of ['primary', 'any', undefined]) {
      const query = scope === undefined ? '' : `?scope=${scope}`
      const page = await service.json<CvePage & { cwe_id: string; scope: string }>(`/cwes/${form}/cves${query}`)
      assert.equal(Object.keys(page).sort(), ['cwe_id', 'data', 'pagination', 'scope'])
      assert.equal([page.cwe_id, page.scope], [`CWE-${form.replace(/\D/g, '')}`, scope ?? 'primary'])
      for (const row of page.data)
        assert.equal(
          row,
          all.find(({ cve_id }) => cve_id === row.cve_id),
        )
    }
  }
})

after(() => service.remove())
run()
