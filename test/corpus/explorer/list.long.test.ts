/** The list of CVEs in Chromium, compared with the API: filters, orders, pages, history, export. */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { type ExplorerWorld, MODES, openExplorerWorld, PHONE, type Tab, texts } from '../../support/explorer.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { until } from '../../support/until.ts'

const test = suiteNeeding('the CVE list of the explorer', 'Chromium', 'nginx')

let world: ExplorerWorld

/** The severity of a CVE in KEV. */
let severity: string

test.before(async () => {
  world = await openExplorerWorld()
  severity = (await all('kev=true')).find((row) => row.severity !== null)!.severity!
})

const idsOf = ({ page }: Tab) => texts(page.locator('tbody th[scope=row]'))
const addressOf = ({ page }: Tab) => new URL(page.url()).hash

interface Row {
  cve_id: string
  severity: string | null
  title: string | null
}

const all = (query: string) => world.service.all<Row>(`/cves?${query}`)
const ids = (rows: readonly Row[]) => rows.map(({ cve_id }) => cve_id)
const firstIds = async (query: string) => ids((await world.service.json<{ data: Row[] }>(`/cves?${query}`)).data)

/** The rows of the page begin with these. The page may load the next ones by itself. */
async function beginsWith(tab: Tab, expected: readonly string[]): Promise<void> {
  const same = async () => (await idsOf(tab)).slice(0, expected.length).join() === expected.join()
  await until(same, () => `the rows do not begin with ${expected.slice(0, 3)}…`)
}

async function loadAll(tab: Tab): Promise<void> {
  const more = tab.page.locator('button.more')
  while ((await more.count()) > 0) {
    await more.scrollIntoViewIfNeeded().catch(() => {})
    await tab.settle()
  }
}

