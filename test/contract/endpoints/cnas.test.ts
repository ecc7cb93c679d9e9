/** gateway/API.md, section 23: the CVEs of a CNA and the statistics, against all records and all rows of `/cnas`. */
import * as assert from 'uvu/assert'
import { keyOfName } from '../../support/plain.ts'
import { expectPaging, refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { type CveKey, type CvePage, expectCves, expectSorts, type Summary, summariesOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cnas/{slug}/cves, /cnas/stats')
const service = await sharedService()
const all = summariesOf(service.corpus)

interface Cna {
  slug: string
  cna_name: string
  grade: string | null
  activity_status: string
  total_cves: number
  recent_cves: number
  overall_completeness: number | null
  [other: string]: unknown
}
const cnas = await service.all<Cna>('/cnas')

const slugOf = (name: string) => keyOfName(name)!
const ofCna = (slug: string) => all.filter(({ assigner }) => assigner !== null && slugOf(assigner) === slug)
const slugs = [...new Set(all.map(({ assigner }) => slugOf(assigner!)))]
const most = slugs.toSorted((a, b) => ofCna(b).length - ofCna(a).length)[0]!
const path = `/cnas/${most}/cves`

states('23.3', 'the key, in any case', async () => {
  assert.ok(slugs.length > 20 && slugs.includes('ångmark_nord'))
  for (const slug of slugs) {
    for (const form of [slug, slug.toUpperCase()]) {
      await expectCves(service, `/cnas/${encodeURIComponent(form)}/cves`, ofCna(slug))
    }
  }
  for (const { slug, total_cves } of cnas) assert.is(ofCna(slug).length, total_cves, slug)
  for (const unknown of ['nobody', 'mirado', '%25', `${most}_`, 'stats2'])
    await expectCves(service, `/cnas/${unknown}/cves`, [])
})

states('23.4', 'any of five bands', async () => {
  const bands = ['critical', 'high', 'medium', 'low', 'none']
  for (let mask = 1; mask < 2 ** bands.length; mask++) {
    const chosen = bands.filter((_, i) => mask & (1 << i))
    const passes = ({ severity }: Summary) => severity !== null && chosen.includes(severity)
    for (const slug of [most, slugOf('ÅngMark')]) {
      await expectCves(service, `/cnas/${encodeURIComponent(slug)}/cves?severity=${chosen}`, ofCna(slug).filter(passes))
    }
  }
  await refusesValues(service, path, 'severity', ['', 'severe', 'high,', 'null'])
})

states('23.5', 'KEV-listed CVEs or the others', async () => {
  for (const slug of slugs) {
    for (const value of [true, false]) {
      const rows = ofCna(slug).filter(({ kev }) => kev.listed === value)
      await expectCves(service, `/cnas/${encodeURIComponent(slug)}/cves?kev=${value}`, rows)
    }
  }
  assert.ok(slugs.some((slug) => ofCna(slug).some(({ kev }) => kev.listed)))
  await refusesValues(service, path, 'kev', ['', '1', 'yes', 'on'])
})

states('23.6', 'CVEs with or without exploit', async () => {
  for (const slug of slugs) {
    for (const value of [true, false]) {
      const rows = ofCna(slug).filter((row) => row.has_exploit === value)
      await expectCves(service, `/cnas/${encodeURIComponent(slug)}/cves?has_exploit=${value}`, rows)
    }
  }
  assert.is(new Set(ofCna(most).map((row) => row.has_exploit)).size, 2)
  await refusesValues(service, path, 'has_exploit', ['', '0', 'no'])
})

states('23.7', 'the primary weakness', async () => {
  const cwes = new Set(all.flatMap(({ primary_cwe_id }) => primary_cwe_id ?? []))
  for (const cwe of [...cwes, 'cwe-999999']) {
    const rows = ofCna(most).filter(({ primary_cwe_id }) => primary_cwe_id === cwe)
    await expectCves(service, `${path}?cwe=${cwe.toUpperCase()}`, rows)
    await expectCves(
      service,
      `${path}?cwe=${cwe}&has_exploit=true&kev=false&severity=high,medium`,
      rows.filter((row) => {
        return row.has_exploit && !row.kev.listed && (row.severity === 'high' || row.severity === 'medium')
      }),
    )
  }
  assert.ok(new Set(ofCna(most).map(({ primary_cwe_id }) => primary_cwe_id)).size > 5)
  await refusesValues(service, path, 'cwe', ['', 'CWE-', 'x', 'CAPEC-79', '79,80'])
})

states('23.8', 'three keys, both ways', async () => {
  const keys: CveKey[] = ['published', 'cvss', 'epss']
  for (const slug of [most, ...slugs.slice(0, 8), 'ångmark']) {
    await expectSorts(service, `/cnas/${encodeURIComponent(slug)}/cves`, ofCna(slug), keys)
    await expectCves(service, `/cnas/${encodeURIComponent(slug)}/cves`, ofCna(slug), '-published')
  }
  await refusesValues(service, path, 'sort', ['', 'updated', '-updated', 'title', '-'])
})

states('23.9', 'pages', async () => {
  for (const more of ['', '?sort=-epss', '?has_exploit=false&sort=cvss']) await expectPaging(service, path + more)
})

states('23.10', 'the CNA and the page', async () => {
  for (const slug of [...slugs, 'nobody']) {
    const page = await service.json<CvePage & { cna: object }>(`/cnas/${encodeURIComponent(slug)}/cves`)
    assert.equal(Object.keys(page).sort(), ['cna', 'data', 'pagination'])
    const name = cnas.find((cna) => cna.slug === slug)?.cna_name ?? null
    // Whoever assigned a CVE is in the directory, those that are not in the list included (rule 27).
    assert.is(name === null, slug === 'nobody', slug)
    assert.equal(page.cna, { slug, cna_name: name })
    for (const row of page.data)
      assert.equal(
        row,
        all.find(({ cve_id }) => cve_id === row.cve_id),
      )
  }
  const shouted = await service.json<{ cna: object }>(`/cnas/${most.toUpperCase()}/cves`)
  assert.equal(shouted.cna, { slug: most, cna_name: cnas.find(({ slug }) => slug === most)!.cna_name })
})

states('23.12', 'statistics take no parameter', async () => {
  for (const name of ['limit', 'q', 'sort', 'cursor', 'grade']) await refuses(service, `/cnas/stats?${name}=1`, name)
  assert.is((await service.ask('/cnas/stats?')).status, 200)
  assert.is((await service.ask('/cnas/stats')).status, 200)
})

interface Stats {
  summary: Record<string, number>
  grade_distribution: Record<string, number>
  leaderboard: Record<string, Cna[]>
}

states('23.13', 'statistics of the directory', async () => {
  const stats = await service.json<Stats>('/cnas/stats')
  assert.equal(Object.keys(stats).sort(), ['grade_distribution', 'leaderboard', 'summary'])
  const scores = cnas.flatMap(({ overall_completeness: score }) => score ?? [])
  const { avg_completeness: average, ...counts } = stats.summary
  assert.equal(counts, {
    total_cnas: cnas.length,
    active_cnas: cnas.filter(({ activity_status: status }) => status === 'Active').length,
    total_cves: all.length,
  })
  assert.ok(Math.abs(average! - scores.reduce((sum, one) => sum + one, 0) / scores.length) < 0.1)
  const graded = (grade: string) => cnas.filter((cna) => cna.grade === grade).length
  for (const { grade, total_cves } of cnas) assert.is(grade === null, total_cves === 0)
  assert.equal(stats.grade_distribution, Object.fromEntries(['A', 'B', 'C', 'D', 'F'].map((one) => [one, graded(one)])))
  const { best, worst, most_active: active, most_improved: improved, ...rest } = stats.leaderboard
  assert.equal(rest, {})
  for (const row of [...best!, ...worst!, ...active!])
    assert.equal(
      row,
      cnas.find(({ slug }) => slug === row.slug),
    )
  const descends = (rows: Cna[], key: string) => {
    const values = rows.map((row) => Number(row[key]))
    assert.ok(values.length > 0, key)
    assert.equal(
      values,
      values.toSorted((a, b) => b - a),
      key,
    )
  }
  descends(best!, 'overall_completeness')
  descends(worst!.toReversed(), 'overall_completeness')
  descends(active!, 'recent_cves')
  assert.is(active![0]!.recent_cves, Math.max(...cnas.map((cna) => cna.recent_cves)))
  assert.ok(Array.isArray(improved))
})

after(() => service.remove())
run()
