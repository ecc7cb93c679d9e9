/** gateway/API.md, section 9: each filter alone, against all records, filtered here. */
import * as assert from 'uvu/assert'
import { refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { RESERVED } from '../support/odd-records.ts'
import { expectCves, idsOf, inOrder, type Summary, summariesOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('filters of GET /cves')
const service = await sharedService()
const all = summariesOf(service.corpus)
const newest = inOrder(all, '-published')
const some = <T>(of: (row: Summary) => T | null | undefined): T => newest.map(of).find((value) => value != null) as T
const holds = ({ cve_id, title }: Summary, q: string) =>
  [cve_id, title ?? ''].some((text) => text.toLowerCase().includes(q.toLowerCase()))

states('9.1', 'text in id or title', async () => {
  const title = some((row) => (row.title && row.title.length > 20 ? row.title : null))
  const queries = [
    ...['in', 'IN', 'e', '-', 'cve-', 'CVE-2024-', '2026-9000', '026', '0', 'xss', 'no such words', 'cve-cve'],
    ...[title, title.slice(5, 12), title.toUpperCase(), title.slice(-9), `${title}!`, RESERVED, RESERVED.toLowerCase()],
    ...['%', '_', '100%_', '%done', '_done', '%20', '"', '""', '\\', '*', "'", 'in*', '"in"', '(', 'a b', ': '],
    ...['😀', 'οδος', 'ΟΔΟΣ', 'straße', 'STRASSE', 'в', ' ', 'x'.repeat(200), 'OR', 'NOT', 'in or'],
  ]
  let found = 0
  for (const q of queries) {
    const folded = q.toLowerCase().replaceAll('ς', 'σ')
    const rows = all.filter(({ cve_id, title }) =>
      [cve_id, title ?? ''].some((text) => text.toLowerCase().replaceAll('ς', 'σ').includes(folded)),
    )
    if (rows.length > 0) found++
    await expectCves(service, `/cves?q=${encodeURIComponent(q)}`, rows)
  }
  assert.ok(found > 25, `only ${found} texts are found`)
  const described = some(({ title, description }) => {
    const word = description?.split(/\W+/).find((one) => one.length > 8)
    return word && !all.some((row) => holds(row, word)) && !title!.includes(word) ? word : null
  })
  await expectCves(service, `/cves?q=${described}`, [])
  await refusesValues(service, '/cves', 'q', ['', 'y'.repeat(201)])
})

states('9.2', 'any of five bands', async () => {
  const bands = ['critical', 'high', 'medium', 'low', 'none']
  for (const band of bands)
    assert.ok(
      all.some(({ severity }) => severity === band),
      band,
    )
  for (let mask = 1; mask < 2 ** bands.length; mask++) {
    const chosen = bands.filter((_, i) => mask & (1 << i))
    const rows = all.filter(({ severity }) => severity !== null && chosen.includes(severity))
    await expectCves(service, `/cves?severity=${chosen.join(',')}`, rows)
  }
  const high = all.filter(({ severity }) => severity === 'high')
  for (const text of ['high,high', 'high, high', '%20high']) await expectCves(service, `/cves?severity=${text}`, high)
  const wrong = ['', 'severe', 'high,severe', 'null', ',', 'high,', 'high;low']
  await refusesValues(service, '/cves', 'severity', wrong)
})

states('9.3', 'KEV-listed CVEs or the others', async () => {
  const [listed, others] = [all.filter(({ kev }) => kev.listed), all.filter(({ kev }) => !kev.listed)]
  assert.ok(listed.length > 0 && others.length > 0)
  await expectCves(service, '/cves?kev=true', listed)
  await expectCves(service, '/cves?kev=false', others)
  await refusesValues(service, '/cves', 'kev', ['', '1', 'on', 'yes'])
})

states('9.4', 'flags of the record', async () => {
  for (const name of ['has_exploit', 'has_patch', 'has_detection'] as const) {
    for (const value of [true, false]) {
      const rows = all.filter((row) => row[name] === value)
      assert.ok(rows.length > 0, `${name} ${value}`)
      await expectCves(service, `/cves?${name}=${value}`, rows)
    }
    await refusesValues(service, '/cves', name, ['', '0'])
  }
})

states('9.5', 'the whole name, in any case', async () => {
  const names = new Set(all.map((row) => row.assigner!))
  assert.ok(names.has('mirador') && names.has('MIRADOR') && names.has('ÅngMark Nord'))
  for (const name of names) {
    const rows = all.filter((row) => row.assigner?.toLowerCase() === name.toLowerCase())
    for (const text of [name, name.toUpperCase(), name.toLowerCase()]) {
      await expectCves(service, `/cves?assigner=${encodeURIComponent(text)}`, rows)
    }
  }
  for (const part of ['mirado', 'iradors', 'ÅngMark Nor', 'm%', '_irador', 'nobody']) {
    await expectCves(service, `/cves?assigner=${encodeURIComponent(part)}`, [])
  }
  await refusesValues(service, '/cves', 'assigner', [''])
})

states('9.6', 'the primary weakness', async () => {
  const ids = new Set(all.flatMap((row) => row.primary_cwe_id ?? []))
  assert.ok(ids.size > 20)
  for (const id of [...ids, 'cwe-7', 'cwe-999999']) {
    const rows = all.filter(({ primary_cwe_id }) => primary_cwe_id === id)
    await expectCves(service, `/cves?cwe=${id.toUpperCase()}`, rows)
  }
  const weakness = some(({ primary_cwe_id }) => primary_cwe_id)
  const rows = all.filter(({ primary_cwe_id }) => primary_cwe_id === weakness)
  for (const text of [weakness, weakness.slice(4)]) await expectCves(service, `/cves?cwe=${text}`, rows)
  await refusesValues(service, '/cves', 'cwe', ['', 'CWE-', 'CWE-x', 'CAPEC-66', 'CWE-79,CWE-89', '-79', 'CWE-079'])
})

states('9.7', 'the lowest EPSS score', async () => {
  assert.ok(all.some(({ epss }) => epss.score === null))
  const scores = all.flatMap(({ epss }) => epss.score ?? []).sort((a, b) => a - b)
  const exact = [0, 0.25, 0.5, 0.75, 0.99].map((part) => scores[Math.floor(part * scores.length)]!)
  const score = some(({ epss, kev }) => (kev.listed ? null : epss.score))
  const values = [0, 1, 0.5, score, ...exact, scores.at(-1)!, scores.at(-1)! + 1e-9, 1e-5]
  for (const least of values) {
    const rows = all.filter(({ epss }) => epss.score !== null && epss.score >= least)
    await expectCves(service, `/cves?epss_min=${least}`, rows)
  }
  const wrong = ['', '-0.1', '1.1', '2', 'abc', 'NaN', 'Infinity', '0,5', '0x1', '.']
  await refusesValues(service, '/cves', 'epss_min', wrong)
})

const day = 86_400_000
const published = (row: Summary) => (row.date_published === null ? null : Date.parse(row.date_published))
const middle = newest[Math.floor(newest.length / 2)]!.date_published!.slice(0, 10)
const DAYS = ['2026-05-10', '2026-05-11', '2026-05-12', '1999-01-01', '2999-12-31', '2020-02-29', middle]
const startOf = (text: string) => Date.parse(`${text}T00:00:00Z`)
const WRONG_DAYS = ['', '2024-02-30', '2023-02-29', '2024-13-01', '24-01-01', 'yesterday', '2024-1-1', '20240101']

states('9.8', 'first and last day of publication', async () => {
  const dated = all.filter((row) => row.date_published !== null)
  assert.ok(dated.length < all.length, 'one has no date')
  for (const since of DAYS) {
    const later = dated.filter((row) => published(row)! >= startOf(since))
    await expectCves(service, `/cves?published_since=${since}`, later)
    const earlier = dated.filter((row) => published(row)! < startOf(since) + day)
    await expectCves(service, `/cves?published_until=${since}`, earlier)
    for (const until of DAYS) {
      const between = later.filter((row) => published(row)! < startOf(until) + day)
      await expectCves(service, `/cves?published_since=${since}&published_until=${until}`, between)
    }
  }
  const ofOneDay = idsOf(await service.all<Summary>('/cves?published_since=2026-05-11&published_until=2026-05-11'))
  assert.ok(ofOneDay.includes('CVE-2026-90004') && ofOneDay.includes('CVE-2026-90005'), 'its first and last moment')
  for (const name of ['published_since', 'published_until']) {
    await refusesValues(service, '/cves', name, WRONG_DAYS)
  }
})

states('9.9', 'first day of the last update', async () => {
  for (const since of [...DAYS, newest[10]!.date_updated!.slice(0, 10)]) {
    const rows = all.filter((row) => row.date_updated !== null && Date.parse(row.date_updated) >= startOf(since))
    await expectCves(service, `/cves?updated_since=${since}`, rows)
  }
  await refusesValues(service, '/cves', 'updated_since', WRONG_DAYS)
})

after(() => service.remove())
run()