for (const mode of MODES) {
  test(`${mode}: a suggestion of a CNA, whose key differs from its short name, selects its CVEs`, async () => {
    const tab = await world.open(mode)
    await tab.show('#/cves?published_since=2026-01-01')
    await tab.page.getByRole('combobox', { name: 'CNA', exact: true }).fill('ångmark n')
    await tab.page.getByRole('option').filter({ hasText: 'ångmark_nord' }).click()
    const parameters = () => new URLSearchParams(addressOf(tab).split('?')[1])
    await until(
      () => parameters().get('assigner') === 'ÅngMark Nord',
      () => addressOf(tab),
    )
    await beginsWith(tab, ['CVE-2026-90003'])
    assert.equal(tab.faults, [])
    await tab.close()
  })

  test(`${mode}: a filter changes the address and the rows, and the chips remove it`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    await tab.show('#/cves')
    await page.getByLabel(severity, { exact: true }).check()
    await page.getByLabel('KEV', { exact: true }).selectOption('in KEV')
    await until(
      () => [`#/cves?severity=${severity}&kev=true`, `#/cves?kev=true&severity=${severity}`].includes(addressOf(tab)),
      () => addressOf(tab),
    )
    const filtered = await firstIds(`severity=${severity}&kev=true`)
    assert.ok(filtered.length > 0)
    await beginsWith(tab, filtered)
    await page.getByLabel('Active filters').getByRole('button').first().click()
    await page.getByRole('button', { name: 'Clear all' }).click()
    await until(
      () => addressOf(tab) === '#/cves',
      () => addressOf(tab),
    )
    await beginsWith(tab, await firstIds('limit=25'))
    assert.equal(tab.faults, [])
    await tab.close()
  })

  test(`${mode}: on phones a button shows the filters, with their number; wide screens show all`, async () => {
    const tab = await world.open(mode, { viewport: PHONE })
    const { page } = tab
    const button = page.getByRole('button', { name: /^Filters/ })
    for (const [address, text, first, folded] of [
      ['#/cves?kev=true&epss_min=0.0', 'Filters (2)', 'Words', 'KEV'],
      ['#/kev?added_since=2000-01-01', 'Filters and sort (1)', 'Vendor', 'Added since'],
      ['#/advisories', 'Filters and sort', null, 'Prefix of the id'],
    ] as const) {
      await tab.show(address)
      const field = page.getByLabel(folded, { exact: true })
      assert.is((await button.innerText()).replace(/\s*[▾▴]$/, ''), text)
      if (first !== null) assert.ok(await page.getByLabel(first, { exact: true }).isVisible(), first)
      assert.is(await field.isVisible(), false, folded)
      await button.press('Enter')
      await field.waitFor()
      assert.is(await button.getAttribute('aria-expanded'), 'true')
      await button.press('Enter')
      await field.waitFor({ state: 'hidden' })
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    assert.ok(await page.getByLabel('Prefix of the id', { exact: true }).isVisible())
    assert.is(await button.count(), 0)
    assert.equal(tab.faults, [])
    await tab.close()
  })

  test(`${mode}: two changes at once are both in the address`, async () => {
    const tab = await world.open(mode)
    await tab.show('#/cves')
    await tab.page.evaluate(`(async () => {
      for (const name of ['high', 'low']) {
        document.querySelector('.severity.' + name).closest('label').querySelector('input').click()
        // Frameworks update in microtasks. The browser reports a new address in a later task.
        for (let i = 0; i < 100; i++) await null
      }
    })()`)
    assert.equal(addressOf(tab), '#/cves?severity=high%2Clow')
    await tab.close()
  })

  test(`${mode}: the pages of a filtered list have each row exactly once, in the order of the API`, async () => {
    const tab = await world.open(mode)
    for (const query of ['severity=high', 'has_exploit=true&sort=-epss', 'published_since=2024-01-01&sort=cvss']) {
      const expected = ids(await all(query))
      assert.ok(expected.length > 30, query)
      await tab.show(`#/cves?${query}`)
      await loadAll(tab)
      assert.equal(await idsOf(tab), expected)
    }
    assert.equal(tab.faults, [])
    await tab.close()
  })

  test(`${mode}: the header of a column orders, and the address states the order`, async () => {
    const tab = await world.open(mode)
    await tab.show('#/cves')
    await tab.page.getByRole('columnheader', { name: /EPSS/ }).getByRole('button').click()
    await until(
      () => addressOf(tab) === '#/cves?sort=-epss',
      () => addressOf(tab),
    )
    await beginsWith(tab, await firstIds('sort=-epss'))
    await tab.page.getByRole('columnheader', { name: /EPSS/ }).getByRole('button').click()
    await beginsWith(tab, await firstIds('sort=epss'))
    assert.equal(await tab.page.locator('th[aria-sort=ascending]').count(), 1)
    await tab.close()
  })

  test(`${mode}: going back shows the same rows where they were left; reloading keeps the filters`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    await tab.show('#/cves?severity=high')
    await loadAll(tab)
    const rows = await idsOf(tab)
    const link = page.locator('tbody th a').nth(30)
    await link.scrollIntoViewIfNeeded()
    const scrolled = () => page.evaluate('window.scrollY') as Promise<number>
    const before = await scrolled()
    assert.ok(before > 300)
    const id = await link.innerText()
    await link.click()
    await page.getByRole('heading', { level: 1, name: id }).waitFor()
    await tab.settle()
    await page.goBack()
    await tab.settle()
    await until(
      async () => Math.abs((await scrolled()) - before) < 4,
      () => `the list was left at ${before}`,
    )
    assert.equal(await idsOf(tab), rows)
    await page.reload()
    await tab.settle()
    assert.equal(addressOf(tab), '#/cves?severity=high')
    await beginsWith(tab, await firstIds('severity=high'))
    await tab.close()
  })

  test(`${mode}: the exports have every row of the list`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    const expected = await all('severity=high')
    await tab.show('#/cves?severity=high')
    await page.getByText('Export', { exact: true }).click()
    const save = (name: string) => saved(tab, name)
    const lines = (await save('Save as NDJSON')).trimEnd().split('\n')
    assert.equal(
      lines.map((line) => JSON.parse(line)),
      expected,
    )
    const records = (await save('Save as CSV')).match(/^CVE-\d+-\d+(?=,)/gm)
    assert.equal(records, ids(expected))
    assert.equal(tab.faults, [])
    await tab.close()
  })

  test(`${mode}: each list has its total, its rows as a file, and its request`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    for (const [address, path] of await listsOf()) {
      const rows = await world.service.all<object>(path)
      assert.ok(rows.length > 0, address)
      await tab.show(address)
      assert.match(await page.locator('.list-tools .count').innerText(), totalOf(rows.length), address)
      await page.getByText('Export', { exact: true }).click()
      const lines = (await saved(tab, 'Save as NDJSON')).trimEnd().split('\n')
      assert.equal(
        lines.map((line) => JSON.parse(line)),
        rows,
        address,
      )
      await page.getByText('API request', { exact: true }).click()
      const command = await page.locator('.list-tools pre').innerText()
      const [, asked] = /(?:'http\S*\/api\/v1|request\(')(\/[^']*)'/.exec(command) ?? []
      assert.ok(asked, command)
      assert.equal(await world.service.all(asked), rows, address)
    }
    assert.equal(tab.faults, [])
    await tab.close()
  })

  test(`${mode}: the figures of a vendor and a CNA are the totals of the lists that they link to`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    const { service } = world
    const first = async (list: string) => (await service.json<{ data: { slug: string }[] }>(list)).data[0]!.slug
    for (const address of [`#/vendors/${await first('/vendors')}`, `#/cnas/${await first('/cnas')}`]) {
      await tab.show(address)
      await page.getByText('CVEs by year', { exact: true }).click()
      await page.locator('.by-year a').first().waitFor()
      const links = await page
        .locator(':is(.split, .by-year) a')
        .evaluateAll((all) =>
          all.map((one) => [(one as unknown as PageLink).hash, (one as unknown as PageLink).innerText]),
        )
      assert.ok(links.length > 10, `${address}: ${links.length} figures`)
      for (const [hash, shown] of links) {
        const { pagination } = await service.json<{ pagination: { total: number } }>(`${hash!.slice(1)}&count=true`)
        assert.is(shown, pagination.total.toLocaleString('en-GB'), `${address}: ${hash}`)
      }
    }
    assert.equal(tab.faults, [])
    await tab.close()
  })
}

