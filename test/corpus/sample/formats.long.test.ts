import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chooseFiles } from '../../../corpus/feeds/files/choice.ts'
import { FEEDS } from '../../../corpus/feeds/table.ts'
import { generateSample } from '../../../corpus/sample/generate.ts'
import { feedItems } from '../feeds/reading.ts'
import { memoryDisk, readEpss } from './memory-disk.ts'

const disk = memoryDisk()
await generateSample({ feeds: 'feeds', cves: 1000 }, disk)
const file = (path: string) => disk.files.get(`feeds/${path}`)!

test('KEV is as CISA lays it out', () => {
  const text = file('kev/known_exploited_vulnerabilities.json').toString()
  assert.match(text, /^\{\n {4}"title"/)
  assert.match(text, /https:\\\/\\\//)
  const { catalogVersion, dateReleased, count, vulnerabilities } = JSON.parse(text)
  assert.is(catalogVersion, '2026.06.01')
  assert.match(dateReleased, /^2026-06-01T\d\d:\d\d:\d\d\.\d{4}Z$/)
  assert.is(count, vulnerabilities.length)
  const keys =
    'cveID vendorProject product vulnerabilityName dateAdded shortDescription requiredAction dueDate knownRansomwareCampaignUse notes cwes'
  for (const one of vulnerabilities) {
    assert.equal(Object.keys(one), keys.split(' '))
    assert.match(one.cveID, /^CVE-\d{4}-\d{4,}$/)
    assert.match(one.dateAdded, /^20(2[1-6])-\d\d-\d\d$/)
    assert.ok(one.dueDate > one.dateAdded)
    assert.ok(['Known', 'Unknown'].includes(one.knownRansomwareCampaignUse))
  }
  const dates = vulnerabilities.map((one: { dateAdded: string }) => one.dateAdded)
  assert.equal(dates, dates.toSorted().reverse())
})

test('EPSS is as FIRST lays it out: scores and percentiles of five decimals, in one order', () => {
  const { head, header, rows } = readEpss(file('epss/epss_scores-2026-06-01.csv.gz'))
  assert.is(head, '#model_version:v2025.03.14,score_date:2026-06-01T12:55:00Z')
  assert.is(header, 'cve,epss,percentile')
  for (const row of rows) {
    for (const figure of row.slice(1)) {
      assert.match(figure, /^(0\.\d{1,5}|1)$/)
    }
  }
  const byScore = rows.toSorted((a, b) => Number(a[1]) - Number(b[1]))
  const percentiles = byScore.map((row) => Number(row[2]))
  assert.equal(
    percentiles,
    percentiles.toSorted((a, b) => a - b),
  )
  assert.is(percentiles.at(-1), 1)
})

test('the CNA list is as the CVE website has it', () => {
  const list = JSON.parse(file('cna/CNAsList.json').toString())
  assert.is(list.length, 412)
  const keys =
    'shortName cnaID organizationName scope contact disclosurePolicy securityAdvisories resources CNA country'
  for (const one of list) {
    assert.equal(Object.keys(one), keys.split(' '))
    assert.equal(Object.keys(one.CNA), ['isRoot', 'root', 'type', 'TLR', 'roles'])
  }
  assert.is(new Set(list.map((one: { shortName: string }) => one.shortName.toLowerCase())).size, 412)
})

test('the adapters of the product read every file whole', async () => {
  const feeds = mkdtempSync(join(tmpdir(), 'vulnshelf-sample-'))
  try {
    const report = await generateSample({ feeds, cves: 1000 })
    for (const feed of FEEDS) {
      for (const found of chooseFiles(await feed.find(feeds), null)) {
        const items = await feedItems(feed, found)
        for (const item of items) assert.is.not(item.kind, 'skip', JSON.stringify(item))
        assert.is(items.length, report.files.find((one) => one.path === found.name)!.records, found.name)
      }
    }
  } finally {
    rmSync(feeds, { recursive: true })
  }
})

test.run()