interface PageLink {
  hash: string
  innerText: string
}

/** Each list of the explorer but that of CVEs, with the path of the API that has the same rows. */
async function listsOf(): Promise<(readonly [address: string, path: string])[]> {
  const { service } = world
  const first = async <T>(path: string) => (await service.json<{ data: T[] }>(path)).data[0]!
  const { slug: vendor } = await first<{ slug: string }>('/vendors')
  const { slug: product } = await first<{ slug: string }>(`/vendors/${vendor}/products`)
  const { slug: cna } = await first<{ slug: string }>('/cnas')
  const [ecosystem, name] = ['npm', 'lantern-http']
  return [
    ['#/cwes?abstraction=Base', '/cwes?abstraction=Base'],
    ['#/cwes/cwe-79?show=cves', '/cwes/cwe-79/cves'],
    ['#/capecs?q=injection', '/capecs?q=injection'],
    ['#/vendors?q=a', '/vendors?q=a'],
    [`#/vendors/${vendor}?kev=false`, `/cves?vendor=${vendor}&kev=false`],
    [`#/vendors/${vendor}?show=products`, `/vendors/${vendor}/products`],
    [`#/vendors/${vendor}/products/${product}`, `/cves?product=${vendor}/${product}`],
    ['#/packages?ecosystem=npm', '/packages?ecosystem=npm'],
    [`#/packages/${ecosystem}/${name}`, `/affected?ecosystem=${ecosystem}&name=${name}`],
    [`#/packages/${ecosystem}/${name}?show=cves`, `/cves?package=${ecosystem}/${name}`],
    ['#/cnas?grade=A', '/cnas?grade=A'],
    [`#/cnas/${cna}`, `/cnas/${cna}/cves`],
    ['#/kev?ransomware=known', '/kev?ransomware=known'],
    ['#/advisories?prefix=GHSA', '/advisories?prefix=GHSA'],
    // With a slash at the end, as somebody may write it.
    ['#/rejected/?replaced=false', '/rejected?replaced=false'],
    ['#/exploits?source=exploit_framework', '/exploits?source=exploit_framework&include=cves'],
  ]
}

/** Matches `25 of 1,234 CVEs shown` and `12 CVEs`. */
const totalOf = (count: number) => new RegExp(`(?:^| of )${count.toLocaleString('en-GB')} `)

async function saved({ page }: Tab, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ])
  return readFileSync(await download.path(), 'utf8')
}

test('the export of changes has the rows that pass the filters', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  const [until, since] = (await world.service.json<{ data: { id: string }[] }>('/snapshots')).data.map(({ id }) => id)
  const rows = await world.service.all<{ cve_id: string; change: string }>(`/changes?since=${since}&until=${until}`)
  const expected = rows.filter(({ change }) => change === 'added').map(({ cve_id }) => cve_id)
  assert.ok(expected.length > 0 && expected.length < rows.length)
  await tab.show(`#/changes?since=${since}&until=${until}&change=added`)
  await page.locator('summary', { hasText: 'Export' }).click()
  const lines = (await saved(tab, 'Save as NDJSON')).trimEnd().split('\n')
  assert.equal(lines.map((line) => (JSON.parse(line) as { cve_id: string }).cve_id).toSorted(), expected.toSorted())
  assert.equal(tab.faults, [])
  await tab.close()
})

test('the columns are those of the last visit, until the default is chosen', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  const hasHeaders = async (expected: readonly string[]) => {
    let shown = ''
    const same = async () => {
      shown = (await texts(page.locator('thead th'))).join().replace(/ ?[▼▲↕]/g, '')
      return shown === expected.join()
    }
    await until(same, () => shown)
  }
  await tab.show('#/cves?kev=true')
  await page.locator('summary', { hasText: 'Columns' }).click()
  for (const name of ['Title', 'EPSS', 'Flags', 'Published']) await page.getByLabel(name, { exact: true }).uncheck()
  await hasHeaders(['CVE', 'Severity', 'In KEV since'])
  await tab.show(`#/cves?kev=true&severity=${severity}`)
  await hasHeaders(['CVE', 'Severity', 'In KEV since'])
  await page.getByRole('button', { name: 'Default columns' }).click()
  await hasHeaders(['CVE', 'Severity', 'Title', 'EPSS', 'Flags', 'Published', 'In KEV since'])
  assert.is(addressOf(tab), `#/cves?kev=true&severity=${severity}`)
  assert.equal(tab.faults, [])
  await tab.close()
})

test.after(() => world.close())

test.run()
